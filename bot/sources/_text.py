"""Text from files, made safe and kept as it was written: LaTeX and markdown stay, for display cleans them."""

from __future__ import annotations

import html
import re

from bot.core.plain import visible

# Only with its semicolon: "R&D" and "&lt" in running text are no entities.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_GLYPH = re.compile(r"\(cid:\d{1,6}\)")  # what PDF extractors leave for a glyph without a character
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# What spreadsheets and data frames write for "nothing".
_NOTHING = frozenset({"nan", "NaN", "None", "none", "null", "NULL", "N/A", "NA", "<NA>"})


def tidy(text: str) -> str:
    """Return text without control or hidden characters; entities, ligatures and glyph codes mended, blanks folded."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if "(cid:" in text:
        text = _GLYPH.sub("", text)
    return visible(text.translate(_LIGATURES))


def missing(value: object) -> bool:
    """Say whether a value stands for nothing: null, NaN, blank, or the words that data frames write for them."""
    if isinstance(value, str):
        text = value.strip()
        return not text or text in _NOTHING
    return value is None or value != value or value in ([], {}, ())  # NaN is the one value unequal to itself

"""Cleaning for matching: what a text says, without how it was typeset. Nothing here is for display."""

from __future__ import annotations

import re
import unicodedata

_ODD = re.compile(r"[\\${}`*#>~|\[\x00-\x08\x0b-\x1f\x7f]|://|\(cid:|-\s*\n|[^\x00-\x7f]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARKS = re.compile("[\u0300-\u036f]")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{0,500}\)")
_ADDRESS = re.compile(r"\b[a-z]{2,10}://\S+")
_GLYPH = re.compile(r"\(cid:\d+\)")
_HYPHENATED = re.compile(r"-[^\S\n]{0,9}\n\s{0,9}")
_DROPPED = re.compile(r"\\(?:cite[a-z]*|ref|eqref|label|url|footnotemark)\*?(?:\[[^\[\]]{0,80}\]){0,2}\{[^{}]{0,300}\}")
_ACCENT = re.compile(r"""\\["'`^~=.uvHcdbkr]\s?\{([A-Za-z])\}|\\["'`^~=.]([A-Za-z])""")
_LAYOUT = re.compile(
    r"\\(?:text|math|mathrm|operatorname|boldsymbol|emph|left|right|[bB]igg?[lr]?|bf|em|it|rm|tt|sc|sf|underline|"
    r"(?:text|math)(?:bf|it|rm|tt|sc|sf|sl|bb|cal|frak|scr|normal|up|md)|displaystyle|textstyle|limits|"
    r"quad|qquad|hspace|vspace|begin|end|item|noindent|par)(?![A-Za-z])\*?"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_ESCAPED = re.compile(r"\\([%&_#${}])")
_TYPESETTING = re.compile(r"[\\${}^`*#>~|]+")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")


STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
"""Letters that Unicode does not take apart, as people write them without their strokes."""


def fold(text: str) -> str:
    """Return a text in lower case, without accents and strokes; other scripts keep their letters."""
    text = text.lower()
    if text.isascii():
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).lower().translate(STROKES)


def _latex(text: str) -> str:
    r"""Return LaTeX with its commands unwrapped: \textbf{x} is x, O(n\log n) keeps its words."""
    text = _DROPPED.sub(" ", text)
    text = _ACCENT.sub(lambda match: match.group(1) or match.group(2), text)
    text = _LAYOUT.sub("", text)
    text = _COMMAND.sub(r" \1 ", text)
    return _ESCAPED.sub(r"\1", text)


def clean(text: str) -> str:
    """Return the words of a text for matching: Unicode's compatibility forms resolved (NFKC), nothing invisible.

    LaTeX and simple markdown are unwrapped, addresses and control characters dropped, runs of white space are one
    space; a blank line stays as one blank line, since it ends a sentence.
    """
    if _ODD.search(text):
        text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
        text = _MARKS.sub("", text).replace("\u2010", "-").replace("\r", "\n")
        text = _GLYPH.sub(" ", _ADDRESS.sub(" ", _LINK.sub(r"\1", text)))
        text = _HYPHENATED.sub("-", text)
        if "\\" in text:
            text = _latex(text)
        text = _TYPESETTING.sub("", text)
    if "\n" not in text:
        return " ".join(text.split())
    paragraphs = (" ".join(part.split()) for part in _PARAGRAPH.split(text))
    return "\n\n".join(part for part in paragraphs if part)

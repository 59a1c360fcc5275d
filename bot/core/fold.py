"""Typed words without what people do not mean: width, case, dashes, accents, digits of other scripts. Pure."""

from __future__ import annotations

import unicodedata

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def folded(text: str) -> str:
    """Fold width, case, dashes, spaces, marks that are not seen, and the digits of all scripts."""
    wide = unicodedata.normalize("NFKC", text[:200]).translate(_DASHES).casefold()
    seen = (c for c in wide if unicodedata.category(c) not in ("Cf", "Cc", "Cs") or c.isspace())
    return " ".join("".join(str(unicodedata.decimal(c, c)) for c in seen).split())


def plain(text: str) -> str:
    """Fold, and drop accents: "São Paulo" is "sao paulo"."""
    return "".join(c for c in unicodedata.normalize("NFKD", folded(text)) if not unicodedata.combining(c))


def named(text: str) -> str:
    """Quote what was typed, shortened to 40 characters; "nothing" where that is what was typed."""
    shown = " ".join(text.split())
    return f"“{shown if len(shown) <= 40 else shown[:39] + '…'}”" if shown else "nothing"


def weekday(word: str) -> int:
    """Read two letters and more of a folded day's name: its ISO digit, Monday is 1. Raises ValueError."""
    word = word.rstrip(".")
    for number, day in enumerate(WEEKDAYS, 1):
        if len(word) >= 2 and (day.startswith(word) or word == f"{day}s"):
            return number
    raise ValueError(word)

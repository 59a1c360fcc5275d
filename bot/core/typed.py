"""What people type about a digest: times, weekdays, zones, counts, how strict. Pure; knows no clock.

Each type reads typed text into its canonical form, or raises ValueError with what would be right. What it reads is a
plain str or int, ready to be stored; reading a canonical form gives it back.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from typing import Self
from zoneinfo import available_timezones

COUNT_LIMIT = 50  # papers in one digest
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d\d)|h)?\s*(?:([ap])\.?\s?m\.?)?")
_OFFSET = re.compile(r"(?:utc|gmt|z)?\s*[+-]\s*\d{1,2}(?::?\d\d)?")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_GROUPS = {
    "12345": ("weekdays", "weekday", "workdays", "working days"),
    "1234567": ("every day", "everyday", "daily", "all"),
    "67": ("weekend", "weekends"),
}
_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})


class Time(str):
    """A local time of day, "HH:MM" on the 24-hour clock."""

    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `9`, `9am`, `9:30 pm`, `09:00`, `9h30`, noon or midnight, in any script's digits. Raises ValueError."""
        folded = {"noon": "12:00", "midnight": "00:00"}.get(_folded(text), _folded(text))
        match = _TIME.fullmatch(folded)
        hour, minute = (int(match[1]), int(match[2] or 0)) if match else (24, 0)
        half = match[3] if match else None
        if half and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        elif half:
            hour = 24
        if hour > 23 or minute > 59:
            raise ValueError(f"{_named(text)} is no time of day; type it as 09:00, 9am or 21:30")
        return cls(f"{hour:02}:{minute:02}")


class Weekdays(str):
    """Days of the week as ISO digits in order, Monday is 1: "12345"."""

    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `weekdays`, `daily`, `weekend`, `Mon–Fri`, `1-5`, `mon,wed` or `sat`. Raises ValueError."""
        folded = _folded(text)
        groups = {name: digits for digits, names in _GROUPS.items() for name in names}
        if folded in groups:
            return cls(groups[folded])
        found: set[int] = set()
        try:
            if re.fullmatch(r"[1-7]{2,7}", folded):
                found.update(map(int, folded))
            else:
                for part in re.split(
                    r"[,;&+/\s]+", re.sub(r"\s*-\s*", "-", re.sub(r"\band\b", ",", folded)).strip(" ,;")
                ):
                    found.update(_span(part))
        except ValueError:
            raise ValueError(
                f"{_named(text)} is no day of the week; type weekdays, daily, weekend, Mon–Fri or mon,wed"
            ) from None
        return cls("".join(str(day) for day in sorted(found)))

    @property
    def words(self) -> str:
        """The days as people read them."""
        return words_for_weekdays(self)


class Zone(str):
    """An IANA time zone, as it is spelt there: "Europe/Berlin"."""

    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a zone's name, or a city that only one zone is named after, in any case. Raises ValueError."""
        folded = _plain(text).replace(" ", "_")
        names, cities = _zones()
        if folded in names:
            return cls(names[folded])
        if _OFFSET.fullmatch(folded):
            raise ValueError(
                f"{_named(text)} is an offset, which does not follow summer time; type a city, such as Europe/Berlin"
            )
        found = cities.get(folded, ())
        if len(found) == 1:
            return cls(found[0])
        near = list(found) or _near_zones(folded)
        hint = f"did you mean {_either(near)}?" if near else "type a city, such as Europe/Berlin, or UTC"
        raise ValueError(f"{_named(text)} is {'more than one' if found else 'no'} time zone I know; {hint}")


class Count(int):
    """How many papers a digest has at most: 1 to 50."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a whole number from 1 to 50, in any script's digits. Raises ValueError."""
        folded = _folded(text)
        if not re.fullmatch(r"[+-]?\d+", folded):
            raise ValueError(f"{_named(text)} is no whole number; type one from 1 to {COUNT_LIMIT}")
        value = int(folded[:12])  # longer ones are out of bounds however they go on
        if value < 1:
            raise ValueError(f"{_named(text)} is too few; type a number from 1 to {COUNT_LIMIT}")
        if value > COUNT_LIMIT:
            raise ValueError(f"{_named(text)} is too many; type a number from 1 to {COUNT_LIMIT}")
        return cls(value)


class Strictness(StrEnum):
    """How well a paper has to fit before it is sent."""

    RELAXED = "relaxed"
    NORMAL = "normal"
    STRICT = "strict"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read one of the three names. Raises ValueError."""
        try:
            return cls(_folded(text))
        except ValueError:
            raise ValueError(f"{_named(text)} is no strictness; type relaxed, normal or strict") from None


def words_for_weekdays(digits: str) -> str:
    """Say ISO digits in words: "weekdays", "every day", "weekend", "Mon, Wed". `Weekdays.read` understands them."""
    if digits in _GROUPS:
        return _GROUPS[digits][0]
    return ", ".join(_DAYS[int(day) - 1][:3].title() for day in digits)


def short_zone(name: str) -> str:
    """Name a zone as people say it: "Europe/Berlin" is "Berlin". Zones of no place keep their whole name."""
    if name.startswith("Etc/"):  # Etc/GMT+5 is five hours behind: its last part alone would say the opposite
        return name
    return name.rsplit("/", 1)[-1].replace("_", " ")


def _folded(text: str) -> str:
    """Fold width, case, dashes, spaces, marks that are not seen, and the digits of all scripts."""
    wide = unicodedata.normalize("NFKC", text[:200]).translate(_DASHES).casefold()
    seen = (c for c in wide if unicodedata.category(c) not in ("Cf", "Cc", "Cs") or c.isspace())
    return " ".join("".join(str(unicodedata.decimal(c, c)) for c in seen).split())


def _plain(text: str) -> str:
    """Fold, and drop accents: "São Paulo" is "sao paulo"."""
    return "".join(c for c in unicodedata.normalize("NFKD", _folded(text)) if not unicodedata.combining(c))


def _named(text: str) -> str:
    shown = " ".join(text.split())
    return f"“{shown if len(shown) <= 40 else shown[:39] + '…'}”" if shown else "nothing"


def _either(choices: list[str]) -> str:
    return " or ".join(part for part in (", ".join(choices[:-1]), choices[-1]) if part)


def _span(part: str) -> set[int]:
    """Read one day or a range of days, which may go over Sunday: fri-mon. Raises ValueError."""
    if part in ("weekdays", "weekend", "weekends"):
        return {1, 2, 3, 4, 5} if part == "weekdays" else {6, 7}
    first, dash, last = part.partition("-")
    start = _day(first)
    end = _day(last) if dash else start
    return {(start - 1 + step) % 7 + 1 for step in range((end - start) % 7 + 1)}


def _day(word: str) -> int:
    """Read one day: its ISO digit, or two letters and more of its name. Raises ValueError."""
    word = word.rstrip(".")
    if word in ("1", "2", "3", "4", "5", "6", "7"):
        return int(word)
    for number, day in enumerate(_DAYS, 1):
        if len(word) >= 2 and (day.startswith(word) or word == f"{day}s"):
            return number
    raise ValueError(word)


@cache
def _zones() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the names by folded name, and those of real places by folded city."""
    known = sorted(available_timezones() - _NO_PLACES)
    cities: dict[str, tuple[str, ...]] = {}
    for name in known:
        if "/" in name and not name.startswith("Etc/"):
            city = name.rsplit("/", 1)[1].casefold()
            cities[city] = (*cities.get(city, ()), name)
    return {name.casefold(): name for name in known}, cities


def _near_zones(folded: str) -> list[str]:
    """Return up to three zones whose name or city is spelt nearly so, the nearest first."""
    names, cities = _zones()
    city = get_close_matches(folded[:64].rsplit("/", 1)[-1], list(cities), n=2, cutoff=0.75)
    near = get_close_matches(folded[:64], list(names), n=3, cutoff=0.7)
    here = [name for word in city for name in cities[word]]
    found = [names[name] for name in near]
    return list(dict.fromkeys(here + found if "/" in folded else found + here))[:3]

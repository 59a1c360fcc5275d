"""What people type about a digest: times, weekdays, zones, counts, gaps, how strict. Pure; knows no clock.

Each type reads typed text into its canonical form, or raises ValueError with what would be right. What it reads is a
plain str or int, ready to be stored; reading a canonical form gives it back.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from typing import ClassVar, Self
from zoneinfo import available_timezones

from bot.core.fold import WEEKDAYS, folded, named, plain, weekday

COUNT_LIMIT = 50  # papers in one digest
GAP_LIMIT = 31  # days between two digests
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d\d)|h)?\s*(?:([ap])\.?\s?m\.?)?")
_GAP = re.compile(r"(?:every )?(?:(\d{1,9})|an?|one)\s*(d|days?|w|wks?|weeks?|$)")
_OFFSET = re.compile(r"(?:utc|gmt|z)?\s*[+-]\s*\d{1,2}(?::?\d\d)?")
_GROUPS = {
    "12345": ("weekdays", "weekday", "workdays", "working days"),
    "1234567": ("every day", "everyday", "daily", "all"),
    "67": ("weekend", "weekends"),
}
_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})


class Time(str):
    """A local time of day, "HH:MM" on the 24-hour clock."""

    __slots__ = ()
    kind: ClassVar[str] = "time"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `9`, `9am`, `9:30 pm`, `09:00`, `9h30`, noon or midnight, in any script's digits. Raises ValueError."""
        words = folded(text)
        match = _TIME.fullmatch({"noon": "12:00", "midnight": "00:00"}.get(words, words))
        hour, minute = (int(match[1]), int(match[2] or 0)) if match else (24, 0)
        half = match[3] if match else None
        if half and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half == "p" else 0)
        elif half:
            hour = 24
        if hour > 23 or minute > 59:
            raise ValueError(f"{named(text)} is no time of day; type it as 09:00, 9am or 21:30")
        return cls(f"{hour:02}:{minute:02}")


class Weekdays(str):
    """Days of the week as ISO digits in order, Monday is 1: "12345"."""

    __slots__ = ()
    kind: ClassVar[str] = "days"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `weekdays`, `daily`, `weekend`, `Mon–Fri`, `1-5`, `mon,wed` or `sat`. Raises ValueError."""
        words = folded(text)
        groups = {name: digits for digits, names in _GROUPS.items() for name in names}
        if words in groups:
            return cls(groups[words])
        found: set[int] = set()
        try:
            if re.fullmatch(r"[1-7]{2,7}", words):
                found.update(map(int, words))
            else:
                for part in re.split(
                    r"[,;&+/\s]+", re.sub(r"\s*-\s*", "-", re.sub(r"\band\b", ",", words)).strip(" ,;")
                ):
                    found.update(_span(part))
        except ValueError:
            raise ValueError(
                f"{named(text)} is no day of the week; type weekdays, daily, weekend, Mon–Fri or mon,wed"
            ) from None
        return cls("".join(str(day) for day in sorted(found)))

    @property
    def words(self) -> str:
        """The days as people read them."""
        return words_for_weekdays(self)


class Zone(str):
    """An IANA time zone, as it is spelt there: "Europe/Berlin"."""

    __slots__ = ()
    kind: ClassVar[str] = "zone"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a zone's name, or a city that only one zone is named after, in any case. Raises ValueError."""
        words = plain(text).replace(" ", "_")
        names, cities = _zones()
        if words in names:
            return cls(names[words])
        if _OFFSET.fullmatch(words):
            raise ValueError(
                f"{named(text)} is an offset, which does not follow summer time; type a city, such as Europe/Berlin"
            )
        found = cities.get(words, ())
        if len(found) == 1:
            return cls(found[0])
        near = list(found) or _near_zones(words)
        hint = f"did you mean {_either(near)}?" if near else "type a city, such as Europe/Berlin, or UTC"
        raise ValueError(f"{named(text)} is {'more than one' if found else 'no'} time zone I know; {hint}")


class Count(int):
    """How many papers a digest has at most: 1 to 50."""

    kind: ClassVar[str] = "count"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a whole number from 1 to 50, in any script's digits. Raises ValueError."""
        words = folded(text)
        if not re.fullmatch(r"[+-]?\d+", words):
            raise ValueError(f"{named(text)} is no whole number; type one from 1 to {COUNT_LIMIT}")
        value = int(words[:12])  # longer ones are out of bounds however they go on
        if value < 1:
            raise ValueError(f"{named(text)} is too few; type a number from 1 to {COUNT_LIMIT}")
        if value > COUNT_LIMIT:
            raise ValueError(f"{named(text)} is too many; type a number from 1 to {COUNT_LIMIT}")
        return cls(value)


class Gap(int):
    """Days from one digest to the next at least, 0 to 31; 0 and 1 ask for nothing."""

    kind: ClassVar[str] = "count"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `3`, `3 days`, `3d`, `1 week`, `weekly` or `none`, in any script's digits. Raises ValueError."""
        words = {"none": "0", "no": "0", "daily": "1", "weekly": "7"}.get(folded(text), folded(text))
        match = _GAP.fullmatch(words)
        if not match or not (match[1] or match[2]):
            raise ValueError(f"{named(text)} is no number of days; type 3, 1 week or none")
        days = int(match[1] or 1) * (7 if match[2].startswith("w") else 1)
        if days > GAP_LIMIT:
            raise ValueError(f"{named(text)} is too long; type {GAP_LIMIT} days at most, or none")
        return cls(days)


class Strictness(StrEnum):
    """How well a paper has to fit before it is sent."""

    RELAXED = "relaxed"
    NORMAL = "normal"
    STRICT = "strict"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read one of the three names. Raises ValueError."""
        try:
            return cls(folded(text))
        except ValueError:
            raise ValueError(f"{named(text)} is no strictness; type relaxed, normal or strict") from None


def words_for_weekdays(digits: str) -> str:
    """Say ISO digits in words: "weekdays", "weekend", "Mon–Sat", "Mon, Wed". `Weekdays.read` understands them."""
    if digits in _GROUPS:
        return _GROUPS[digits][0]
    names = [WEEKDAYS[int(day) - 1][:3].title() for day in digits]
    if len(digits) > 2 and digits in "1234567":
        return f"{names[0]}–{names[-1]}"
    return ", ".join(names)


def short_zone(name: str) -> str:
    """Name a zone as people say it: "Europe/Berlin" is "Berlin". Zones of no place keep their whole name."""
    if name.startswith("Etc/"):  # Etc/GMT+5 is five hours behind: its last part alone would say the opposite
        return name
    return name.rsplit("/", 1)[-1].replace("_", " ")


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
    number = word.rstrip(".")
    return int(number) if number in ("1", "2", "3", "4", "5", "6", "7") else weekday(word)


@cache
def zones() -> frozenset[str]:
    """Return the names of all time zones that this machine knows; they are looked up on the disk once."""
    return frozenset(available_timezones())


@cache
def _zones() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the names by folded name, and those of real places by folded city."""
    known = sorted(zones() - _NO_PLACES)
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

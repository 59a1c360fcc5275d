"""What is offered while somebody types an argument: what needs nobody at once, all else by asking the core.

Discord waits three seconds and shows nothing of what comes later, so an answer that is late is an empty one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import cache

import structlog
from discord.app_commands import Choice

from bot.core.command import Arg, Command
from bot.core.fold import WEEKDAYS, folded, plain
from bot.core.message import fit
from bot.core.plain import visible
from bot.core.ports import Invoke
from bot.core.request import Request
from bot.core.typed import Time, Weekdays, Zone, words_for_weekdays, zones
from bot.platforms.discord.options import CHOICES, SHORT

log = structlog.get_logger()

PATIENCE = 2.0  # seconds for the core; the rest of Discord's three are for the way
Pair = tuple[str, str]  # a label, and the value that it stands for
_TIMES = [f"{hour:02}:{minute}" for minute in ("00", "30") for hour in range(24)]
_MORNING = _TIMES[6:23]  # whole hours, for those who typed nothing
_DAYS = ["weekdays", "daily", "weekend", "mon,wed,fri", "tue,thu", "Mon–Thu", *WEEKDAYS]
_USUAL_ZONES = (
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Paris",
    "Europe/Madrid",
    "Europe/Zurich",
    "Europe/Helsinki",
    "Europe/Istanbul",
    "Europe/Moscow",
    "Africa/Cairo",
    "Africa/Lagos",
    "Africa/Johannesburg",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Singapore",
    "Asia/Shanghai",
    "Asia/Seoul",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Sao_Paulo",
)


async def complete(
    invoke: Invoke, asks: Request, command: Command, arg: Arg, values: Mapping[str, str], typed: str
) -> list[Choice[str]]:
    """Return what to offer for an argument, 25 at most; nothing if the core is slow or fails. Never raises.

    `asks` says who and where, and nothing else; `values` is what stands in the other arguments.
    """
    try:
        local = _LOCAL.get(arg.kind)
        if local is not None:
            return choices(local(arg, typed))
        request = replace(
            asks, event="complete", command=command.name, text=arg.name, values={**values, arg.name: typed}
        )
        async with asyncio.timeout(PATIENCE), aclosing(invoke(request)) as answers:
            async for message in answers:
                return choices(message.choices)
    except TimeoutError:
        log.warning("nothing was offered in time", platform="discord", command=command.name, argument=arg.name)
    except Exception:
        log.exception("nothing could be offered", platform="discord", command=command.name, argument=arg.name)
    return []


def choices(pairs: Iterable[Pair]) -> list[Choice[str]]:
    """Return the first 25 as Discord takes them. A label is cut; a value never is: one that is too long is left out."""
    offered: dict[str, Choice[str]] = {}
    for label, value in pairs:
        name = fit(visible(label), SHORT)
        if name and visible(value) and len(value) <= SHORT:
            offered.setdefault(value, Choice(name=name, value=value))
        if len(offered) == CHOICES:
            break
    return list(offered.values())


def times(_arg: Arg, typed: str) -> list[Pair]:
    """Return times of day: what was typed, if it is one, and the hours and halves that begin so."""
    begun = folded(typed)
    read = _read(Time.read, typed)
    near = [time for time in _TIMES if time.startswith(begun) or time.lstrip("0").startswith(begun)]
    return [(time, time) for time in dict.fromkeys([*read, *(near if begun else _MORNING)])]


def days(_arg: Arg, typed: str) -> list[Pair]:
    """Return days of the week: what was typed, if it is some, and how it can go on."""
    head, comma, last = typed.rpartition(",")
    begun = folded(last)
    more = [day for day in (WEEKDAYS if comma else _DAYS) if plain(day).startswith(begun)]
    lines = [typed, *(f"{head}{comma}{day}" for day in more)]
    read = (words_for_weekdays(digits) for line in lines for digits in _read(Weekdays.read, line))
    return [(words, words) for words in dict.fromkeys(read)]


def time_zones(_arg: Arg, typed: str) -> list[Pair]:
    """Return time zones: what was typed, if it is one, then cities that begin so, then names that hold it."""
    begun = plain(typed).replace(" ", "_")
    if not begun:
        return [(zone, zone) for zone in _USUAL_ZONES if zone in zones()]
    known = _by_folded_name()
    cities = [zone for name, zone in known if name.rpartition("/")[2].startswith(begun)]
    names = [zone for name, zone in known if name.startswith(begun)]
    within = [zone for name, zone in known if begun in name]
    return [(zone, zone) for zone in dict.fromkeys([*_read(Zone.read, typed), *cities, *names, *within])]


def some(arg: Arg, typed: str) -> list[Pair]:
    """Return those of an argument's own values that hold what was typed: there are more than Discord shows at once."""
    begun = plain(typed)
    return [(value, value) for value in arg.choices if begun in plain(value)]


def _read(read: Callable[[str], str], text: str) -> list[str]:
    try:
        return [str(read(text))]
    except ValueError:
        return []


@cache
def _by_folded_name() -> tuple[Pair, ...]:
    real = (zone for zone in sorted(zones()) if ("/" in zone and not zone.startswith("Etc/")) or zone == "UTC")
    return tuple((zone.casefold(), zone) for zone in real)


_LOCAL: dict[str, Callable[[Arg, str], list[Pair]]] = {
    "time": times,
    "days": days,
    "zone": time_zones,
    "choice": some,
}

"""The doctor: one check after another, each with what was found and what to do about it. It changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError, available_timezones

import structlog

from bot.config import Settings
from bot.core.card import count
from bot.core.check import Check, size
from bot.errors import SetupError, StoreError
from bot.jobs.checkup import look_inside
from bot.store import health, migrate
from bot.store.engine import Store
from bot.store.library import Library

log = structlog.get_logger()

OURS = "paperround"  # the name of this distribution
_SCARCE, _FULL = 1e9, 1e8  # bytes free on the disk
_FEW_ZONES = 400  # the tz database has about 600

Opening = Callable[[], tuple[Store, Library]]


def examine(
    settings: Settings,
    url: str,
    open_: Opening,
    platforms: Callable[[], Mapping[str, Any]],
    now: Callable[[], datetime],
) -> list[Check]:
    """Look at everything, in order. What cannot be looked at is a check that is wrong, and the others go on.

    `open_` opens the database at `url` and the index; it is called only if the database is there and at this program's
    revision, since opening would make or change it. `platforms` loads what `credentials` looks at. `now` is this
    machine's time (aware).
    """
    first = _safely("database", lambda: migrations(url))
    inside: dict[str, Callable[[], Check]] = {}
    if first.verdict == "ok":
        try:
            store, library = open_()
        except StoreError as error:
            first = Check("database", "wrong", str(error))
        else:
            inside = {"database": lambda: database(store, url), "migrations": lambda: first}
            inside |= look_inside(store, library, settings, now)
    outside = {
        "time zones": time_zones,
        "platforms": lambda: credentials(platforms),
        "packages": packages,
        "disk": lambda: disk(settings.data_dir),
    }
    found = [_safely(name, check) for name, check in (inside | outside).items()]
    return found if inside else [first, *found]


def _safely(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except StoreError as error:
        return Check(name, "wrong", str(error))
    except Exception as error:
        log.exception("a check failed", check=name)
        line = f"it could not be looked at ({type(error).__name__})"
        return Check(name, "wrong", line, "The log says more; please report it.")


def migrations(url: str) -> Check:
    """See that the database is there and at this program's revision, without changing it."""
    if not health.is_there(url):
        line = f"there is none yet at {health.name(url)}"
        return Check("migrations", "look", line, "It is made by: paperround run, import or chat")
    found = health.revision(url)
    if found == migrate.HEAD:
        return Check("migrations", "ok", f"revision {found}, as this program needs it")
    if found is not None and found > migrate.HEAD:
        line = f"revision {found} is newer than this program, which knows {migrate.HEAD}"
        return Check("migrations", "wrong", line, "Install a newer Paperround, or name another database.")
    line = f"revision {found or 'none'}; this program will bring it to {migrate.HEAD} when it starts"
    return Check("migrations", "look", line, "Make a backup first, and stop bots of an older version.")


def database(store: Store, url: str) -> Check:
    """Say which database it is and how large."""
    with store.reading() as conn:
        bytes_ = health.size(conn)
    kind = "PostgreSQL" if store.dialect == "postgresql" else "SQLite"
    return Check("database", "ok", f"{kind}, {size(bytes_)}: {health.name(url)}")


def time_zones() -> Check:
    """See that the time zone data are there and not too old: the clock changes of 2026 in Berlin are right."""
    try:
        release = f"tzdata {version('tzdata')}"
    except PackageNotFoundError:
        release = "without the package tzdata"
    names = available_timezones()
    system = "the system's first" if any(Path(path).is_dir() for path in TZPATH) else "the system has none"
    line = f"{len(names):,} zones, {release} ({system})"
    if len(names) >= _FEW_ZONES and berlin_is_right():
        return Check("time zones", "ok", line)
    return Check("time zones", "wrong", f"{line}: zones are missing or wrong", "pip install --upgrade tzdata")


def berlin_is_right() -> bool:
    """Say whether Berlin's clocks change at 01:00 UTC on 29 March and 25 October 2026, as the tz database has it."""
    try:
        zone = ZoneInfo("Europe/Berlin")
    except ZoneInfoNotFoundError:
        return False
    second, hour = timedelta(seconds=1), timedelta(hours=1)
    spring, autumn = datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)
    wanted = {spring - second: hour, spring: 2 * hour, autumn - second: 2 * hour, autumn: hour}
    return all(at.astimezone(zone).utcoffset() == offset for at, offset in wanted.items())


def credentials(platforms: Callable[[], Mapping[str, Any]]) -> Check:
    """See which platforms have what they need to sign in, by name; values are never told.

    A platform tells it by an attribute `credentials`: whether each is set, by its name. `platforms` loads them; the
    ones that are made when the bot starts are made here too.
    """
    told: dict[str, str] = {}
    ill = []
    loaded = platforms()
    for name, make in loaded.items():
        try:
            known = _credentials_of(make)
        except SetupError as error:
            ill.append(name)
            told[name] = str(error)
            continue
        if not all(known.values()):
            ill.append(name)
        told[name] = ", ".join(f"{what} {'set' if there else 'missing'}" for what, there in known.items())
    details = tuple(f"{name}: {line or 'needs none'}" for name, line in told.items())
    line = f"{count(len(loaded), 'platform')} beside the terminal"
    if not ill:
        return Check("platforms", "ok", line, "", details)
    todo = f"Set in the environment what is missing for {', '.join(ill)}."
    return Check("platforms", "look", line, todo, details)


def _credentials_of(platform: Any) -> Mapping[str, bool]:
    known = getattr(platform, "credentials", None)
    if not isinstance(known, Mapping) and callable(platform):
        known = getattr(platform(), "credentials", None)
    return known if isinstance(known, Mapping) else {}


def packages(homes: Mapping[str, list[str]] | None = None) -> Check:
    """See whether another distribution brings a package named as ours; `homes` are the installed ones, by package."""
    homes = packages_distributions() if homes is None else homes
    others = sorted({other for name in ("bot", "recommender") for other in homes.get(name, [])} - {OURS})
    if not others:
        return Check("packages", "ok", "no other distribution brings a package named bot or recommender")
    line = f"{', '.join(others)} brings a package of the same name, so that files of both lie in one folder"
    return Check("packages", "wrong", line, "Install Paperround into a virtual environment of its own.")


def disk(folder: Path) -> Check:
    """See how much room is left in the data folder, or where it will be."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    line = f"{size(free)} free in {folder}"
    if free >= _SCARCE:
        return Check("disk", "ok", line)
    return Check("disk", "wrong" if free < _FULL else "look", line, "Make room, or set PAPERROUND_DATA_DIR elsewhere.")

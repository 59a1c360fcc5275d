"""The doctor's look at this machine: time zone data, other packages of our names, room on the disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.core.check import Check, size

OURS = "paperround"  # the name of this distribution
_SCARCE, _FULL = 1e9, 1e8  # bytes free on the disk
_FEW_ZONES = 400  # the tz database has about 600


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
    if not os.access(there, os.W_OK):  # False for a disk that is read-only, too
        todo = "See whose the folder is, and whether its disk is read-only. Until then the index is kept in memory."
        return Check("disk", "wrong", f"{line}, which cannot be written", todo)
    if free >= _SCARCE:
        return Check("disk", "ok", line)
    return Check("disk", "wrong" if free < _FULL else "look", line, "Make room, or set PAPERROUND_DATA_DIR elsewhere.")

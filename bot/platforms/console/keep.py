"""What a terminal takes from the system: a place for files, and the time zone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.core.message import File
from bot.core.typed import Zone

_TRIES = 100  # names tried beside files that are there


def save(file: File, folder: Path) -> Path:
    """Write a file into a folder, for its owner only and never over another. Raises OSError."""
    base = re.sub(r"[^\w.-]+", "-", Path(file.name).name).lstrip(".-")[-100:] or "paperround-file"
    stem, suffix = Path(base).stem, Path(base).suffix
    for number in range(1, _TRIES + 1):
        path = folder / (base if number == 1 else f"{stem}-{number}{suffix}")
        with suppress(FileExistsError):
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(file.content)
            return path
    raise FileExistsError(f"{folder} has {_TRIES} files of this name")


def system_zone(root: Path = Path("/etc")) -> str:
    """Return the system's IANA time zone, or nothing if it cannot be told."""
    for name in _zone_names(root):
        with suppress(ValueError):
            zone = Zone.read(name)
            now = datetime.now(UTC)
            if (
                now.astimezone(ZoneInfo(zone)).utcoffset() == now.astimezone().utcoffset()
            ):  # the process may be elsewhere
                return "UTC" if zone == "Etc/UTC" else str(zone)
    return ""


def _zone_names(root: Path) -> Iterator[str]:
    with suppress(OSError):
        yield (root / "localtime").resolve().as_posix().rpartition("zoneinfo/")[2].removeprefix("posix/")
    with suppress(OSError, UnicodeDecodeError):
        yield (root / "timezone").read_text().strip()

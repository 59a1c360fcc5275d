"""Arrays on disk: written once, checksummed, mapped for reading, never pickled; one manifest switched at once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FORMAT = 4
"""Version of everything under the folder; another one is rebuilt, never read."""

_CURRENT, _LOCK, _PROBE = "CURRENT", "LOCK", "PROBE"


class DamagedError(Exception):
    """A file of the index is missing, cut, changed or foreign; the text says which and how."""


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file, read in pieces so that it does not stay mapped."""
    value = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            value = zlib.crc32(piece, value)
    return value


def write(folder: Path, prefix: str, arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, int]:
    """Write arrays as `<prefix>.<name>.npy` and return their checksums by name.

    Files are not flushed to the platter: the database is the truth, and the checksum tells after a power cut.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sums: dict[str, int] = {}
    for name, array in arrays.items():
        path = folder / f"{prefix}.{name}.npy"
        np.save(path, np.ascontiguousarray(array), allow_pickle=False)
        sums[name] = _checksum(path)
    return sums


def read(
    folder: Path, prefix: str, sums: Mapping[str, int], dtypes: Mapping[str, str]
) -> dict[str, NDArray[np.generic]]:
    """Map the arrays that `write` wrote.

    Raises DamagedError if one is missing, differs from its checksum, holds objects or is not of its dtype.
    """
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, dtype in dtypes.items():
        path = folder / f"{prefix}.{name}.npy"
        try:
            if _checksum(path) != sums[name]:
                raise DamagedError(f"{path.name}: the checksum differs")
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except KeyError:
            raise DamagedError(f"{path.name}: not in the manifest") from None
        except FileNotFoundError:
            raise DamagedError(f"{path.name}: missing") from None
        except (OSError, ValueError, EOFError) as error:
            raise DamagedError(f"{path.name}: {error}") from None
        if array.dtype != np.dtype(dtype):
            raise DamagedError(f"{path.name}: holds {array.dtype}, not {dtype}")
        arrays[name] = array.view(np.ndarray)
    return arrays


def write_manifest(folder: Path, body: Mapping[str, object]) -> None:
    """Switch the folder to a new manifest in one step; readers see the old one or the new one."""
    text = json.dumps(body, sort_keys=True)
    whole = json.dumps({"format": FORMAT, "crc": zlib.crc32(text.encode()), "body": text})
    fresh = folder / f"{_CURRENT}.new"
    fresh.write_text(whole, encoding="utf-8")
    os.replace(fresh, folder / _CURRENT)  # noqa: PTH105  the step that must be atomic, by its POSIX name


def read_manifest(folder: Path) -> dict[str, object] | None:
    """Return the current manifest, or None if there is none yet.

    Raises DamagedError if it cannot be read, differs from its checksum or is of another format.
    """
    try:
        whole = json.loads((folder / _CURRENT).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedError(f"{_CURRENT}: {error}") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise DamagedError(f"{_CURRENT}: not of format {FORMAT}")
    text = whole.get("body")
    if not isinstance(text, str) or zlib.crc32(text.encode("utf-8", "surrogatepass")) != whole.get("crc"):
        raise DamagedError(f"{_CURRENT}: the checksum differs")
    body = json.loads(text)
    if not isinstance(body, dict):
        raise DamagedError(f"{_CURRENT}: holds no manifest")
    return body


def next_generation(folder: Path) -> int:
    """Return a number that no generation under the folder has used."""
    used = [int(path.name) for path in folder.glob("*") if path.name.isdecimal()] if folder.is_dir() else []
    return max(used, default=0) + 1


def sweep(folder: Path, generation: int, prefixes: set[str]) -> None:
    """Remove what the current manifest no longer names; mappings that readers hold stay valid (POSIX)."""
    for path in folder.glob("*"):
        if path.name.isdecimal() and int(path.name) != generation:
            shutil.rmtree(path, ignore_errors=True)
    for path in (folder / str(generation)).glob("*.npy"):
        if path.name.split(".")[0] not in prefixes:
            path.unlink(missing_ok=True)


def busy(folder: Path) -> bool:
    """Say whether somebody is writing in the folder just now."""
    try:
        with (folder / _LOCK).open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no such folder, or none that can be written: nobody writes there
        return False
    return False


def writable(folder: Path) -> bool:
    """Say whether something can be written in the folder, which is made if it is missing."""
    probe = folder / _PROBE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(bytes(4096))
        probe.unlink()
    except OSError:
        return False
    return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's one writer lock; waits for another writer. The lock goes with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

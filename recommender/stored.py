"""What an index is made of, and how it goes to disk and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from recommender import basis, files, segment
from recommender.basis import Basis
from recommender.segment import Segment

_DEAD = {"dead": "int64"}
_TRIES = 5
_MERGE = 2
"""A segment at most this many times as long as its successor is merged with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A segment in its place: its first row and first column; its files' prefix and checksums once it is stored."""

    data: Segment
    row: int
    column: int
    prefix: str = ""
    sums: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """Everything that an index keeps. `fitted` is the number of rows at the last fit, `dead` are removed rows.

    `serial` numbers the files of a generation, so that no name is used twice; `manifest` is what stands on disk.
    """

    generation: int
    last: int = 0
    fitted: int = 0
    serial: int = 0
    dead: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    basis: Basis = field(default_factory=basis.empty)
    basis_entry: tuple[str, Mapping[str, int]] = ("", {})
    manifest: Mapping[str, object] | None = None


def compact(parts: list[Part]) -> None:
    """Merge the last segments, in place, so that their number stays logarithmic, and so what each paper costs."""
    while len(parts) > 1 and len(parts[-2].data) <= _MERGE * len(parts[-1].data):
        parts[-2:] = [replace(parts[-2], data=segment.merge([part.data for part in parts[-2:]]), prefix="")]


def load(folder: Path) -> State:
    """Map the index in a folder; a folder without one gives an empty state.

    A generation that a writer removes meanwhile is looked up again. Raises DamagedError, which says what is wrong.
    """
    for _ in range(_TRIES):
        manifest = files.read_manifest(folder)
        if manifest is None:
            return State(files.next_generation(folder))
        try:
            return _load(folder, manifest)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise files.DamagedError(f"CURRENT: {type(error).__name__}: {error}") from None
        except files.DamagedError:
            if files.read_manifest(folder) == manifest:
                raise
    raise files.DamagedError("CURRENT: changed too often while it was read")


def _load(folder: Path, manifest: Mapping[str, object]) -> State:
    generation, counters = int(str(manifest["generation"])), manifest["counters"]
    place = folder / str(generation)
    state = State(generation, manifest=manifest)
    state.last, state.fitted, state.serial = (int(value) for value in counters)  # type: ignore[attr-defined]
    row = column = 0
    for prefix, sums in manifest["segments"]:  # type: ignore[attr-defined]
        data = Segment(**files.read(place, prefix, sums, segment.DTYPES))  # type: ignore[arg-type]
        if not data.sound():
            raise files.DamagedError(f"{prefix}: its arrays do not belong together")
        state.parts.append(Part(data, row, column, prefix, sums))
        row, column = row + len(data), column + len(data.hashes)
    prefix, sums = manifest["basis"]  # type: ignore[misc]
    if prefix:
        state.basis = Basis(**files.read(place, prefix, sums, basis.DTYPES))  # type: ignore[arg-type]
        state.basis_entry = (prefix, sums)
    prefix, sums = manifest["dead"]  # type: ignore[misc]
    if prefix:
        state.dead = files.read(place, prefix, sums, _DEAD)["dead"].tolist()
    return state


def save(folder: Path, state: State) -> State:
    """Store what is new, switch the manifest, remove what it no longer names and map what was stored.

    The caller holds the lock. Raises OSError if the folder cannot be written; the old manifest then stands.
    """
    place = folder / str(state.generation)
    state = replace(state, parts=[*state.parts])

    def put(arrays: Mapping[str, object]) -> tuple[str, dict[str, int]]:
        state.serial += 1
        prefix = f"{state.serial:06d}"
        return prefix, files.write(place, prefix, arrays)  # type: ignore[arg-type]

    for at, part in enumerate(state.parts):
        if not part.prefix:
            prefix, sums = put(part.data.arrays())
            mapped = files.read(place, prefix, sums, segment.DTYPES)
            state.parts[at] = replace(part, data=Segment(**mapped), prefix=prefix, sums=sums)  # type: ignore[arg-type]
    if state.basis.k and not state.basis_entry[0]:
        state.basis_entry = put(state.basis.arrays())
        state.basis = Basis(**files.read(place, *state.basis_entry, basis.DTYPES))  # type: ignore[arg-type]
    dead = put({"dead": np.array(state.dead, np.int64)}) if state.dead else ("", {})
    state.manifest = {
        "generation": state.generation,
        "counters": [state.last, state.fitted, state.serial],
        "segments": [[part.prefix, dict(part.sums)] for part in state.parts],
        "basis": [state.basis_entry[0], dict(state.basis_entry[1])],
        "dead": list(dead),
    }
    files.write_manifest(folder, state.manifest)
    files.sweep(folder, state.generation, {part.prefix for part in state.parts} | {state.basis_entry[0], dead[0]})
    return state

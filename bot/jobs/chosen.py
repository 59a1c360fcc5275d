"""Sources as an administrator chose them: from specs, such as arxiv:cs.CL, to what is asked. Pure.

A kind of sources is the `source` of a module. It may have more than the port says:

- `pick(chosen, settings) -> Sequence[Source]`: the sources of what was chosen of it, each a text (`cs.CL`; empty for
  the kind by itself). Raises SettingsError, which names what cannot be; it does not touch the network.
- `async check(chosen, http) -> str`: asks the network once, when something is added, and tells how it is called.
  Raises UsageError or SourceError.
- `finds` (namespaces of ids), `find`, `look`: for lookups, see `bot.jobs.reach`.
- `about` and `needs`: a line each, on what it is and what an administrator has to have.

A kind that can neither be picked nor be looked up in, as a plug-in may have, is asked without being chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from bot.core.fold import named
from bot.core.ports import Source
from bot.core.specs import parts
from bot.errors import SettingsError

BY_HAND = "local"  # papers of files are imported by hand


def chosen(kinds: Mapping[str, Any], specs: Iterable[str], settings: Any) -> dict[str, Source]:
    """Return what is to be asked, by name. Raises SettingsError, which names the spec that cannot be."""
    wanted: dict[str, list[str]] = {}
    for spec in dict.fromkeys(specs):
        wanted.setdefault(_kind(kinds, spec), []).append(parts(spec)[1])
    made = {name: kind for name, kind in kinds.items() if _always(name, kind)}
    for name, what in wanted.items():
        for source in kinds[name].pick(what, settings):
            made[_free(made, source.name)] = source
    return made


def usable(kinds: Mapping[str, Any], specs: Iterable[str], settings: Any) -> tuple[dict[str, Source], dict[str, str]]:
    """Return what is to be asked, by name, and of each spec that cannot be (any more) the reason."""
    good: list[str] = []
    bad: dict[str, str] = {}
    for spec in dict.fromkeys(specs):
        try:
            chosen(kinds, [spec], settings)
            good.append(spec)
        except SettingsError as error:
            bad[spec] = str(error)
    return chosen(kinds, good, settings), bad


def members(kinds: Mapping[str, Any], specs: Sequence[str], settings: Any) -> dict[str, list[str]]:
    """Return, by name, what is to be asked, with the specs that it comes from. What cannot be is left out."""
    found: dict[str, list[str]] = {name: [] for name in usable(kinds, specs, settings)[0]}
    for spec in specs:
        for name in usable(kinds, [spec], settings)[0]:
            if name in found and not _always(name, kinds.get(name)):
                found[name].append(spec)
    return found


def pickable(kinds: Mapping[str, Any]) -> list[str]:
    """Return the names of the kinds of which something can be chosen."""
    return sorted(name for name, kind in kinds.items() if hasattr(kind, "pick"))


def _kind(kinds: Mapping[str, Any], spec: str) -> str:
    name, _ = parts(spec)
    can = pickable(kinds)
    if name in can:
        return name
    if name == BY_HAND:
        raise SettingsError("local: papers of files are brought in by hand, with: paperround import FILE")
    if name in kinds and _always(name, kinds[name]):
        raise SettingsError(f"{name}: this source is asked in any case, so it cannot be chosen.")
    if name in kinds:
        raise SettingsError(f"{name}: papers are looked up there, and nothing of it can be chosen.")
    near = get_close_matches(name, can, 1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(can) or 'none'}"
    raise SettingsError(f"{named(name)} is no kind of source. {hint}")


def _always(name: str, kind: Any) -> bool:
    return name != BY_HAND and kind is not None and not any(hasattr(kind, one) for one in ("pick", "finds", "look"))


def _free(taken: Mapping[str, Any], name: str) -> str:
    """Return a name that no other source has: two feeds of one host may be called the same."""
    numbered = (name if turn == 1 else f"{name} ({turn})" for turn in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)

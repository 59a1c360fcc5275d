"""Choosing sources at a terminal: looked at before it is kept, so that what cannot be is refused by name at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from bot.core.fold import named
from bot.core.plain import plain
from bot.core.specs import parts, read_spec
from bot.core.standing import NONE_CHOSEN, TO_CHOOSE, called, standing, waiting
from bot.errors import SettingsError, SourceError, UsageError
from bot.jobs.chosen import chosen, members, pickable, usable
from bot.store import chosen as rows
from bot.store import sources
from bot.store.engine import Store


@dataclass(frozen=True, slots=True)
class Choices:
    """What an administrator can choose from, where it is kept, and the client by which sources are asked."""

    store: Store
    kinds: Mapping[str, Any]
    settings: Any
    http: Any = None

    async def add(self, typed: Sequence[str]) -> list[str]:
        """Choose all of these, each asked first whether it is there, and say a line on each.

        None is kept if one cannot be. Raises UsageError, SettingsError or SourceError, which name it.
        """
        specs = list(dict.fromkeys(map(_spec, typed)))
        there = await self.store.read(specs_of, self.settings)
        names = {spec: await self._looked_at(spec) for spec in specs if spec not in there}

        def keep(conn: Any) -> None:
            now = self.store.clock(conn)
            for spec, name in names.items():
                rows.add(conn, spec, name, now)
                for source in chosen(self.kinds, [spec], self.settings):
                    sources.hasten(conn, source)

        await self.store.write(keep)
        return [f"{plain(names[spec])}: added" if spec in names else f"{spec}: it is chosen already" for spec in specs]

    async def remove(self, typed: Sequence[str]) -> list[str]:
        """Choose these no more, and say a line on each. Raises UsageError, which names what is not chosen."""
        specs = list(dict.fromkeys(map(_spec, typed)))
        kept = [one.spec for one in await self.store.read(rows.all)]
        for spec in specs:
            if spec in _in_settings(self.settings):
                raise UsageError(f"{spec} stands in the setting PAPERROUND_SOURCES: take it out there.")
            if spec not in kept:
                near = get_close_matches(spec, kept, 1)
                raise UsageError(
                    f"{named(spec)} is not chosen. " + (f"Did you mean {near[0]}?" if near else _chosen(kept))
                )

        def drop(conn: Any) -> None:
            for spec in specs:
                rows.remove(conn, spec)
            left = members(self.kinds, specs_of(conn, self.settings), self.settings)
            for source in members(self.kinds, specs, self.settings).keys() - left.keys():
                sources.retire(conn, source)

        await self.store.write(drop)
        return [f"{spec}: removed. Its papers stay." for spec in specs]

    def lines(self) -> list[str]:
        """Say of each source how it does (times are in UTC), and what is chosen and cannot be asked."""
        with self.store.reading() as conn:
            now, states, specs = self.store.clock(conn), sources.all(conn), specs_of(conn, self.settings)
        asked = [state for state in states if state.asked_at]
        said = [f"{called(state.name, specs)}: {standing(state, 'UTC', now)}" for state in asked]
        refused = usable(self.kinds, specs, self.settings)[1]
        said += [f"{spec}: not asked yet" for spec in waiting(specs, asked) if spec not in refused]
        said += [f"{spec}: it cannot be asked: {why}" for spec, why in refused.items()]
        return said or [f"{NONE_CHOSEN[0].upper()}{NONE_CHOSEN[1:]}. Choose one: {TO_CHOOSE}", *self._kinds()]

    def _kinds(self) -> list[str]:
        about = [(name, getattr(self.kinds[name], "about", "")) for name in pickable(self.kinds)]
        return [f"  {name}: {said}" if said else f"  {name}" for name, said in about]

    async def _looked_at(self, spec: str) -> str:
        """Return how a source is called, once it said so itself, if it can."""
        kind, what = parts(spec)
        chosen(self.kinds, [spec], self.settings)
        keyed = getattr(self.kinds[kind], "keyed", None)
        check = getattr(keyed(self.settings) if keyed else self.kinds[kind], "check", None)
        try:
            name = str(await check(what, self.http)) if check else ""
        except SourceError as error:
            raise SettingsError(f"{spec}: {str(error).rstrip('.')}. Nothing was added.") from error
        except UsageError as error:
            raise UsageError(f"{spec}: {error}") from error
        return name or called(kind, [spec])


async def choose(what: str, specs: Sequence[str], choices: Choices) -> list[str]:
    """Do what was typed behind `paperround sources`, and let go of the client. Raises UsageError and SettingsError."""
    try:
        if not what and not specs:
            return await asyncio.to_thread(choices.lines)
        if what not in ("add", "remove") or not specs:
            raise UsageError(f"Type paperround sources, or sources add or remove and which: {TO_CHOOSE}")
        return await (choices.add(specs) if what == "add" else choices.remove(specs))
    finally:
        await choices.http.close()


def specs_of(conn: Any, settings: Any) -> list[str]:
    """Return all that is chosen: what the settings name, then what was added, in that order."""
    return rows.specs(conn, settings.sources)


def _in_settings(settings: Any) -> list[str]:
    return settings.sources.split(",") if settings.sources else []


def _chosen(specs: Sequence[str]) -> str:
    return f"Chosen are: {', '.join(specs)}" if specs else "Nothing is."


def _spec(typed: str) -> str:
    """Read one. Raises UsageError."""
    try:
        return read_spec(typed)
    except ValueError as error:
        raise UsageError(f"{error}.") from None

"""The way out: one client for all sources, those that are asked by and by, and lookups that reach out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.config import Settings
from bot.core.ports import Embedder, Source
from bot.jobs.chosen import chosen, usable
from bot.jobs.keeper import keeper
from bot.jobs.reach import Reach
from bot.plugins import load
from bot.sources._http import Client
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Outside:
    """What is there of it in one process: for one event loop. `kinds` are the kinds of sources, by module name.

    `sources` are asked in any case; `reach` is None where lookups are switched off.
    """

    settings: Settings
    http: Client
    kinds: Mapping[str, Any]
    sources: Mapping[str, Source]
    reach: Reach | None
    vectors: Vectors | None = None

    @classmethod
    def open(cls, settings: Settings, store: Store, library: Library) -> Outside:
        """Load the sources, without touching the network. Raises SettingsError for what the settings choose wrongly."""
        http = Client(settings.contact)
        kinds = load("bot.sources", "source")
        chosen(kinds, settings.sources.split(",") if settings.sources else [], settings)
        able = {name: _keyed(kind, settings) for name, kind in kinds.items()}
        reach = Reach(able, http, keeper(store, library)) if settings.lookups else None
        return cls(settings, http, kinds, chosen(kinds, [], settings), reach, library.vectors)

    def choose(self, specs: Sequence[str]) -> tuple[Mapping[str, Source], Mapping[str, str]]:
        """Return what is to be asked of these specs, by name, and of each that cannot be the reason."""
        return usable(self.kinds, specs, self.settings)

    async def close(self) -> None:
        """Give up what is at work, and let go of all connections."""
        if self.reach is not None:
            await self.reach.close()
        if self.vectors is not None:
            await self.vectors.embedder.close()
        await self.http.close()


def vectors_of(settings: Settings, store: Store) -> Vectors | None:
    """Return the dense vectors of the model that the settings name, without reading any. Raises SettingsError."""
    found = embedder_of(settings)
    return None if found is None else Vectors(store, found)


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the embedder that the settings name, with a client of its own. Raises SettingsError.

    That client may ask whom it likes, since the address is the administrator's: often it is this machine.
    """
    if not settings.embedder:
        return None
    http = Client(settings.contact, pace={}, private=True)
    made = (kind.open(settings, http) for kind in load("bot.embedders", "embedder").values())
    return next((one for one in made if one is not None), None)


def _keyed(kind: Any, settings: Settings) -> Any:
    """Return a kind of source with the administrator's key, where it takes one."""
    keyed = getattr(kind, "keyed", None)
    return keyed(settings) if keyed else kind

"""The way out: one client for all sources, those that are asked by and by, and lookups that reach out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.config import Settings
from bot.core.ports import Source
from bot.jobs.reach import Reach, keeper
from bot.plugins import load
from bot.sources._http import Client
from bot.store.engine import Store
from bot.store.library import Library

FILES = "local"  # the source of what is imported: nobody asks it


@dataclass(frozen=True, slots=True)
class Outside:
    """What is there of it in one process: for one event loop. `reach` is None where lookups are switched off."""

    http: Client
    sources: Mapping[str, Source]
    reach: Reach | None

    @classmethod
    def open(cls, settings: Settings, store: Store, library: Library) -> Outside:
        """Load the sources, without touching the network. Raises SettingsError."""
        http = Client(getattr(settings, "contact", ""))
        kinds = {name: _keyed(kind, settings) for name, kind in load("bot.sources", "source").items() if name != FILES}
        reach = Reach(kinds, http, keeper(store, library)) if settings.lookups else None
        return cls(http, {}, reach)

    async def close(self) -> None:
        """Give up what is at work, and let go of all connections."""
        if self.reach is not None:
            await self.reach.close()
        await self.http.close()


def _keyed(kind: Any, settings: Settings) -> Any:
    """Return a kind of source with the administrator's key, where it takes one."""
    keyed = getattr(kind, "keyed", None)
    return keyed(settings) if keyed else kind

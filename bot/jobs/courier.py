"""The digests of whoever sits at a terminal: planned and shown while it is open, and only there."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket

import structlog

from bot.config import Settings
from bot.core.ports import Platform
from bot.core.timing import Timing
from bot.errors import StoreError
from bot.jobs.plan import Planner
from bot.jobs.send import Sender
from bot.store.engine import Store
from bot.store.library import Library

EVERY = 5.0  # seconds
CLOSE_WITHIN = 5.0  # seconds

log = structlog.get_logger()


class Courier:
    """Brings the digests of one person, and of a channel, to one platform.

    No running bot serves the terminal, so nobody is in its way.
    """

    def __init__(
        self, store: Store, library: Library, settings: Settings, platform: Platform, user: str, channel: str = ""
    ) -> None:
        name = f"{socket.gethostname()[:50]}:{os.getpid()}:{secrets.token_hex(2)}"
        self._planner = Planner(store, library, settings, [platform.name])
        self._sender = Sender(
            store,
            {platform.name: platform},
            Timing(settings.lease_seconds),
            name,
            user=user,
            channel=channel,
            command=settings.command,
            allows=settings.allows,
        )

    async def bring(self) -> None:
        """Plan what is due, and show what is there for this person. Raises StoreError."""
        await self._planner.tick()
        await self._sender.tick()
        await self._sender.idle()

    async def keep_bringing(self) -> None:
        """Do so again and again, until cancelled."""
        while True:
            try:
                await self.bring()
            except StoreError as error:
                log.error("digests cannot be brought; it is tried again", reason=str(error))
            await asyncio.sleep(EVERY)

    async def close(self) -> None:
        """Finish what is being shown."""
        self._planner.stopping = True
        await self._sender.drain(CLOSE_WITHIN)

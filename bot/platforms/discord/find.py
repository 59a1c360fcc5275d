"""Looking for our own messages in the history, by the mark in their components."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import discord

from bot.core.request import Address, Receipt
from bot.errors import DeliveryError, Unknown
from bot.platforms.discord import forum
from bot.platforms.discord.client import Client
from bot.platforms.discord.codes import verdict
from bot.platforms.discord.marks import is_marked
from bot.platforms.discord.places import Places

PAGE = 100  # messages: the most that Discord tells at once
PAGES = 30  # read by one look; one that needs more is gone on with at the next call
KEPT = 1000  # looks that are gone on with

NOT_ALLOWED = "I may not read the history there (View Channel, Read Message History), so nobody can tell."


class Looks:
    """Looks into histories of channels and forums."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._read: dict[tuple[int, str], int] = {}  # how far, as the id of a message

    async def find(self, client: Client, to: Address, channel: int, key: str, since: datetime) -> Receipt | None:
        """Return the message of `key` in a channel since then, or None if it is not there. Raises Unknown.

        Without the permission to read it Discord says that the history is empty, so "not there" needs a look at that.
        """
        try:
            kind = await self._places.channel(to) if to.channel else None
            if isinstance(kind, discord.ForumChannel):
                found = await forum.find(client, kind, key, since)
            else:
                found = await self._in_history(client, channel, key, since)
            allowed = found is not None or not to.channel or await self._places.may_read(to)
        except Unknown:
            raise
        except Exception as error:
            reason = error if isinstance(error, DeliveryError) else verdict(error)
            raise Unknown(f"The channel could not be looked at: {reason}") from error
        if not allowed:
            raise Unknown(NOT_ALLOWED)
        return found

    async def _in_history(self, client: Client, channel: int, key: str, since: datetime) -> Receipt | None:
        me, look = str(client.user.id) if client.user else "", (channel, key)
        after = self._read.pop(look, discord.utils.time_snowflake(since))
        for _ in range(PAGES):
            page: list[Any] = await client.http.logs_from(channel, PAGE, after=after)
            for message in page:
                if message["author"]["id"] == me and is_marked(message.get("components") or (), key):
                    return forum.receipt(int(message["id"]), channel)
            if len(page) < PAGE:
                return None
            after = max(int(message["id"]) for message in page)
        if len(self._read) >= KEPT:
            del self._read[next(iter(self._read))]
        self._read[look] = after
        raise Unknown("The history is long: the rest of it is read later.")

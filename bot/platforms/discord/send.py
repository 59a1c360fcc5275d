"""Messages that nobody asked for just now: posted once, with a nonce and a mark, and looked for if no answer came."""

from __future__ import annotations

import asyncio
import io
from datetime import datetime

import discord

from bot.core.message import File, Message
from bot.core.ports import Limits
from bot.core.request import Address, Receipt
from bot.errors import DeliveryError, Refused, Retry, Uncertain, Unknown
from bot.platforms.discord import forum
from bot.platforms.discord.client import Client, Link
from bot.platforms.discord.codes import NOT_TEXT, one_message, verdict
from bot.platforms.discord.find import Looks
from bot.platforms.discord.marks import nonce_of
from bot.platforms.discord.places import Places, number_of
from bot.platforms.discord.render import components_of
from bot.platforms.discord.shown import view_of

PLATFORM = "discord"
LIMITS = Limits(a_second=49.0, to_one=1.0)
"""Discord takes 50 requests a second from a bot, of which one is left for others, and 5 messages in 5 s a channel."""
MOST_DIRECT = 50_000  # conversations with one person that are remembered
OPENED_A_SECOND = 5.0  # of them, since Discord is wary of bots that open many
LONGEST_WAIT = 10.0  # seconds to stand in line for that
NOBODY = discord.AllowedMentions.none()


class Post:
    """Sends and finds. `places` tells of channels; without it, it asks by itself."""

    def __init__(self, link: Link, places: Places | None = None) -> None:
        self._link = link
        self._places = places or Places(link)
        self._looks = Looks(self._places)
        self._direct: dict[str, int] = {}
        self._forums: set[str] = set()
        self._next = 0.0  # when the next direct message may be opened, as the loop's time

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Post one message. Raises Retry, Refused or Uncertain."""
        client = await self._link.ready()
        if to.channel in self._forums:
            return await self._posted(client, to, message, key)
        channel = await self.channel_of(to)
        try:
            with one_message():
                sent = await channel.send(
                    view=view_of(components_of(message, key=key)),
                    nonce=nonce_of(key),
                    allowed_mentions=NOBODY,
                    suppress_embeds=True,
                )
        except Refused as error:
            asked = error.__cause__
            if not (to.channel and isinstance(asked, discord.HTTPException) and asked.code in NOT_TEXT):
                raise
            return await self._posted(client, to, message, key)
        return forum.receipt(sent.id, channel.id)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Say whether the message of `key` is there since then. Raises Unknown if it cannot look."""
        try:
            client, channel = await self._link.ready(), await self._channel(to)
        except DeliveryError as error:
            raise Unknown(f"The channel could not be looked at: {error}") from error
        return await self._looks.find(client, to, channel, key, since)

    async def file(self, to: Address, file: File) -> None:
        """Send a file. Raises Retry, Refused or Uncertain."""
        channel = await self.channel_of(to)
        with one_message():
            await channel.send(file=discord.File(io.BytesIO(file.content), file.name), allowed_mentions=NOBODY)

    async def channel_of(self, to: Address) -> discord.PartialMessageable:
        """Return where to post; a direct message is opened. Raises Retry or Refused."""
        client, guild = await self._link.ready(), number_of(to.workspace) if to.channel else 0
        return client.get_partial_messageable(await self._channel(to), guild_id=guild or None)

    async def _posted(self, client: Client, to: Address, message: Message, key: str) -> Receipt:
        """Make a post in a forum. Until it is made, whatever goes wrong may simply be tried again."""
        self._forums.discard(to.channel)
        try:
            place = await self._places.channel(to)
        except Exception as error:
            reason = verdict(error)
            raise Retry(str(reason), 0.0) if isinstance(reason, Uncertain) else reason from error
        if not isinstance(place, discord.ForumChannel):
            raise Refused("The channel takes no messages, or I cannot see it any more. Subscribe another one.")
        self._forums.add(to.channel)
        with one_message():
            return await forum.post(client, place, message, key)

    async def _channel(self, to: Address) -> int:
        """Return the id of the channel of an address. Raises Retry or Refused."""
        number = number_of(to.channel or to.user)
        if to.platform != PLATFORM or not number:
            raise Refused("This is no address on Discord.")
        if to.channel:
            return number
        if to.user not in self._direct:
            opened = await self._open(number)
            if len(self._direct) >= MOST_DIRECT:
                self._direct.clear()
            self._direct[to.user] = opened
        return self._direct[to.user]

    async def _open(self, user: int) -> int:
        """Open a direct message. Nothing was posted yet, so whatever goes wrong may simply be tried again."""
        client = await self._link.ready()
        await self._in_line()
        try:
            said = await client.http.start_private_message(user)
            return int(said["id"])
        except Exception as error:
            reason = verdict(error)
            raise Retry(str(reason), 0.0) if isinstance(reason, Uncertain) else reason from error

    async def _in_line(self) -> None:
        """Wait until one more direct message may be opened. Raises Retry if that takes long."""
        now = asyncio.get_running_loop().time()
        wait = max(0.0, self._next - now)
        if wait > LONGEST_WAIT:
            raise Retry("Many direct messages are opened just now.", wait)
        self._next = now + wait + 1 / OPENED_A_SECOND
        await asyncio.sleep(wait)

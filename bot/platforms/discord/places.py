"""What Discord knows of servers, channels and people: from the gateway where this process listens, else asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import discord
import structlog

from bot.core.ports import Facts
from bot.core.request import Address
from bot.platforms.discord.client import Client, Link
from bot.platforms.discord.read import PEOPLE

KEPT_FOR = 60.0  # seconds
NEW = 3.0  # seconds: what is asked for anew may have been told so long ago
KEPT = 5000
PATIENCE = 6.0  # seconds: somebody waits, and discord.py tries for 25 by itself
SEES, READS = "view_channel", "read_message_history"
LABELS = {
    SEES: "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    READS: "Read Message History",
}
"""What the bot has to be allowed in a channel: discord.py's name, and what people read."""
POSTS = "Create Posts"  # what people read for send_messages of a forum

Channel = discord.abc.GuildChannel | discord.Thread
Key = tuple[str, str, str]
T = TypeVar("T")

log = structlog.get_logger()


class Places:
    """Tells of servers, channels and people. What Discord does not tell is empty, and then nobody manages anything."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._kept: dict[Key, tuple[float, Any]] = {}  # with the time.monotonic of when it was told
        link.furnish(lambda _client: self._kept.clear())  # what another client told asks by that client

    @property
    def application(self) -> str:
        """The application's id; empty before the first login."""
        return str(self._link.client.application_id or "")

    def note(self, interaction: discord.Interaction) -> None:
        """Remember for a minute what an interaction says of a person: nobody has to be asked then."""
        who, guild = interaction.user, interaction.guild_id
        self._keep(("user", "", str(who.id)), who)
        if guild is not None and isinstance(who, discord.Member):
            self._keep(("member", str(guild), str(who.id)), who)
            where = f"{interaction.channel_id}:{who.id}"
            self._keep(("may", str(guild), where), interaction.permissions)

    async def about(self, address: Address) -> Facts:
        """Tell what is known of an address, and of what the person may do there. Never raises for want of an answer."""
        if address.workspace == PEOPLE:
            return await self._alone(address)
        try:
            guild = await self.guild(address.workspace)
            who = await self._member(guild, address.user) if guild and address.user else None
            if guild is None or not address.channel:
                return _of_person(who)
            channel = await self.channel(address)
            base = await self._base(channel)
            me = await self._me(guild)
        except Exception as error:  # an answer may be anything
            log.info("Discord does not tell", workspace=address.workspace, reason=type(error).__name__)
            return Facts()
        if channel is None or base is None or me is None:
            return Facts(missing_permissions=(LABELS[SEES],))
        lacks = lacking(channel, base.permissions_for(me))
        may = self._may(address) or _may_there(channel, base, who)
        if LABELS[SEES] in lacks or (address.user and not may.view_channel):
            return Facts(missing_permissions=lacks)
        return Facts(
            name=channel.name,
            purpose=getattr(channel, "topic", None) or "",
            manages=may.manage_channels or may.administrator,
            missing_permissions=lacks,
            roles=_roles(who),
        )

    async def _alone(self, address: Address) -> Facts:
        """Tell a person's name; of a place that the bot is not in, nothing."""
        if address.channel or not address.user:
            return Facts()
        try:
            client = await self._link.ready()
            asked = lambda: client.fetch_user(number_of(address.user))  # noqa: E731
            who = await self._ask(("user", "", address.user), asked, KEPT_FOR)
        except Exception as error:
            log.info("Discord does not tell", user=address.user, reason=type(error).__name__)
            return Facts()
        return Facts(name=who.global_name or who.name) if who else Facts()

    async def may_read(self, address: Address) -> bool:
        """Say whether the bot may read the history of a channel, now. Raises what discord.py raises."""
        guild = await self.guild(address.workspace, NEW)
        channel = await self.channel(address, NEW)
        base, me = await self._base(channel, NEW), await self._me(guild, NEW) if guild else None
        if base is None or me is None:
            return False
        may = base.permissions_for(me)
        return may.view_channel and may.read_message_history

    async def guild(self, workspace: str, at_most: float = KEPT_FOR) -> discord.Guild | None:
        """Return a server that the bot is in, told `at_most` so many seconds ago. Raises what discord.py raises."""
        client = await self._link.ready()
        number = number_of(workspace)
        known = client.get_guild(number)
        if known is not None and not known.unavailable and _is_live(client, known):
            return known
        asked = lambda: client.fetch_guild(number, with_counts=False)  # noqa: E731
        return await self._ask(("guild", workspace, ""), asked, at_most)

    async def channel(self, address: Address, at_most: float = KEPT_FOR) -> Channel | None:
        """Return a channel or a thread of this server; None if the bot sees none. Raises what discord.py raises."""
        guild = await self.guild(address.workspace, at_most)
        if guild is None:
            return None
        number = number_of(address.channel)
        known = guild.get_channel_or_thread(number)
        if known is not None:
            return known
        return await self._ask(("channel", address.workspace, address.channel), lambda: _fetch(guild, number), at_most)

    async def _base(self, channel: Channel | None, at_most: float = KEPT_FOR) -> discord.abc.GuildChannel | None:
        """Return the channel whose permissions hold: of a thread the one that it is in."""
        if not isinstance(channel, discord.Thread):
            return channel
        at = Address("", str(channel.guild.id), channel=str(channel.parent_id))
        found = channel.parent or await self.channel(at, at_most)
        return None if isinstance(found, discord.Thread) else found

    async def _me(self, guild: discord.Guild, at_most: float = KEPT_FOR) -> discord.Member | None:
        user = self._link.client.user
        return guild.me or (await self._member(guild, str(user.id), at_most) if user else None)

    async def _member(self, guild: discord.Guild, user: str, at_most: float = KEPT_FOR) -> discord.Member | None:
        asked = lambda: guild.fetch_member(number_of(user))  # noqa: E731
        return await self._ask(("member", str(guild.id), user), asked, at_most)

    def _may(self, address: Address) -> discord.Permissions | None:
        told, may = self._kept.get(("may", address.workspace, f"{address.channel}:{address.user}"), (0.0, None))
        return may if may is not None and time.monotonic() - told <= KEPT_FOR else None

    async def _ask(self, key: Key, ask: Callable[[], Awaitable[T]], at_most: float) -> T | None:
        """Return what was told a short while ago, or ask; None for what there is not, or the bot may not see."""
        told, value = self._kept.get(key, (-KEPT_FOR, None))
        if time.monotonic() - told <= at_most:
            return value  # type: ignore[no-any-return]  # of the kind that the key names
        try:
            async with asyncio.timeout(PATIENCE):
                value = await ask()
        except (discord.NotFound, discord.Forbidden):
            value = None
        self._keep(key, value)
        return value  # type: ignore[no-any-return]

    def _keep(self, key: Key, value: Any) -> None:
        self._kept.pop(key, None)
        if len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (time.monotonic(), value)


def lacking(channel: Channel, may: discord.Permissions) -> tuple[str, ...]:
    """Name what the bot lacks to post in a channel, as people read it, of what it `may` there. Pure."""
    posts = "send_messages_in_threads" if isinstance(channel, discord.Thread) else "send_messages"
    names = {**LABELS, "send_messages": POSTS} if isinstance(channel, discord.ForumChannel) else LABELS
    return tuple(names[one] for one in (SEES, posts, READS) if not getattr(may, one))


def _may_there(channel: Channel, base: discord.abc.GuildChannel, who: discord.Member | None) -> discord.Permissions:
    """Say what somebody may in a channel; in a private thread nothing, as long as nobody says that they are in it."""
    may = base.permissions_for(who) if who else discord.Permissions.none()
    hidden = isinstance(channel, discord.Thread) and channel.is_private() and not may.manage_threads
    return discord.Permissions.none() if hidden else may


def number_of(text: str) -> int:
    """Return an id as a number; 0, which is nobody's, for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else 0


def _is_live(client: Client, guild: discord.Guild) -> bool:
    """Say whether the gateway tells this process what changes in a server."""
    shard = client.get_shard(guild.shard_id)
    return shard is not None and not shard.is_closed()


async def _fetch(guild: discord.Guild, number: int) -> Channel | None:
    try:
        return await guild.fetch_channel(number)
    except discord.InvalidData:  # of another server
        return None


def _of_person(who: discord.Member | None) -> Facts:
    """Tell of somebody in a server as a whole."""
    if who is None:
        return Facts()
    may = who.guild_permissions
    return Facts(name=who.display_name, manages=may.manage_guild or may.administrator, roles=_roles(who))


def _roles(who: discord.Member | None) -> tuple[str, ...]:
    """Return the ids of somebody's roles; one that was deleted is none."""
    return tuple(str(role.id) for role in who.roles if role and not role.is_default()) if who else ()

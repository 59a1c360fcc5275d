"""The world as it changes: whatever happens in it is told to the bot's sessions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tests.fakes.discord_wire import payloads
from tests.fakes.discord_wire.permissions import EVERYONE, bits
from tests.fakes.discord_wire.state import (
    DM,
    FORUM,
    GROUP,
    NEWS,
    NEWS_THREAD,
    THREAD,
    Channel,
    Guild,
    Ids,
    Json,
    Message,
    Role,
    User,
)

if TYPE_CHECKING:
    from tests.fakes.discord_wire.seen import Seen

BOT = (
    "view_channel",
    "send_messages",
    "send_messages_in_threads",
    "embed_links",
    "attach_files",
    "read_message_history",
)
GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, CONTENT = 1 << 0, 1 << 9, 1 << 12, 1 << 15
POLL = 0.01  # seconds
Tell = Callable[[str, Json, int, Guild | None], None]


class World:
    """All there is. `tell`: how sessions hear of an event: its name, what it brings, the intent, the server."""

    def __init__(self, tell: Tell) -> None:
        self.ids = Ids()
        self.tell = tell
        self.app_id = self.ids.next()
        self.bot = User(self.app_id, "paperround", bot=True)
        self.users: dict[str, User] = {self.bot.id: self.bot}
        self.guilds: dict[str, Guild] = {}
        self.unavailable: set[str] = set()
        self.channels: dict[str, Channel] = {}
        self.commands: dict[str, dict[str, Json]] = {"": {}}  # by server ("": everywhere), by id
        self.seen: dict[str, Seen] = {}  # by token
        self.pings: list[tuple[str, str]] = []  # whom messages of the bot would call: message id, "everyone" or an id
        self.installed: set[str] = set()  # those who have the app as their own
        self.app_owner, self.public = "", True
        self.lag = 0.0  # seconds that a message takes to appear in histories

    async def until(self, test: Callable[[], object], within: float = 5.0) -> None:
        """Wait until something is true; `within` seconds. Raises TimeoutError."""
        async with asyncio.timeout(within):
            while not test():  # noqa: ASYNC110  what a test waits for may be anything
                await asyncio.sleep(POLL)

    def add_user(self, name: str, bot: bool = False, dms: bool = True) -> User:
        """Make a person."""
        one = User(self.ids.next(), name, bot, dms)
        self.users[one.id] = one
        return one

    def add_guild(self, name: str, owner: User | None, bot: bool, permissions: Iterable[str] | None) -> Guild:
        """Make a server with the bot in it, or without."""
        person = owner or self.add_user(f"owner of {name}")
        guild = Guild(self.ids.guild(), name, person, self)
        guild.roles[guild.id] = Role(guild.id, "@everyone", guild, bits(EVERYONE))
        guild.members[person.id] = []
        self.guilds[guild.id] = guild
        if bot:
            self.add_bot(guild, permissions)
        return guild

    def add_bot(self, guild: Guild, permissions: Iterable[str] | None) -> None:
        """Invite the bot."""
        may = bits(BOT if permissions is None else permissions)
        guild.bot_role = Role(self.ids.next(), "paperround", guild, may)
        guild.roles[guild.bot_role.id] = guild.bot_role
        guild.members[self.bot.id] = [guild.bot_role.id]
        told = payloads.guild_created(guild, self.bot)
        del told["unavailable"]  # the sign of a server that is new to the bot
        self.tell("GUILD_CREATE", told, GUILDS, guild)

    def remove_bot(self, guild: Guild) -> None:
        """Take the bot out of a server."""
        guild.members.pop(self.bot.id, None)
        if guild.bot_role:
            guild.roles.pop(guild.bot_role.id, None)
        self.commands.pop(guild.id, None)
        self.tell("GUILD_DELETE", {"id": guild.id}, GUILDS, guild)

    def outage(self, guild: Guild, over: bool) -> None:
        """Make a server unavailable, or available again."""
        (self.unavailable.discard if over else self.unavailable.add)(guild.id)
        if over:
            self.tell("GUILD_CREATE", payloads.guild_created(guild, self.bot), GUILDS, guild)
        else:
            self.tell("GUILD_DELETE", {"id": guild.id, "unavailable": True}, GUILDS, guild)

    def add_role(self, guild: Guild, name: str, permissions: int) -> Role:
        """Make a role."""
        role = Role(self.ids.next(), name, guild, permissions)
        guild.roles[role.id] = role
        self.tell("GUILD_ROLE_CREATE", {"guild_id": guild.id, "role": payloads.role(role)}, GUILDS, guild)
        return role

    def delete_role(self, role: Role) -> None:
        """Take a role away."""
        guild = role.guild
        guild.roles.pop(role.id, None)
        for roles in guild.members.values():
            if role.id in roles:
                roles.remove(role.id)
        self.tell("GUILD_ROLE_DELETE", {"guild_id": guild.id, "role_id": role.id}, GUILDS, guild)

    def add_channel(
        self, guild: Guild, name: str, kind: int, topic: str, of_bot: tuple[int, int], private: bool
    ) -> Channel:
        """Make a channel. `of_bot`: what the bot is allowed and denied there."""
        channel = Channel(self.ids.next(), name, kind, self, guild, topic=topic)
        if private:
            channel.overwrites[guild.id] = (0, 0, bits(["view_channel"]))
        if any(of_bot):
            channel.overwrites[self.bot.id] = (1, *of_bot)
        return self._put(channel, "CREATE")

    def add_thread(self, parent: Channel, name: str, owner: User, tags: list[str], id_: str = "") -> Channel:
        """Open a thread, or a post in a forum; `id_`: that of the message which it is of."""
        kind = NEWS_THREAD if parent.type == NEWS else THREAD
        thread = Channel(id_ or self.ids.next(), name, kind, self, parent.guild, parent, owner=owner.id, applied=tags)
        return self._put(thread, "CREATE")

    def dm(self, user: User) -> Channel:
        """Return the direct message of the bot with a person."""
        if user.dm is None:
            user.dm = Channel(self.ids.next(), "", DM, self, recipients=[user])
            self.channels[user.dm.id] = user.dm
        return user.dm

    def add_group(self, *people: User) -> Channel:
        """Make a chat of people that the bot is not in."""
        group = Channel(self.ids.next(), "group", GROUP, self, recipients=list(people), owner=people[0].id)
        self.channels[group.id] = group
        return group

    def delete_channel(self, channel: Channel) -> None:
        """Take a channel and its threads away."""
        for thread in channel.threads:
            self.channels.pop(thread.id, None)
            if channel.guild:
                channel.guild.channels.pop(thread.id, None)
        self.channels.pop(channel.id, None)
        if channel.guild:
            channel.guild.channels.pop(channel.id, None)
        self.channel_event("DELETE", channel)

    def channel_event(self, what: str, channel: Channel) -> None:
        """Tell the bot of a channel: CREATE, UPDATE or DELETE."""
        kind = "THREAD" if channel.is_thread else "CHANNEL"
        told = payloads.channel(channel)
        if channel.is_thread and what == "CREATE":
            told |= {"newly_created": True}
        self.tell(f"{kind}_{what}", told, GUILDS, channel.guild)

    def say(self, message: Message, channel: Channel) -> None:
        """Put a message into a channel and tell of it."""
        channel.messages[int(message.id)] = message
        told = {**message, **self._said_in(channel, message)}
        words_seen = channel.guild is None or message["author"]["id"] == self.bot.id
        named = any(one["id"] == self.bot.id for one in message["mentions"])
        intent = GUILD_MESSAGES if channel.guild else DIRECT_MESSAGES
        if not words_seen and not named:
            told |= {"content": "", "embeds": [], "attachments": [], "components": []}
        self.tell("MESSAGE_CREATE", told, intent, channel.guild)

    def message_event(self, what: str, message: Json, channel: Channel) -> None:
        """Tell of a message that changed or is gone: UPDATE or DELETE."""
        intent = GUILD_MESSAGES if channel.guild else DIRECT_MESSAGES
        where = {"guild_id": channel.guild.id} if channel.guild else {}
        self.tell(f"MESSAGE_{what}", {**message, **where}, intent, channel.guild)

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return time.time()

    def _said_in(self, channel: Channel, message: Message) -> Json:
        if channel.guild is None:
            return {"channel_type": channel.type}
        author = self.users.get(message["author"]["id"])
        told: Json = {"guild_id": channel.guild.id, "channel_type": channel.type}
        if author is not None:
            brought = payloads.member(channel.guild, author)
            brought.pop("user")
            told["member"] = brought
        return told

    def _put(self, channel: Channel, what: str) -> Channel:
        assert channel.guild is not None
        self.channels[channel.id] = channel
        channel.guild.channels[channel.id] = channel
        self.channel_event(what, channel)
        return channel


__all__ = ["BOT", "FORUM", "World"]

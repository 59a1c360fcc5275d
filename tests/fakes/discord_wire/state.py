"""What is on this Discord: people, servers, roles, channels, messages. The world's words are changed by its parts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord_wire.permissions import bits

if TYPE_CHECKING:
    from tests.fakes.discord_wire.world import World

Json = dict[str, Any]
EPOCH = 1_420_070_400_000
"""Milliseconds from 1970 to Discord's first second."""
TEXT, DM, VOICE, GROUP, NEWS, NEWS_THREAD, THREAD, FORUM = 0, 1, 2, 3, 5, 10, 11, 15
KINDS = {"text": TEXT, "voice": VOICE, "news": NEWS, "forum": FORUM}
V2, EPHEMERAL, LOADING, SUPPRESS_EMBEDS, SILENT = 1 << 15, 1 << 6, 1 << 7, 1 << 2, 1 << 12


class Ids:
    """Makes snowflakes, each greater than the one before."""

    def __init__(self) -> None:
        self._last = 0
        self._guild = (int(time.time() * 1000) - EPOCH) // 5040 * 5040 - 5040 * 10_000

    def next(self) -> str:
        """Return an id with this moment in it."""
        self._last = max(self._last + 1, (int(time.time() * 1000) - EPOCH) << 22)
        return str(self._last)

    def guild(self) -> str:
        """Return a server's id: with n shards the k-th server (from 0) is on shard k modulo n, for n to 10."""
        self._guild += 1
        return str((self._guild - 1) << 22)


class Message(dict[str, Any]):
    """A message as Discord sends it, with what a test asks of it."""

    @property
    def id(self) -> str:
        """Its id."""
        return str(self["id"])

    @property
    def parts(self) -> Iterator[Json]:
        """Each of its components, in order, the inner ones after their outer."""
        return walk(self.get("components") or [])

    @property
    def text(self) -> str:
        """All words that it shows, buttons aside."""
        said = [self.get("content") or "", *(part["content"] for part in self.parts if part["type"] == 10)]
        return "\n".join(filter(None, said))

    @property
    def buttons(self) -> list[Json]:
        """Its buttons."""
        return [part for part in self.parts if part["type"] == 2]

    @property
    def labels(self) -> list[str]:
        """What its buttons say."""
        return [button.get("label", "") for button in self.buttons]

    @property
    def ephemeral(self) -> bool:
        """Whether only one person sees it."""
        return bool(self.get("flags", 0) & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it only says that the bot thinks."""
        return bool(self.get("flags", 0) & LOADING)


def walk(components: Iterable[Json]) -> Iterator[Json]:
    """Yield each component, the inner ones after their outer."""
    for one in components:
        yield one
        yield from walk(one.get("components") or [])
        for name in ("accessory", "component"):
            if isinstance(one.get(name), dict):
                yield from walk([one[name]])


@dataclass(eq=False, slots=True)
class User:
    """A person or a bot. `dms`: takes direct messages of bots that share a server."""

    id: str
    name: str
    bot: bool = False
    dms: bool = True
    dm: Channel | None = None
    gone: bool = False

    @property
    def mention(self) -> str:
        """How a message names the person."""
        return f"<@{self.id}>"


@dataclass(eq=False, slots=True)
class Role:
    """A role of a server."""

    id: str
    name: str
    guild: Guild
    permissions: int = 0

    @property
    def mention(self) -> str:
        """How a message names the role."""
        return f"<@&{self.id}>"

    def delete(self) -> None:
        """Take the role away from all."""
        self.guild.world.delete_role(self)


@dataclass(eq=False, slots=True)
class Channel:
    """A channel, a thread (with a parent), or a direct message (without a server). Messages by id, oldest first."""

    id: str
    name: str
    type: int
    world: World
    guild: Guild | None = None
    parent: Channel | None = None
    topic: str = ""
    overwrites: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # id -> (0 role, 1 member), allow, deny
    messages: dict[int, Message] = field(default_factory=dict)
    tags: list[Json] = field(default_factory=list)
    tag_required: bool = False
    applied: list[str] = field(default_factory=list)
    owner: str = ""
    archived: bool = False
    locked: bool = False
    recipients: list[User] = field(default_factory=list)
    nonces: dict[str, tuple[float, Message]] = field(default_factory=dict)

    @property
    def mention(self) -> str:
        """How a message names the channel."""
        return f"<#{self.id}>"

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread or a post of a forum."""
        return self.type in (NEWS_THREAD, THREAD)

    @property
    def said(self) -> list[Message]:
        """Its messages, oldest first."""
        return list(self.messages.values())

    @property
    def threads(self) -> list[Channel]:
        """Its threads or posts, oldest first."""
        return [] if self.guild is None else [one for one in self.guild.channels.values() if one.parent is self]

    def thread(self, name: str, owner: User | None = None) -> Channel:
        """Open a thread (in a forum: a post without words)."""
        return self.world.add_thread(self, name, owner or self.world.bot, [])

    def set_tags(self, names: Iterable[str], required: bool = False) -> None:
        """Give a forum its tags."""
        self.tags = [
            {"id": self.world.ids.next(), "name": name, "moderated": False, "emoji_id": None, "emoji_name": None}
            for name in names
        ]
        self.tag_required = required
        self.changed()

    def overwrite(self, whom: User | Role | None, allow: Iterable[str] = (), deny: Iterable[str] = ()) -> None:
        """Say what a person, a role or all (None) may and may not here."""
        assert self.guild is not None
        id_ = self.guild.id if whom is None else whom.id
        self.overwrites[id_] = (int(isinstance(whom, User)), bits(allow), bits(deny))
        self.changed()

    def changed(self) -> None:
        """Tell the bot of the channel as it is now."""
        self.world.channel_event("UPDATE", self)

    def delete(self) -> None:
        """Take the channel away, its threads too."""
        self.world.delete_channel(self)


@dataclass(eq=False, slots=True)
class Guild:
    """A server. `members`: the ids of each member's roles by the member's id."""

    id: str
    name: str
    owner: User
    world: World
    roles: dict[str, Role] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    bot_role: Role | None = None

    def role(self, name: str, permissions: Iterable[str] = ()) -> Role:
        """Make a role with these permissions."""
        return self.world.add_role(self, name, bits(permissions))

    def join(self, user: User, roles: Iterable[Role] = ()) -> None:
        """Let a person in, or give a member these roles."""
        self.members[user.id] = [role.id for role in roles]

    def leave(self, user: User) -> None:
        """Let a person go."""
        self.members.pop(user.id, None)

    def channel(
        self,
        name: str,
        kind: str = "text",
        topic: str = "",
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        private: bool = False,
    ) -> Channel:
        """Make a channel: text, news, forum or voice. `allow`, `deny`: the bot's. `private`: no other sees it."""
        return self.world.add_channel(self, name, KINDS[kind], topic, (bits(allow), bits(deny)), private)

    def add_bot(self, permissions: Iterable[str] | None = None) -> None:
        """Invite the bot (again), with these permissions of its own role."""
        self.world.add_bot(self, permissions)

    def remove_bot(self) -> None:
        """Take the bot out of the server."""
        self.world.remove_bot(self)

    def outage(self, over: bool = False) -> None:
        """Make the server unavailable for a while, as Discord's outages do; `over`: and back."""
        self.world.outage(self, over)

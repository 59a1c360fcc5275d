"""What a fake Slack holds: workspaces, people, channels, messages, views and files."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SCOPES = frozenset(
    [
        *("app_mentions:read", "chat:write", "commands", "files:write", "im:write", "users:read"),
        *("channels:history", "channels:join", "channels:read", "groups:history", "groups:read", "im:history"),
    ]
)
EVENTS = frozenset(
    [
        *("app_home_opened", "app_mention", "app_uninstalled", "message.im", "tokens_revoked"),
        *("channel_archive", "channel_left", "group_archive", "group_left", "member_joined_channel"),
    ]
)

_ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWX"
_numbers = itertools.count(1)


def new_id(kind: str) -> str:
    """Return an id that looks like Slack's: a letter for the kind, and ten letters and digits."""
    number, letters = next(_numbers), ""
    for _ in range(8):
        number, digit = divmod(number, 32)
        letters = _ALPHABET[digit] + letters
    return f"{kind}0{letters}A"


class Stamps:
    """Times of messages: each one later than the one before, as Slack's are in a channel."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> str:
        """Return the next one."""
        self._last = max(self._last + 1, int(time.time() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06}"


@dataclass(eq=False, slots=True)
class User:
    """Somebody, in the workspace `team`; `home_team` is the own one of a guest of another organisation."""

    id: str
    name: str
    team: Team
    tz: str = "Europe/Berlin"
    admin: bool = False
    owner: bool = False
    deleted: bool = False
    bot: bool = False
    home_team: str = ""

    @property
    def team_id(self) -> str:
        """The workspace that this person belongs to."""
        return self.home_team or self.team.id


@dataclass(eq=False, slots=True)
class Whisper:
    """A message that one person sees, until the next reload."""

    user: str
    message: Json


@dataclass(eq=False, slots=True)
class Channel:
    """A channel, or a direct message of two."""

    id: str
    name: str
    team: Team
    creator: str = ""
    members: set[str] = field(default_factory=set)
    private: bool = False
    direct: bool = False
    archived: bool = False
    shared: bool = False
    purpose: str = ""
    topic: str = ""
    messages: list[Json] = field(default_factory=list)
    whispers: list[Whisper] = field(default_factory=list)

    def find(self, ts: str) -> Json | None:
        """Return the message of that time."""
        return next((one for one in reversed(self.messages) if one["ts"] == ts), None)


@dataclass(eq=False, slots=True)
class Team:
    """A workspace that has the app installed, with the bot's token and its scopes."""

    id: str
    name: str
    bot_token: str
    bot_user: str
    bot_id: str
    app_id: str
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    ended: str = ""
    rotating: bool = False
    homes: dict[str, Json] = field(default_factory=dict)
    has_home_tab: bool = True
    has_messages_tab: bool = True

    @property
    def domain(self) -> str:
        """The workspace's part of an address."""
        return "".join(letter for letter in self.name.lower() if letter.isalnum())

    def user(
        self,
        name: str,
        *,
        tz: str = "Europe/Berlin",
        admin: bool = False,
        owner: bool = False,
        home_team: Team | str = "",
        bot: bool = False,
    ) -> User:
        """Add a person; `home_team`: a guest of another organisation."""
        home = home_team.id if isinstance(home_team, Team) else home_team
        user = User(new_id("U"), name, self, tz, admin, owner, bot=bot, home_team=home)
        self.users[user.id] = user
        return user

    def channel(
        self,
        name: str,
        *,
        creator: User | None = None,
        members: Iterable[User | str] = (),
        private: bool = False,
        shared: bool = False,
        purpose: str = "",
        bot: bool = False,
    ) -> Channel:
        """Add a channel; `bot`: the bot is in it."""
        inside = {one if isinstance(one, str) else one.id for one in members}
        inside |= {creator.id} if creator else set()
        inside |= {self.bot_user} if bot else set()
        made = creator.id if creator else ""
        channel = Channel(new_id("C"), name, self, made, inside, private, shared=shared, purpose=purpose)
        self.channels[channel.id] = channel
        return channel

    def dm(self, user: User | str, other: User | str = "") -> Channel:
        """Return the direct message of a person and the bot, or another person."""
        one = user if isinstance(user, str) else user.id
        two = (other if isinstance(other, str) else other.id) or self.bot_user
        for channel in self.channels.values():
            if channel.direct and channel.members == {one, two}:
                return channel
        channel = Channel(new_id("D"), "directmessage", self, members={one, two}, private=True, direct=True)
        self.channels[channel.id] = channel
        return channel

    @property
    def bot_in(self) -> list[Channel]:
        """The channels that the bot is in."""
        return [one for one in self.channels.values() if self.bot_user in one.members]


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the Web API, as it was read. `error`: Slack's code, a status or a fault; empty if all is well."""

    method: str
    arguments: Json
    at: float
    team: str = ""
    error: str = ""


def strings(value: Any) -> Iterator[str]:
    """Yield every text that stands in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)

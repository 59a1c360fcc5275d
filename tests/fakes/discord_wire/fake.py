"""A Discord on real sockets of this machine, for tests: its REST interface, its gateway, and the people on it."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from tests.fakes.discord_wire.errors import SetupError
from tests.fakes.discord_wire.faults import Fail
from tests.fakes.discord_wire.gateway import Gateway
from tests.fakes.discord_wire.people import People
from tests.fakes.discord_wire.seen import Seen
from tests.fakes.discord_wire.server import Request, Server
from tests.fakes.discord_wire.state import Channel, Guild, Json, Message, User
from tests.fakes.discord_wire.world import World


class FakeDiscord:
    """Serves while it is entered. `token` and `api_url` are what a bot is set up with.

    `limits`: whether rate limits are kept; `answer_within` and `hook_life`: seconds until an interaction and its
    webhook end; `delay`: seconds that each call takes; `gateway` and `world`: the parts, for what is not here.
    """

    def __init__(self) -> None:
        self.world = World(lambda *event: self.gateway.tell(*event))
        first = base64.urlsafe_b64encode(self.world.app_id.encode()).decode().rstrip("=")
        self.token = f"{first}.{secrets.token_urlsafe(4)}.{secrets.token_urlsafe(27)}"
        self.gateway = Gateway(self.token)
        self.gateway.world = self.world
        self.server = Server(self.world, self.gateway)
        self._people = People(self.world)

    async def __aenter__(self) -> Self:
        await self.server.start()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.server.stop()

    # -- what a bot is set up with, and what is seen of it

    @property
    def app_id(self) -> str:
        """The application's id, which is the bot's too."""
        return self.world.app_id

    @property
    def bot(self) -> User:
        """The bot."""
        return self.world.bot

    @property
    def api_url(self) -> str:
        """Where the REST interface is."""
        return self.server.url

    @property
    def requests(self) -> list[Request]:
        """Every call, in order."""
        return self.server.requests

    @property
    def pings(self) -> list[tuple[str, str]]:
        """Whom messages of the bot would call: the message's id, and "everyone" or the id of a person or role."""
        return self.world.pings

    @property
    def commands(self) -> list[Json]:
        """The commands that were synced for all servers."""
        return list(self.world.commands[""].values())

    def calls(self, method: str, path: str = "*") -> list[Request]:
        """Return the calls of a method and a path ("/channels/*/messages")."""
        probe = Fail(method, path, times=-1)
        return [one for one in self.requests if probe.hit(one.method, one.path)]

    async def listening(self, shards: int = 1, within: float = 10.0) -> None:
        """Wait until so many shards listen. Raises TimeoutError."""
        await self.world.until(lambda: len(self.gateway.connected) >= shards, within)

    async def until(self, test: Any, within: float = 5.0) -> None:
        """Wait until something without arguments is true. Raises TimeoutError."""
        await self.world.until(test, within)

    # -- the world

    def user(self, name: str, *, dms: bool = True, app: bool = False) -> User:
        """Make a person. `dms`: takes direct messages; `app`: has installed the app as their own."""
        one = self.world.add_user(name, dms=dms)
        if app:
            self.world.installed.add(one.id)
        return one

    def guild(
        self,
        name: str = "Lab",
        owner: User | None = None,
        *,
        bot: bool = True,
        permissions: Iterable[str] | None = None,
    ) -> Guild:
        """Make a server. `bot`: with the bot in it, whose role has these permissions (or those that it asks for)."""
        return self.world.add_guild(name, owner, bot, permissions)

    def dm(self, user: User) -> Channel:
        """Return the bot's direct message with a person."""
        return self.world.dm(user)

    def group(self, *people: User) -> Channel:
        """Make a chat of people, where the bot is not."""
        return self.world.add_group(*people)

    # -- people

    async def slash(
        self,
        user: User,
        channel: Channel | None,
        name: str,
        values: dict[str, Any] | None = None,
        *,
        twice: bool = False,
        installed: str = "guild",
    ) -> Seen:
        """Type a command ("search" or "papers search") in a channel, or (None) in the bot's direct message.

        `values`: text, int, bool, float, User, Channel or Role, as the option is; `twice`: Discord delivers it twice;
        `installed`: "user" for an app that the person brought. Returns at once: `await seen.answer()`. Raises
        SetupError for what the synced commands do not allow.
        """
        where = self._listened(channel or self.dm(user))
        by_user = self._by_user(user, installed)
        return self._people.command(user, where, name, values or {}, twice=twice, by_user=by_user)

    async def autocomplete(
        self,
        user: User,
        channel: Channel | None,
        name: str,
        option: str,
        typed: str,
        values: dict[str, Any] | None = None,
        *,
        installed: str = "guild",
        within: float = 3.0,
    ) -> list[Json]:
        """Type a part of an option and return the choices that are offered ({"name", "value"}).

        Raises TimeoutError without an answer `within` seconds.
        """
        where = self._listened(channel or self.dm(user))
        said = {**(values or {}), option: typed}
        by_user = self._by_user(user, installed)
        seen = self._people.command(user, where, name, said, focus=option, by_user=by_user)
        await seen.until(lambda one: one.choices is not None, within)
        return seen.choices or []

    async def press(self, user: User, message: Message, what: str, *, twice: bool = False) -> Seen:
        """Press a button of a message by its label or its action."""
        return self._people.press(user, self._where(message), message, what, forged=False, twice=twice)

    async def forge(self, user: User, message: Message, custom_id: str) -> Seen:
        """Press a button that a message does not have (any more)."""
        return self._people.press(user, self._where(message), message, custom_id, forged=True, twice=False)

    async def submit(
        self, user: User, seen: Seen, values: dict[str, Any] | None = None, *, twice: bool = False
    ) -> Seen:
        """Send the form that was opened, with these values by the inputs' custom_id."""
        return self._people.submit(user, seen, values or {}, twice=twice)

    async def menu(self, user: User, message: Message, name: str, *, installed: str = "guild") -> Seen:
        """Choose a command of a message's menu."""
        where = self._listened(self._where(message))
        return self._people.menu(user, where, message, name, self._by_user(user, installed))

    async def write(
        self, user: User, channel: Channel | None, text: str, *, reply_to: Message | None = None
    ) -> Message:
        """Say something in a channel, or (None) in the bot's direct message; bot.mention calls the bot."""
        return self._people.write(user, channel or self.dm(user), text, reply_to)

    # -- what goes wrong

    def fail(self, method: str, path: str, **how: Any) -> Fail:
        """Let calls of a method and a path ("/channels/*/messages") go wrong; see Fail for how."""
        fail = Fail(method, path, **how)
        self.server.fails.append(fail)
        return fail

    def lag_history(self, seconds: float) -> None:
        """Let messages appear in histories so many seconds after they were sent."""
        self.world.lag = seconds

    def expire(self, seen: Seen) -> None:
        """Let an interaction's webhook end, as it does after 15 minutes."""
        seen.expired = True

    @property
    def limits(self) -> bool:
        """Whether rate limits are kept."""
        return self.server.limits.on

    @limits.setter
    def limits(self, on: bool) -> None:
        self.server.limits.on = on

    @property
    def answer_within(self) -> float:
        """Seconds within which an interaction is answered first."""
        return self.server.answer_within

    @answer_within.setter
    def answer_within(self, seconds: float) -> None:
        self.server.answer_within = seconds

    def _by_user(self, user: User, installed: str) -> bool:
        if installed == "user":
            self.world.installed.add(user.id)
        return installed == "user"

    def _listened(self, channel: Channel) -> Channel:
        if not self.gateway.sessions:
            raise SetupError("no bot listens: await fake.listening()")
        return channel

    def _where(self, message: Message) -> Channel:
        channel = self.world.channels.get(message["channel_id"])
        if channel is None:
            raise SetupError("the message's channel is gone")
        return channel

"""One Slack app in its workspaces: tokens, triggers, addresses for answers, views, files, faults, and all calls."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack.errors import Fault
from tests.fakes.slack.limits import Limits
from tests.fakes.slack.state import EVENTS, Call, Channel, Json, Stamps, Team, User, new_id

TRIGGER_SECONDS = 3.0
ANSWER_SECONDS, ANSWERS = 1800.0, 5


@dataclass(eq=False, slots=True)
class Trigger:
    """What lets the app open one view, for 3 s."""

    team: Team
    user: str
    at: float
    view: str = ""
    used: bool = False


@dataclass(eq=False, slots=True)
class AnswerUrl:
    """A response_url: where its answers are shown, to whom, and what the pressed message was."""

    id: str
    team: Team
    channel: Channel
    user: str
    at: float
    pressed: Json | None = None
    hidden: bool = False
    thread: str = ""
    used: int = 0
    bodies: list[Json] = field(default_factory=list)
    replies: list[Json] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class View:
    """A window that somebody has open. `below` are those under it."""

    team: Team
    user: str
    data: Json
    open: bool = True
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault to come: a code, a status, "drop", "hang" or "garbage"; with `take` the call is done before it."""

    fault: str | int
    after: float
    take: bool


class World:
    """All that the fake knows. `acks`: seconds from each delivery to its acknowledgement."""

    def __init__(self) -> None:
        self.app_id = new_id("A")
        self.app_token = f"xapp-1-{self.app_id}-1-{secrets.token_hex(8)}"
        self.signing_secret = secrets.token_hex(16)
        self.client_id = "11111.22222"
        self.client_secret = secrets.token_hex(16)
        self.verification = secrets.token_hex(8)
        self.url = ""
        self.events_url = ""
        self.commands_url = ""
        self.teams: dict[str, Team] = {}
        self.tokens: dict[str, Team] = {}
        self.stamps = Stamps()
        self.count = itertools.count(1)
        self.limits = Limits()
        self.calls: list[Call] = []
        self.acks: list[float] = []
        self.subscribed = set(EVENTS)
        self.views: dict[str, View] = {}
        self.triggers: dict[str, Trigger] = {}
        self.answer_urls: dict[str, AnswerUrl] = {}
        self.files: dict[str, Json] = {}
        self.codes: dict[str, Json] = {}
        self.ack_within = 3.0
        self.again_after: tuple[float, ...] = (0.0, 60.0, 300.0)
        self.history_lag = 0.0
        self.emit: Callable[[Team, Json], None] = lambda _team, _event: None
        self._troubles: dict[str, list[Trouble]] = defaultdict(list)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def api_url(self) -> str:
        """Where the Web API is, as `base_url` of slack_sdk."""
        return f"{self.url}/api/"

    def team(self, name: str = "Lab", *, installed: bool = True) -> Team:
        """Add a workspace; the app is in it unless it is to be installed by OAuth."""
        team = Team(new_id("T"), name, f"xoxb-{secrets.token_hex(12)}", new_id("U"), new_id("B"), self.app_id)
        team.users[team.bot_user] = User(team.bot_user, "paperround", team, tz="America/Los_Angeles", bot=True)
        self.teams[team.id] = team
        if installed:
            self.tokens[team.bot_token] = team
        return team

    def channel_of(self, team: Team, id_: Any) -> Channel:
        """Return a channel that the bot can see. Raises Fault."""
        channel = team.channels.get(str(id_ or ""))
        if channel is None or (channel.private and team.bot_user not in channel.members):
            raise Fault("channel_not_found")
        return channel

    def user_of(self, team: Team, id_: Any) -> User:
        """Return somebody of a workspace. Raises Fault."""
        user = team.users.get(str(id_ or ""))
        if user is None:
            raise Fault("user_not_found")
        return user

    # What people get with what they do

    def trigger(self, team: Team, user: str, view: str = "") -> str:
        """Return a new trigger_id."""
        id_ = f"{next(self.count)}.{team.id[1:]}.{secrets.token_hex(8)}"
        self.triggers[id_] = Trigger(team, user, time.monotonic(), view)
        return id_

    def use_trigger(self, team: Team, id_: Any) -> Trigger:
        """Use up a trigger. Raises Fault if it is too late, used, or of another workspace."""
        trigger = self.triggers.get(str(id_))
        if trigger is None or trigger.team is not team:
            raise Fault("invalid_trigger_id")
        if trigger.used:
            raise Fault("exchanged_trigger_id")
        if time.monotonic() - trigger.at > TRIGGER_SECONDS:
            raise Fault("expired_trigger_id")
        trigger.used = True
        return trigger

    def answer_url(self, channel: Channel, user: str, **more: Any) -> AnswerUrl:
        """Return a new response_url."""
        made = AnswerUrl(secrets.token_hex(8), channel.team, channel, user, time.monotonic(), **more)
        self.answer_urls[made.id] = made
        return made

    # Faults

    def fail(self, method: str, fault: str | int, times: int = 1, *, after: float = 1.0, take: bool = False) -> None:
        """Let the next calls of a method fail ("response_url" and "upload" are methods too).

        `fault` is Slack's code, "ratelimited" (429 with Retry-After: `after` seconds), a status, "drop" (the connection
        ends without an answer), "hang" (no answer) or "garbage" (200, and no JSON). With `take` the call is done first.
        """
        self._troubles[method] += [Trouble(fault, after, take)] * times

    def heal(self) -> None:
        """Forget faults that did not come yet."""
        self._troubles.clear()

    def trouble(self, method: str) -> Trouble | None:
        """Return the next fault of a method."""
        waiting = self._troubles.get(method) or self._troubles.get("*")
        return waiting.pop(0) if waiting else None

    def lag_history(self, seconds: float) -> None:
        """Show messages in histories only when they are so old."""
        self.history_lag = seconds

    # What can be looked at

    def history(self, channel: Channel) -> list[Json]:
        """Return all messages of a channel, threads too, the oldest first."""
        return channel.messages

    def private(self, channel: Channel, user: User) -> list[Json]:
        """Return what one person sees of a channel, and nobody else."""
        return [one.message for one in channel.whispers if one.user == user.id]

    def home(self, user: User) -> Json | None:
        """Return the bot's own page of a person."""
        return user.team.homes.get(user.id)

    def modal(self, user: User) -> Json | None:
        """Return the window that a person has open, the uppermost."""
        return next((one.data for one in reversed(self.views.values()) if one.open and one.user == user.id), None)

    def called(self, method: str) -> list[Call]:
        """Return the calls of a method."""
        return [call for call in self.calls if call.method == method]

    async def until(self, true: Callable[[], Any], within: float = 5.0) -> Any:
        """Wait until something is so, and return it. Raises AssertionError."""
        end = time.monotonic() + within
        while not (found := true()):
            if time.monotonic() > end:
                last = [(call.method, call.error) for call in self.calls[-8:]]
                raise AssertionError(f"it did not come within {within:g} s; last calls: {last}")
            await asyncio.sleep(0.005)
        return found

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something in the background; it ends with the fake."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """End all that goes on in the background."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""What people do in Slack, and what they get to see of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack import payloads
from tests.fakes.slack.chat import put
from tests.fakes.slack.deliver import Deliveries
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.respond import show
from tests.fakes.slack.socket_mode import Ack, Sockets
from tests.fakes.slack.state import Channel, Json, Team, User
from tests.fakes.slack.windows import made, refill, taken
from tests.fakes.slack.world import AnswerUrl, World


@dataclass(slots=True)
class Seen:
    """What came of an act. `error`: what Slack shows if the app did not acknowledge; `errors`: those below inputs."""

    world: World
    payload: Json
    ack: Ack
    url: AnswerUrl | None = None
    again: Ack | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        """The seconds until the acknowledgement."""
        return self.ack.seconds

    @property
    def error(self) -> str:
        """Why the app did not acknowledge, or nothing."""
        return self.ack.error

    @property
    def replies(self) -> list[Json]:
        """What was shown through the response_url so far."""
        return self.url.replies if self.url is not None else []

    async def reply(self, count: int = 1, within: float = 5.0) -> Json:
        """Wait for the answer of that number, and return it."""
        await self.world.until(lambda: len(self.replies) >= count, within)
        return self.replies[count - 1]


class People(World):
    """The acts. Each is delivered at once; `twice`: once more, as Slack does if it missed the first acknowledgement."""

    def __init__(self) -> None:
        super().__init__()
        self.sockets = Sockets(self)
        self.deliveries = Deliveries(self, self.sockets)
        self.emit = self._emit

    async def command(
        self,
        channel: Channel,
        user: User,
        text: str = "",
        *,
        command: str = "/papers",
        twice: bool = False,
        raw: bool = False,
    ) -> Seen:
        """Type a slash command; `raw`: the text is escaped already."""
        url = self.answer_url(channel, user.id)
        said = text if raw else payloads.escaped(channel.team, text)
        payload = payloads.command(self, channel, user, said, command, self._hooks(channel.team, user, url))
        seen = await self._done("slash_commands", payload, twice, url)
        if isinstance(seen.ack.payload, dict) and seen.ack.payload.get("text"):
            show(self, url, seen.ack.payload)
        elif isinstance(seen.ack.payload, str) and seen.ack.payload and not seen.ack.error:
            show(self, url, {"text": seen.ack.payload})
        return seen

    async def press(self, shown: Json, what: str, user: User, *, twice: bool = False) -> Seen:
        """Press what is labelled so (or has that action_id or value), on a message, a private answer or a view."""
        action = payloads.pressed(shown["blocks"], what, self.stamps.next())
        if shown.get("type") in ("home", "modal"):
            hooks = {"trigger_id": self.trigger(user.team, user.id, shown["id"] if shown["type"] == "modal" else "")}
            payload = payloads.interaction(self, user, "block_actions", hooks)
            place = {"container": {"type": "view", "view_id": shown["id"]}, "view": shown}
            return await self._done("interactive", {**payload, **place, "actions": [action]}, twice)
        channel, message, hidden = self.place_of(shown, user)
        thread = str(message.get("thread_ts", ""))
        url = self.answer_url(channel, user.id, pressed=message, hidden=hidden, thread=thread)
        payload = payloads.interaction(self, user, "block_actions", self._hooks(channel.team, user, url))
        payload |= payloads.on_message(channel, dict(message), hidden)
        return await self._done("interactive", {**payload, "actions": [action]}, twice, url)

    async def submit(
        self, view: Json, values: Mapping[str, Any] | None = None, user: User | None = None, *, twice: bool = False
    ) -> Seen:
        """Fill in a window and submit it; values go by label, block_id or action_id."""
        opened = self.views[view["id"]]
        assert opened.open, "the window is closed"
        who = user or opened.team.users[opened.user]
        state, missing = payloads.filled(opened.data, dict(values or {}))
        opened.data["state"] = {"values": state}
        if missing:
            return Seen(self, {}, Ack(None, error="not submitted"), errors=missing)
        payload = payloads.interaction(
            self, who, "view_submission", {"trigger_id": self.trigger(who.team, who.id, view["id"])}
        )
        seen = await self._done("interactive", {**payload, "view": dict(opened.data), "response_urls": []}, twice)
        if not seen.error:
            seen.errors = self._submitted(view["id"], seen.ack.payload)
        return seen

    async def close(self, view: Json, user: User) -> None:
        """Close a window; the app is told if it wants to know."""
        opened = self.views[view["id"]]
        opened.open = False
        if opened.data.get("notify_on_close"):
            payload = payloads.interaction(self, user, "view_closed", {})
            await self._done("interactive", {**payload, "view": dict(opened.data), "is_cleared": False}, False)

    async def message(
        self,
        channel: Channel,
        user: User,
        text: str,
        *,
        thread: str = "",
        twice: bool = False,
        raw: bool = False,
        **more: Any,
    ) -> Seen | None:
        """Write a message; the app hears of it if it is in the channel and listens to such. None: it does not hear."""
        team = channel.team
        said = text if raw else payloads.escaped(team, text, labels=False)
        message: Json = {
            "type": "message",
            "user": user.id,
            "text": said,
            "ts": self.stamps.next(),
            "team": user.team_id,
        }
        message |= {"thread_ts": thread} if thread else {}
        message |= more
        put(channel, message)
        kinds = self._heard(channel, said)
        shared = bool(user.home_team) or channel.shared
        home = {"user_team": user.team_id, "source_team": user.team_id} if shared else {}
        seen = None
        for kind in kinds:
            kind_of = {"channel_type": "im" if channel.direct else "group" if channel.private else "channel"}
            event = {**message, **home, "type": kind, "channel": channel.id, "event_ts": message["ts"]}
            event |= kind_of if kind == "message" else {}
            seen = await self.event(team, event, twice=twice, shared=shared)
        return seen

    async def mention(self, channel: Channel, user: User, text: str, **more: Any) -> Seen | None:
        """Write to the bot in a channel: "@paperround …"."""
        said = payloads.escaped(channel.team, text, labels=False)
        return await self.message(channel, user, f"<@{channel.team.bot_user}> {said}", raw=True, **more)

    async def shortcut(self, message: Json, user: User, callback_id: str, *, twice: bool = False) -> Seen:
        """Use a message shortcut."""
        channel, message, _ = self.place_of(message, user)
        url = self.answer_url(channel, user.id)
        payload = payloads.interaction(self, user, "message_action", self._hooks(channel.team, user, url))
        payload |= {
            "callback_id": callback_id,
            "action_ts": self.stamps.next(),
            "message_ts": message["ts"],
            "channel": {"id": channel.id, "name": channel.name},
            "message": dict(message),
        }
        return await self._done("interactive", payload, twice, url)

    async def open_home(self, user: User, *, twice: bool = False) -> Seen | None:
        """Open the bot's page."""
        shown = self.home(user)
        event: Json = {"type": "app_home_opened", "user": user.id, "channel": user.team.dm(user).id, "tab": "home"}
        event |= {"view": shown} if shown else {}
        return await self.event(user.team, event, twice=twice)

    async def invite(self, channel: Channel, by: User) -> Seen | None:
        """Bring the bot into a channel."""
        channel.members.add(channel.team.bot_user)
        event = {
            "type": "member_joined_channel",
            "user": channel.team.bot_user,
            "channel": channel.id,
            "inviter": by.id,
        }
        return await self.event(channel.team, {**event, "channel_type": "G" if channel.private else "C"})

    async def kick(self, channel: Channel, by: User) -> Seen | None:
        """Put the bot out of a channel."""
        channel.members.discard(channel.team.bot_user)
        kind = "group_left" if channel.private else "channel_left"
        return await self.event(channel.team, {"type": kind, "channel": channel.id, "actor_id": by.id})

    async def archive(self, channel: Channel, by: User) -> Seen | None:
        """Archive a channel."""
        channel.archived = True
        kind = "group_archive" if channel.private else "channel_archive"
        return await self.event(channel.team, {"type": kind, "channel": channel.id, "user": by.id})

    async def uninstall(self, team: Team) -> None:
        """Take the app out of a workspace: its token is no good any more, and two events tell so."""
        team.ended = "account_inactive"
        await self.event(team, {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [team.bot_user]}})
        await self.event(team, {"type": "app_uninstalled"})

    async def event(self, team: Team, event: Json, *, twice: bool = False, shared: bool = False) -> Seen | None:
        """Let anything happen; None if the app does not listen to such."""
        kind = event["type"]
        if kind == "message":
            kind = f"message.{ {'im': 'im', 'group': 'groups'}.get(event.get('channel_type', ''), 'channels') }"
        if kind not in self.subscribed:
            return None
        payload = payloads.callback(self, team, event, shared=shared)
        seen = Seen(self, payload, await self.deliveries.event(payload))
        if twice:
            seen.again = await self.deliveries.deliver("events_api", payload, 1, "http_timeout")
        return seen

    def place_of(self, shown: Json, user: User) -> tuple[Channel, Json, bool]:
        """Return where a message stands, the message, and whether it is for this person only."""
        for channel in user.team.channels.values():
            for whisper in channel.whispers:
                if whisper.message is shown or (whisper.user == user.id and whisper.message["ts"] == shown["ts"]):
                    assert whisper.user == user.id, "somebody else's private answer"
                    return channel, whisper.message, True
            for message in channel.messages:
                if message is shown or message["ts"] == shown["ts"]:
                    return channel, message, False
        raise AssertionError("the message is nowhere")

    def _hooks(self, team: Team, user: User, url: AnswerUrl) -> Json:
        return {"response_url": f"{self.url}/response/{url.id}", "trigger_id": self.trigger(team, user.id)}

    def _heard(self, channel: Channel, text: str) -> list[str]:
        if channel.team.bot_user not in channel.members:
            return []
        kind = "im" if channel.direct else "groups" if channel.private else "channels"
        found = ["message"] if f"message.{kind}" in self.subscribed else []
        mentioned = f"<@{channel.team.bot_user}" in text and not channel.direct
        return [*found, "app_mention"] if mentioned else found

    async def _done(self, kind: str, payload: Json, twice: bool, url: AnswerUrl | None = None) -> Seen:
        acks = await asyncio.gather(*(self.deliveries.deliver(kind, payload) for _ in range(1 + twice)))
        return Seen(self, payload, acks[0], url, acks[1] if twice else None)

    def _submitted(self, id_: str, answer: Any) -> dict[str, str]:
        """Do what the app says of a form, and return what it finds wrong. Raises Fault where Slack refuses that."""
        said: Json = answer if isinstance(answer, dict) else {}
        view, action = self.views[id_], said.get("response_action")
        if action == "errors":
            blocks = {block["block_id"] for block in view.data["blocks"] if block["type"] == "input"}
            if not said.get("errors") or not set(said["errors"]) <= blocks:
                raise Fault("invalid_errors", errors=said.get("errors"))
            return dict(said["errors"])
        if action == "update":
            refill(self, view, taken(self, said["view"]))
        elif action == "push":
            made(self, view.team, view.user, taken(self, said["view"]), [*view.below, id_])
        else:
            view.open = False
            for below in view.below if action == "clear" else []:
                self.views[below].open = False
        return {}

    def _emit(self, team: Team, event: Json) -> None:
        self.start(self.event(team, event))

"""What Slack delivers: acknowledged first, whatever the load, and then worked on in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.core.asked import in_thread, opens_form
from bot.core.message import Message
from bot.core.request import Address, Request
from bot.errors import Refused, StoreError
from bot.platforms._serve import Server, Way
from bot.platforms.slack import read
from bot.platforms.slack.answer import Direct, Home, Private, Thread, Whisper
from bot.platforms.slack.desk import Desk
from bot.platforms.slack.form import FORM, errors_of
from bot.platforms.slack.manifest import SIMILAR
from bot.platforms.slack.press import OLD, pressed, submitted, windowed
from bot.platforms.slack.render import OPEN
from bot.platforms.slack.views import GONE, answer_view, loading_view

Body = Mapping[str, Any]
Ended = Callable[[str, Body], Awaitable[None]]
ENDS = ("app_uninstalled", "tokens_revoked", "channel_left", "group_left", "channel_archive", "group_archive")
END_AGAIN = (1.0, 5.0, 30.0, 120.0, 600.0, 1800.0)  # seconds
NO_PAPER = "No paper is linked in this message, or none that I know by its link."

log = structlog.get_logger()


class Listen:
    """The listeners, one for each kind of delivery. `command` is the name behind the slash.

    `ended` is told of what ends something: the installation's workspace, and what Slack posted. `forget` is told of a
    workspace's channel that the bot was brought into.
    """

    def __init__(self, server: Server[Desk], command: str, ended: Ended, forget: Callable[[str, str], None]) -> None:
        self._server = server
        self._command = f"/{command}"
        self._ended = ended
        self._forget = forget

    async def command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Take a slash command."""
        await ack()
        request = read.slash(body)
        if request is None:
            return
        url, channel = str(body.get("response_url") or ""), str(body.get("channel_id") or "")
        way = Private(self._server.desk, request.address, url, typed=True, inside=channel)
        if body.get("command") != self._command:
            log.warning("a command of another version", command=str(body.get("command"))[:40])
            text = f"This command is of another version: type {self._command} instead."
            self._server.start(self._say(request.key, way, text))
        elif opens_form(request, self._server.desk.commands):
            self._server.start(windowed(self._server, body, request, way))
        else:
            self._server.start(self._server.serve(request, way))

    async def action(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Take the press of a button, or of an entry of a menu."""
        await ack()
        request = read.press(body)
        if request is not None:
            self._server.start(pressed(self._server, body, request))
        elif not _opens_link(body):
            log.warning("an action of another version", action=_action_id(body))
            self._server.start(self._say("", self._by_url(body), OLD))

    async def shortcut(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Take "Find similar papers" on a message."""
        await ack()
        if body.get("callback_id") != SIMILAR:
            log.warning("a shortcut of another version", shortcut=str(body.get("callback_id"))[:40])
            self._server.start(self._say("", self._by_url(body), OLD))
        elif (request := read.shortcut(body)) is None:
            self._server.start(self._say("", self._by_url(body), NO_PAPER))
        else:
            way = Private(self._server.desk, request.address, str(body.get("response_url") or ""), typed=True)
            self._server.start(self._server.serve(request, way))

    async def submission(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Take a form: what is wrong stands below its inputs, or the window shows that it is at work."""
        view, request = body.get("view") or {}, read.submission(body)
        if request is None or view.get("callback_id") != FORM or request.command not in self._server.desk.commands:
            log.warning("a form of another version", form=str(view.get("callback_id"))[:40])
            await ack(response_action="update", view=answer_view(Message(GONE)))
        elif wrong := errors_of(view, self._server.desk.commands):
            await ack(response_action="errors", errors=wrong)
        else:
            await ack(response_action="update", view=loading_view(channel=request.address.channel))
            self._server.start(submitted(self._server, body, request))

    async def event(self, body: dict[str, Any]) -> None:
        """Take an event; bolt has acknowledged it."""
        self._server.start(self._event(body))

    async def options(self, ack: AsyncAck) -> None:
        """Offer nothing: no input of ours asks."""
        await ack(options=[])

    async def _event(self, body: Body) -> None:
        event = body.get("event") or {}
        kind = str(event.get("type", ""))
        if kind in ENDS:
            await self._end(body)
        elif kind == "app_home_opened":
            if (opened := read.opened_home(body)) is not None:
                await self._server.serve(opened, Home(self._server.desk, opened.address))
        elif kind in ("message", "app_mention", "member_joined_channel"):
            await self._said(kind, body, event)

    async def _end(self, body: Body) -> None:
        """Pass on what ended. Slack tells of it once: while the database is away, it is tried again."""
        new = False
        for wait in (*END_AGAIN, None):
            try:
                new = new or await self._server.is_new(_event_key(body))
                return await self._ended(read.workspace_of(body), body) if new else None
            except StoreError:
                if wait is None:
                    raise
                await asyncio.sleep(wait)
        return None

    async def _said(self, kind: str, body: Body, event: Body) -> None:
        try:
            bot_user = await self._server.desk.me(read.workspace_of(body))
        except Refused as error:
            log.warning("an event of a workspace without a token", reason=str(error))
            return
        if kind == "member_joined_channel":
            if (joined := read.joined(body, bot_user)) is not None:
                self._forget(joined.address.workspace, joined.address.channel)
                await self._server.serve(joined, Whisper(self._server.desk, joined.address))
        elif (request := read.message(body, bot_user)) is not None:
            await self._server.serve(request, self._way_of(request, str(event.get("channel", ""))))

    def _way_of(self, request: Request, channel: str) -> Way:
        """Return the way of a message: in a direct one it is answered there, a mention in its thread."""
        if not request.address.channel:
            return Direct(self._server.desk, request.address, channel)
        return Thread(self._server.desk, request.address, in_thread(request.text, self._server.desk.commands))

    def _by_url(self, body: Body) -> Private:
        user = body.get("user") or {}
        at = Address(read.PLATFORM, read.workspace_of(body), str(user.get("id", "")))
        return Private(self._server.desk, at, str(body.get("response_url") or ""))

    async def _say(self, key: str, way: Way, text: str) -> None:
        if await self._server.seems_new(key):
            await way.show(Message(text, private=True))


def _event_key(body: Body) -> str:
    id_ = body.get("event_id")
    return f"{read.PLATFORM}:event:{read.workspace_of(body)}:{id_}" if id_ else ""


def _first_action(body: Body) -> Body:
    actions = body.get("actions")
    return actions[0] if isinstance(actions, list) and actions and isinstance(actions[0], Mapping) else {}


def _action_id(body: Body) -> str:
    return str(_first_action(body).get("action_id", ""))[:40]


def _opens_link(body: Body) -> bool:
    """Say whether what was pressed opened a link by itself, or is an input of a form that is not submitted yet."""
    action = _first_action(body)
    said = str(action.get("value") or (action.get("selected_option") or {}).get("value") or "")
    inner = isinstance(body.get("view"), Mapping) and str(action.get("block_id", "")).startswith("arg:")
    return bool(action.get("url")) or said.startswith(f"{OPEN}:") or _action_id(body).startswith(OPEN) or inner

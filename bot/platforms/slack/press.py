"""Buttons, windows and forms. A trigger lives for three seconds, so a window is opened before anything is looked up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from bot.core.asked import edits, opens_form
from bot.core.message import Message
from bot.core.request import HOME, Address, Request
from bot.errors import DeliveryError
from bot.platforms._serve import Server, Way
from bot.platforms.slack import read
from bot.platforms.slack.answer import Direct, Home, Modal, Private
from bot.platforms.slack.desk import Desk
from bot.platforms.slack.views import loading_view

Body = Mapping[str, Any]
OLD = "This button is of another version: please type the command again."
SETTLED = 0.3  # seconds until Slack has taken an acknowledgement: "One moment." would stand over what came before
TOO_LATE = "The window did not open in time: please press or type it once more."

log = structlog.get_logger()


async def pressed(server: Server[Desk], body: Body, request: Request) -> None:
    """Answer the press of a button, wherever it stands."""
    view = body.get("view")
    if not isinstance(view, Mapping):
        await _on_message(server, body, request)
    elif view.get("type") == "home":
        await windowed(server, body, request, Private(server.desk, request.address, ""))
        await publish_home(server, request)
    else:
        await _on_window(server, body, request, str(view.get("id", "")))
        await publish_home(server, request)


async def windowed(server: Server[Desk], body: Body, request: Request, otherwise: Way) -> None:
    """Open a window at once and fill it with the answer; if it does not open, say so in the other way."""
    at = request.address
    channel = "" if at.channel == HOME else at.channel
    try:
        opened = await server.desk.call(
            at.workspace, "views.open", trigger_id=body.get("trigger_id"), view=loading_view(channel=channel)
        )
    except DeliveryError as error:
        log.warning("a window did not open", reason=str(error), workspace=at.workspace)
        if await server.seems_new(request.key):
            await otherwise.show(Message(TOO_LATE, private=True))
        return
    await _fill(server, request, opened, channel)


async def submitted(server: Server[Desk], body: Body, request: Request) -> None:
    """Answer a form in its own window, which shows meanwhile that it is at work; the page may have changed by it."""
    view = body.get("view")
    id_ = str(view.get("id", "")) if isinstance(view, Mapping) else ""
    since = asyncio.get_running_loop().time() + SETTLED
    await server.serve(request, Modal(server.desk, request.address, id_, request.address.channel, since=since))
    await publish_home(server, request)


async def publish_home(server: Server[Desk], request: Request) -> None:
    """Publish the bot's own page of a person anew; guests have none."""
    if request.guest:
        return
    at = request.address
    home = Address(at.platform, at.workspace, at.user, HOME)
    again = Request(home, person=request.person, guest=request.guest, forms=True, event="home")
    await server.serve(again, Home(server.desk, home), noted=True)


async def _on_window(server: Server[Desk], body: Body, request: Request, id_: str) -> None:
    """Answer in a window on top, below which the list stays; in the same one if it is turned, or if no more may open.

    Slack lets three of them lie on each other.
    """
    at = request.address
    if not edits(request.action, server.desk.commands):
        try:
            view = loading_view(channel=at.channel)
            pushed = await server.desk.call(at.workspace, "views.push", trigger_id=body.get("trigger_id"), view=view)
        except DeliveryError as error:
            log.info("no window opens on top", reason=str(error), workspace=at.workspace)
        else:
            return await _fill(server, request, pushed, at.channel)
    return await server.serve(request, Modal(server.desk, at, id_, at.channel))


async def _fill(server: Server[Desk], request: Request, opened: Body, channel: str) -> None:
    """Answer in a window that was just opened."""
    view = opened.get("view")
    id_ = str(view.get("id", "")) if isinstance(view, Mapping) else ""
    await server.seems_new(request.key)  # a trigger opens one window, so whatever opened one is new
    await server.serve(request, Modal(server.desk, request.address, id_, channel), noted=True)


async def _on_message(server: Server[Desk], body: Body, request: Request) -> None:
    desk, at = server.desk, request.address
    container = body.get("container")
    container = container if isinstance(container, Mapping) else {}
    hidden = bool(container.get("is_ephemeral"))
    in_place = edits(request.action, desk.commands) and read.is_private(body)
    url = str(body.get("response_url") or "")
    channel = str(container.get("channel_id") or "")
    way: Way = Private(desk, at, url, edit=in_place and hidden, inside=channel)
    if not hidden and channel.startswith("D"):
        way = Direct(desk, replace(at, channel=""), channel, str(container.get("message_ts", "")) if in_place else "")
    if opens_form(request, desk.commands):
        await windowed(server, body, request, way)
    else:
        await server.serve(request, way)

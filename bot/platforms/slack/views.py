"""The views: a window while an answer is made, an answer in a window, a form, and the bot's own page. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.core.command import Command
from bot.core.message import Form, Message
from bot.platforms.slack.form import FORM, Held, held, input_of, shown
from bot.platforms.slack.render import VIEW_BLOCKS, blocks_of
from bot.platforms.slack.rich import one_line, plain_text, section, text

View = dict[str, Any]

TITLE = "Paperround"
TITLE_LIMIT = 24
LOADING, ANSWER, PAGE = "loading", "answer", "home"  # the callback_ids of views without a form
WAIT = "One moment."
GONE = "This form is of another version: type the command again."
_SUBMITS = {"schedule": "Save", "less": "Send"}  # every other one is called as its command


def loading_view(title: str = TITLE, *, channel: str = "") -> View:
    """Return the window that is opened at once, before anything is known. `channel`: where it was opened from."""
    said = {"type": "rich_text", "block_id": "text", "elements": [section([text(WAIT)])]}
    return _modal(LOADING, title, [said], Held(channel=channel))


def answer_view(message: Message, *, title: str = TITLE, channel: str = "") -> View:
    """Return a window with an answer, whose buttons work as they do in a message."""
    return _modal(ANSWER, title, blocks_of(message, most=VIEW_BLOCKS), Held(channel=channel))


def form_view(form: Form, commands: Mapping[str, Command], *, channel: str = "") -> View:
    """Return the window of a form; of a command that is not there any more, a line that says so."""
    command = commands.get(form.command)
    if command is None or not (args := shown(form, command)):
        return answer_view(Message(GONE), channel=channel)
    blocks = [input_of(arg, form.values.get(arg.name, ""), channel) for arg in args]
    known = held(form, command, [arg.name for arg in args], channel)
    title = form.title or command.name.capitalize()
    submit = plain_text(_title(_SUBMITS.get(command.name, command.name.capitalize())))
    return {**_modal(FORM, title, blocks, known), "submit": submit, "close": plain_text("Cancel")}


def home_view(message: Message) -> View:
    """Return the bot's own page: a section for each `Card.head`."""
    return {"type": "home", "callback_id": PAGE, "blocks": blocks_of(message, most=VIEW_BLOCKS)}


def _modal(name: str, title: str, blocks: list[dict[str, Any]], known: Held) -> View:
    return {
        "type": "modal",
        "callback_id": name,
        "title": plain_text(_title(title)),
        "close": plain_text("Close"),
        "blocks": blocks,
        "private_metadata": known.to_json(),
    }


def _title(title: str) -> str:
    return one_line(title, TITLE_LIMIT) or TITLE

"""What Slack tells, as requests. Pure; what cannot be read is None, and is never an error.

The workspace is the installation's, not the presser's: in a channel that two organisations share they may differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.core.ids import normalise
from bot.core.request import HOME, Address, Request
from bot.platforms.slack.form import Held, values_of
from bot.platforms.slack.render import OPEN
from bot.platforms.slack.rich import unescaped

Body = Mapping[str, Any]

PLATFORM = "slack"
_SPOKEN = frozenset({"", "file_share", "thread_broadcast"})  # subtypes of messages that somebody wrote just now
_NO_NAMES = frozenset({"directmessage", "privategroup"})  # what Slack calls channels whose name it does not tell
_MARKED = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_WORD = re.compile(r"[^\s<>|]+")
_LINK_KEYS = frozenset({"url", "from_url", "title_link", "original_url"})


def typed(text: str, bot_user: str = "") -> str:
    """Return a text of Slack as it was typed: addresses without labels, no escapes, and without mentions of the bot.

    `<@U1|name>` and `<#C1|name>` stay: they name a person and a channel.
    """

    def read(match: re.Match[str]) -> str:
        inner, label = match[1], match[2] or ""
        if inner.startswith("#") or (inner.startswith("@") and inner != f"@{bot_user}"):
            return match[0]
        if inner.startswith("@"):
            return " "
        if inner.startswith("!"):
            return label or "@" + inner[1:].partition("^")[0]
        return inner.removeprefix("mailto:")

    return unescaped(_MARKED.sub(read, text)).strip()


def slash(body: Body) -> Request | None:
    """Read a slash command."""
    workspace, user = _text(body, "team_id"), _text(body, "user_id")
    channel, trigger = _text(body, "channel_id"), _text(body, "trigger_id")
    if not (workspace and user):
        return None
    return Request(
        Address(PLATFORM, workspace, user, _place(channel)),
        typed(_text(body, "text")),
        key=_key("command", workspace, trigger),
        person=_text(body, "user_name"),
        place=_name(channel, _text(body, "channel_name")),
        forms=True,
    )


def press(body: Body) -> Request | None:
    """Read the press of a button or of an entry of a menu; None for what only opens a link or is not ours."""
    action, user = _first(body.get("actions")), _dict(body, "user")
    said = _text(action, "value") or _text(_dict(action, "selected_option"), "value")
    if not said or said.startswith(f"{OPEN}:") or not _text(user, "id"):
        return None
    key = _key("press", workspace_of(body), _text(body, "trigger_id"), _text(action, "action_ts"))
    return _interaction(body, key, action=said)


def submission(body: Body) -> Request | None:
    """Read a form that was filled in."""
    view, user = _dict(body, "view"), _dict(body, "user")
    command = Held.of(view).command
    if not command or not _text(user, "id"):
        return None
    trigger = _text(body, "trigger_id") or _text(view, "hash")
    key = _key("form", workspace_of(body), _text(view, "id"), trigger)
    return _interaction(body, key, command=command, values=values_of(view))


def shortcut(body: Body) -> Request | None:
    """Read "Find similar papers" on a message; None if no paper stands in it."""
    paper = paper_in(_dict(body, "message"))
    if not paper or not _text(_dict(body, "user"), "id"):
        return None
    return _interaction(body, _key("shortcut", workspace_of(body), _text(body, "trigger_id")), text=f"similar {paper}")


def paper_in(message: Body) -> str:
    """Return the id of the first paper that a message has a link to or names, or nothing."""
    return next((found for one in _candidates(message) if (found := normalise(one))), "")


def message(body: Body, bot_user: str = "") -> Request | None:
    """Read a direct message or a mention; None for those of bots, for edited ones, and for our own.

    Both events that tell of one message have the same key. A mention stands in a thread: its own, if in none yet.
    """
    event = _dict(body, "event")
    user, channel, ts = _text(event, "user"), _text(event, "channel"), _text(event, "ts")
    workspace = workspace_of(body)
    if not (workspace and user and channel and ts) or _is_machine(event) or user == bot_user:
        return None
    direct = channel.startswith("D")
    if not direct and event.get("type") != "app_mention":
        return None
    thread = _text(event, "thread_ts") or ("" if direct else ts)
    return Request(
        Address(PLATFORM, workspace, user, _place(channel), thread),
        typed(_text(event, "text"), bot_user),
        key=_key("message", workspace, channel, ts),
        guest=is_guest(body),
    )


def opened_home(body: Body) -> Request | None:
    """Read that somebody opened the bot's own page."""
    event = _dict(body, "event")
    user, workspace = _text(event, "user"), workspace_of(body)
    if not (user and workspace) or event.get("tab", "home") != "home":
        return None
    key = _key("event", workspace, _text(body, "event_id"))
    return Request(Address(PLATFORM, workspace, user, HOME), key=key, guest=is_guest(body), forms=True, event="home")


def joined(body: Body, bot_user: str) -> Request | None:
    """Read that somebody brought the bot into a channel; None if another joined, or if nobody invited it."""
    event = _dict(body, "event")
    inviter, channel, workspace = _text(event, "inviter"), _text(event, "channel"), workspace_of(body)
    if not (inviter and channel and workspace) or _text(event, "user") != bot_user or inviter == bot_user:
        return None
    key = _key("event", workspace, _text(body, "event_id"))
    return Request(Address(PLATFORM, workspace, inviter, channel), key=key, event="joined")


def workspace_of(body: Body) -> str:
    """Return the workspace of the installation that this is for, or nothing.

    A view says where its app is installed, and a message whose bot wrote it; only then it is the workspace of the one
    who pressed, or, for events, the one that Slack names first.
    """
    view, said = _dict(body, "view"), _dict(body, "message")
    team, event = _dict(body, "team"), _first(body.get("authorizations"))
    written = _text(_dict(said, "bot_profile"), "team_id") or _text(said, "team") if _text(said, "bot_id") else ""
    found = (
        _text(view, "app_installed_team_id"),
        written if body.get("type") == "block_actions" else "",
        _text(team, "id") or _text(body, "team"),
        _text(event, "team_id"),
        _text(body, "team_id"),
        _text(_dict(body, "user"), "team_id"),
        _text(view, "team_id"),
    )
    return next((one for one in found if one), "")


def is_guest(body: Body) -> bool:
    """Say whether somebody of another organisation did this; of whom Slack says nothing in a shared channel, yes."""
    event = _dict(body, "event")
    theirs = _text(event, "user_team") or _text(event, "source_team") or _text(event, "team")
    theirs = theirs or _text(_dict(body, "user"), "team_id")
    if not theirs:
        return body.get("is_ext_shared_channel") is True
    authorization = _first(body.get("authorizations"))
    organisations = {
        _text(_dict(body, "enterprise"), "id"),
        _text(_dict(body, "team"), "enterprise_id"),
        _text(authorization, "enterprise_id"),
        _text(body, "enterprise_id"),
    }
    return theirs != workspace_of(body) and theirs not in organisations - {""}


def is_private(body: Body) -> bool:
    """Say whether what was pressed is seen by nobody else: a private answer, a direct message, a view."""
    container = _dict(body, "container")
    return bool(container.get("is_ephemeral")) or bool(_dict(body, "view")) or _channel(body).startswith("D")


def _interaction(body: Body, key: str, **said: Any) -> Request:
    user, channel = _dict(body, "user"), _channel(body)
    name = _name(channel, _text(_dict(body, "channel"), "name"))
    thread = _text(_dict(body, "message"), "thread_ts") or _text(_dict(body, "container"), "thread_ts")
    return Request(
        Address(PLATFORM, workspace_of(body), _text(user, "id"), _place(channel), thread),
        key=key,
        person=_text(user, "username") or _text(user, "name"),
        place=name,
        guest=is_guest(body),
        forms=True,
        **said,
    )


def _channel(body: Body) -> str:
    """Return the channel of an interaction: where the message stands, or where its view was opened from."""
    view = _dict(body, "view")
    if _text(view, "type") == "home":
        return HOME
    here = _text(_dict(body, "channel"), "id") or _text(_dict(body, "container"), "channel_id")
    return here or Held.of(view).channel


def _place(channel: str) -> str:
    """Return a channel as an address has it: a conversation with one person alone has none."""
    return "" if channel.startswith("D") else channel


def _name(channel: str, name: str) -> str:
    return name if _place(channel) and name not in _NO_NAMES else ""


def _is_machine(event: Body) -> bool:
    """Say whether a message is a bot's, edited, or not a message that somebody wrote."""
    made = any(event.get(mark) for mark in ("bot_id", "bot_profile", "edited", "hidden"))
    return made or _text(event, "subtype") not in _SPOKEN


def _key(kind: str, *parts: str) -> str:
    """Return the name of this delivery; nothing if Slack gave it none, so that two are not taken for one."""
    return f"{PLATFORM}:{kind}:{':'.join(parts)}" if parts[-1] else ""


def _candidates(value: Any) -> Iterator[str]:
    """Yield what may be a paper, in the order of the message."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _LINK_KEYS and isinstance(inner, str):
                yield inner
            elif key in ("text", "fallback", "title") and isinstance(inner, str):
                yield from _WORD.findall(unescaped(inner))
            elif isinstance(inner, (Mapping, list)):
                yield from _candidates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _candidates(inner)


def _dict(body: Body, key: str) -> Body:
    found = body.get(key)
    return found if isinstance(found, Mapping) else {}


def _first(value: Any) -> Body:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], Mapping) else {}


def _text(body: Body, key: str) -> str:
    found = body.get(key)
    return found if isinstance(found, str) else ""

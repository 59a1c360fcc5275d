"""What Slack tells the app of what people do: events, commands, presses, forms. And how typed text is escaped."""

from __future__ import annotations

import re
import time
from typing import Any

from tests.fakes.slack.blocks import actionable
from tests.fakes.slack.state import Channel, Json, Team, User, new_id
from tests.fakes.slack.world import World

_LINK = re.compile(r"https?://[^\s<>|]+")
_NAMED = re.compile(r"(?<![\w/&])([#@])([\w-]+)")
_PLACEHOLDER = re.compile("\0(\\d+)\0")


def escaped(team: Team, text: str, *, labels: bool = True) -> str:
    """Return typed text as apps get it: `&`, `<`, `>` escaped, links in angle brackets, known names as ids."""
    kept: list[str] = []

    def keep(marked: str) -> str:
        kept.append(marked)
        return f"\0{len(kept) - 1}\0"

    def name(match: re.Match[str]) -> str:
        people = {user.name: user.id for user in team.users.values()}
        places = {one.name: one.id for one in team.channels.values() if not one.direct}
        id_ = (people if match[1] == "@" else places).get(match[2])
        if id_ is None:
            return match[0]
        label = f"|{match[2]}" if labels or match[1] == "#" else ""
        return keep(f"<{match[1]}{id_}{label}>")

    def html(part: str) -> str:
        return part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    text = _LINK.sub(lambda match: keep(f"<{html(match[0])}>"), text)
    text = html(_NAMED.sub(name, text))
    return _PLACEHOLDER.sub(lambda match: kept[int(match[1])], text)


def callback(world: World, team: Team, event: Json, *, shared: bool = False) -> Json:
    """Return an event in its envelope."""
    return {
        "token": world.verification,
        "team_id": team.id,
        "context_team_id": team.id,
        "context_enterprise_id": None,
        "api_app_id": world.app_id,
        "event": {"event_ts": world.stamps.next(), **event},
        "type": "event_callback",
        "event_id": new_id("Ev"),
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team.id,
                "user_id": team.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": shared,
        "event_context": new_id("EC"),
    }


def command(world: World, channel: Channel, user: User, text: str, name: str, hooks: Json) -> Json:
    """Return a slash command, as a form."""
    team = channel.team
    shown = "privategroup" if channel.private and not channel.direct else channel.name
    return {
        "token": world.verification,
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel.id,
        "channel_name": shown,
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text,
        "api_app_id": world.app_id,
        "is_enterprise_install": "false",
        **hooks,
    }


def interaction(world: World, user: User, kind: str, hooks: Json) -> Json:
    """Return what all interactions have. `team` is the workspace of who acts; a guest has another one than the app."""
    return {
        "type": kind,
        "token": world.verification,
        "api_app_id": world.app_id,
        "team": {"id": user.team_id, "domain": user.team.domain},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
        "enterprise": None,
        "is_enterprise_install": False,
        **hooks,
    }


def on_message(channel: Channel, message: Json, hidden: bool) -> Json:
    """Return where a press stood: a private answer is told without the message."""
    container = {"type": "message", "message_ts": message["ts"], "channel_id": channel.id, "is_ephemeral": hidden}
    thread = {"thread_ts": message["thread_ts"]} if message.get("thread_ts") else {}
    place = {
        "container": container | thread,
        "channel": {
            "id": channel.id,
            "name": "privategroup" if channel.private and not channel.direct else channel.name,
        },
        "state": {"values": {}},
    }
    return place if hidden else {**place, "message": message}


def pressed(blocks: list[Json], what: str, stamp: str) -> Json:
    """Return the action of pressing a button or an entry: the first with this label, action_id or value."""
    for block in blocks:
        for element in actionable(block):
            common = {"type": element["type"], "action_id": element["action_id"], "block_id": block["block_id"]}
            common["action_ts"] = stamp
            if element["type"] == "button" and what in (
                element["text"]["text"],
                element["action_id"],
                element.get("value"),
            ):
                more = {name: element[name] for name in ("text", "value", "url", "style") if name in element}
                return common | more
            for option in element.get("options", []) if element["type"] in ("overflow", "static_select") else []:
                if what in (option["text"]["text"], option.get("value")):
                    return common | {"selected_option": option}
    raise AssertionError(f"nothing to press is called {what!r}: {labels(blocks)}")


def labels(blocks: list[Json]) -> list[str]:
    """Return what stands on everything that can be pressed."""
    found = []
    for block in blocks:
        for element in actionable(block):
            if element["type"] == "button":
                found.append(element["text"]["text"])
            found += [option["text"]["text"] for option in element.get("options", [])]
    return found


def filled(view: Json, values: dict[str, Any]) -> tuple[Json, dict[str, str]]:
    """Return a form's values as Slack tells them, and what it says of inputs that are missing.

    `values` go by label, block_id or action_id; what is not named keeps what stands there.
    """
    state: Json = {}
    missing: dict[str, str] = {}
    left = dict(values)
    for block in view["blocks"]:
        for element in actionable(block):
            if block["type"] != "input" and element["type"] in ("button", "overflow"):
                continue
            names = (block.get("label", {}).get("text", ""), block["block_id"], element["action_id"])
            said = next((left.pop(name) for name in names if name in left), ...)
            before = view["state"]["values"].get(block["block_id"], {}).get(element["action_id"])
            value = (before or initial(element)) if said is ... else given(element, said)
            state.setdefault(block["block_id"], {})[element["action_id"]] = value
            empty = all(one in (None, "", []) for name, one in value.items() if name != "type")
            if block["type"] == "input" and empty and not block.get("optional"):
                missing[block["block_id"]] = "Please complete this required field."
    if left:
        known = [block.get("label", {}).get("text", block["block_id"]) for block in view["blocks"]]
        raise AssertionError(f"no input is called {sorted(left)}: {known}")
    return state, missing


_SELECTED = {
    "static_select": "selected_option",
    "external_select": "selected_option",
    "radio_buttons": "selected_option",
    "checkboxes": "selected_options",
    "multi_static_select": "selected_options",
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "timepicker": "selected_time",
    "datepicker": "selected_date",
    "datetimepicker": "selected_date_time",
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
}


def initial(element: Json) -> Json:
    """Return the value that an input has before anybody touches it."""
    name = _SELECTED.get(element["type"], "value")
    first = element.get(f"initial_{name.removeprefix('selected_')}")
    return {"type": element["type"], name: ([] if name.endswith("options") else None) if first is None else first}


def given(element: Json, said: Any) -> Json:
    """Return the value of an input into which somebody puts something; options go by text or value."""
    name = _SELECTED.get(element["type"], "value")
    groups = [one for group in element.get("option_groups", []) for one in group["options"]]
    options = [*element.get("options", []), *groups]
    if name == "selected_option" and said is not None:
        said = _option(options, said)
    elif name == "selected_options":
        said = [_option(options, one) for one in said]
    return {"type": element["type"], name: said}


def _option(options: list[Json], said: Any) -> Json:
    for one in options:
        if said in (one["text"]["text"], one["value"], one):
            return one
    raise AssertionError(f"no option is called {said!r}: {[one['text']['text'] for one in options]}")

"""Slack's blocks and the elements in them, with the limits that its reference gives: what is in it, and nothing else.

Inputs are checked as Slack's reference says for views; no message of ours has one, so in messages they are refused.
"""

from __future__ import annotations

from typing import Any

from tests.fakes.slack_shapes import (
    Check,
    Invalid,
    both,
    each,
    flag,
    one_of,
    shape,
    some_of,
    string,
    typed,
    unlike,
    whole,
)

URL = string(3000, pattern=r"(?:https?://\S+|mailto:\S+)")
ID = string(255)


def plain(most: int) -> Check:
    """Check a text object without markup."""
    return shape({"type": one_of("plain_text"), "text": string(most)}, {"emoji": flag})


def any_text(most: int) -> Check:
    """Check a text object of either kind."""
    markup = shape({"type": one_of("mrkdwn"), "text": string(most)}, {"verbatim": flag})
    return typed({"plain_text": plain(most), "mrkdwn": markup})


def _kind(name: str, needed: dict[str, Check], more: dict[str, Check] | None = None, *rules: Check) -> Check:
    return shape({"type": one_of(name), **needed}, more, *rules)


# Options

_STYLES = one_of("primary", "danger")
_CONFIRM = shape(
    {"title": plain(100), "text": any_text(300), "confirm": plain(30), "deny": plain(30)}, {"style": _STYLES}
)
_OPTION = shape({"text": plain(75), "value": string(150)}, {"description": plain(75)})
_MARKED = shape({"text": any_text(75), "value": string(150)}, {"description": any_text(75)})
_ENTRY = shape({"text": plain(75), "value": string(150)}, {"description": plain(75), "url": URL})
_GROUP = shape({"label": plain(75), "options": each(_OPTION, 1, 100)})


def _initial(value: Any, at: str) -> None:
    """Check that what is chosen at first is among the options."""
    chosen = value.get("initial_options", [value["initial_option"]] if "initial_option" in value else [])
    groups = [option for group in value.get("option_groups", []) for option in group["options"]]
    if any(one not in [*value.get("options", []), *groups] for one in chosen):
        raise Invalid(f"initial option is not among the options [json-pointer:{at}]")


def _length(value: Any, at: str) -> None:
    first, most = value.get("initial_value", ""), value.get("max_length", 3000)
    if len(first) > most or value.get("min_length", 0) > most:
        raise Invalid(f"initial_value or min_length is longer than max_length [json-pointer:{at}]")


# Elements

_ACTION: dict[str, Check] = {"action_id": ID}
_ASKS: dict[str, Check] = {**_ACTION, "confirm": _CONFIRM, "focus_on_load": flag}
_SELECT: dict[str, Check] = {**_ASKS, "placeholder": plain(150)}
_MANY: dict[str, Check] = {**_SELECT, "max_selected_items": whole(1, 1 << 30)}
_OPTIONS: dict[str, Check] = {"options": each(_OPTION, 1, 100), "option_groups": each(_GROUP, 1, 100)}
_TYPED: dict[str, Check] = {
    **_ACTION,
    "placeholder": plain(150),
    "focus_on_load": flag,
    "dispatch_action_config": shape(
        {"trigger_actions_on": each(one_of("on_enter_pressed", "on_character_entered"), 1, 2)}
    ),
}
_FILTER = shape(
    {},
    {
        "include": each(one_of("im", "mpim", "private", "public"), 1, 4),
        "exclude_external_shared_channels": flag,
        "exclude_bot_users": flag,
    },
    some_of("include", "exclude_external_shared_channels", "exclude_bot_users"),
)
_CONVERSATION: dict[str, Check] = {"default_to_current_conversation": flag, "filter": _FILTER}

ELEMENTS: dict[str, Check] = {
    "button": _kind(
        "button",
        {"text": plain(75)},
        {
            **_ACTION,
            "url": URL,
            "value": string(2000),
            "style": _STYLES,
            "confirm": _CONFIRM,
            "accessibility_label": string(75),
        },
    ),
    "overflow": _kind("overflow", {"options": each(_ENTRY, 1, 5)}, {**_ACTION, "confirm": _CONFIRM}),
    "checkboxes": _kind(
        "checkboxes", {"options": each(_MARKED, 1, 10)}, {**_ASKS, "initial_options": each(_MARKED, 1, 10)}, _initial
    ),
    "radio_buttons": _kind(
        "radio_buttons", {"options": each(_MARKED, 1, 10)}, {**_ASKS, "initial_option": _MARKED}, _initial
    ),
    "datepicker": _kind("datepicker", {}, {**_SELECT, "initial_date": string(pattern=r"\d{4}-[01]\d-[0-3]\d")}),
    "timepicker": _kind(
        "timepicker",
        {},
        {**_SELECT, "initial_time": string(pattern=r"(?:[01]\d|2[0-3]):[0-5]\d"), "timezone": string()},
    ),
    "datetimepicker": _kind("datetimepicker", {}, {**_ASKS, "initial_date_time": whole(1_000_000_000, 9_999_999_999)}),
    "static_select": _kind(
        "static_select",
        {},
        {**_SELECT, **_OPTIONS, "initial_option": _OPTION},
        some_of("options", "option_groups"),
        _initial,
    ),
    "multi_static_select": _kind(
        "multi_static_select",
        {},
        {**_MANY, **_OPTIONS, "initial_options": each(_OPTION, 1, 100)},
        some_of("options", "option_groups"),
        _initial,
    ),
    "external_select": _kind(
        "external_select", {}, {**_SELECT, "initial_option": _OPTION, "min_query_length": whole(0, 1000)}
    ),
    "users_select": _kind("users_select", {}, {**_SELECT, "initial_user": string(pattern="[UW][A-Z0-9]+")}),
    "channels_select": _kind(
        "channels_select",
        {},
        {**_SELECT, "initial_channel": string(pattern="[CG][A-Z0-9]+"), "response_url_enabled": flag},
    ),
    "conversations_select": _kind(
        "conversations_select",
        {},
        {
            **_SELECT,
            **_CONVERSATION,
            "initial_conversation": string(pattern="[CDG][A-Z0-9]+"),
            "response_url_enabled": flag,
        },
    ),
    "plain_text_input": _kind(
        "plain_text_input",
        {},
        {
            **_TYPED,
            "initial_value": string(least=0),
            "multiline": flag,
            "min_length": whole(0, 3000),
            "max_length": whole(1, 3000),
        },
        _length,
    ),
    "number_input": _kind(
        "number_input",
        {"is_decimal_allowed": flag},
        {**_TYPED} | dict.fromkeys(("initial_value", "min_value", "max_value"), string(pattern=r"-?\d+(?:\.\d+)?")),
    ),
    "email_text_input": _kind("email_text_input", {}, {**_TYPED, "initial_value": string()}),
    "url_text_input": _kind("url_text_input", {}, {**_TYPED, "initial_value": URL}),
}

_SELECTS = ("static_select", "external_select", "users_select", "channels_select", "conversations_select")
_PICKED = ("checkboxes", "radio_buttons", "datepicker", "timepicker", *_SELECTS)
IN_ACTIONS = ("button", "overflow", "datetimepicker", *_PICKED)
IN_SECTION = ("button", "overflow", "multi_static_select", *_PICKED)
IN_HOME = ("plain_text_input", "multi_static_select", "datetimepicker", *_PICKED)
IN_MODAL = (*IN_HOME, "number_input", "email_text_input", "url_text_input")


def _elements(names: tuple[str, ...]) -> Check:
    return typed({name: ELEMENTS[name] for name in names})


# Rich text

_STYLE = shape({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline", "highlight", "unlink"), flag))
_RICH: dict[str, Check] = {
    "text": _kind("text", {"text": string()}, {"style": _STYLE}),
    "link": _kind("link", {"url": string(pattern=r"\S+")}, {"text": string(), "style": _STYLE, "unsafe": flag}),
    "user": _kind("user", {"user_id": string()}, {"style": _STYLE}),
    "channel": _kind("channel", {"channel_id": string()}, {"style": _STYLE}),
    "usergroup": _kind("usergroup", {"usergroup_id": string()}, {"style": _STYLE}),
    "emoji": _kind("emoji", {"name": string()}, {"unicode": string(), "style": _STYLE}),
    "broadcast": _kind("broadcast", {"range": one_of("here", "channel", "everyone")}, {"style": _STYLE}),
    "date": _kind("date", {"timestamp": whole(0, 1 << 40), "format": string()}, {"url": URL, "fallback": string()}),
}
_INNER = each(typed(_RICH))
_BORDER: dict[str, Check] = {"border": one_of(0, 1)}
_SECTION = _kind("rich_text_section", {"elements": _INNER})
_PARTS: dict[str, Check] = {
    "rich_text_section": _SECTION,
    "rich_text_quote": _kind("rich_text_quote", {"elements": _INNER}, _BORDER),
    "rich_text_preformatted": _kind(
        "rich_text_preformatted",
        {"elements": each(typed({name: _RICH[name] for name in ("text", "link")}))},
        {**_BORDER, "language": string()},
    ),
    "rich_text_list": _kind(
        "rich_text_list",
        {"style": one_of("bullet", "ordered"), "elements": each(_SECTION)},
        {**_BORDER, "indent": whole(0, 8), "offset": whole(0, 1 << 30)},
    ),
}

# Blocks

_BLOCK: dict[str, Check] = {"block_id": ID}
_IMAGE: dict[str, Check] = {"image_url": URL, "alt_text": string(2000)}
_SHOWN: dict[str, Check] = {
    "divider": _kind("divider", {}, _BLOCK),
    "header": _kind("header", {"text": plain(150)}, _BLOCK),
    "section": _kind(
        "section",
        {},
        {
            **_BLOCK,
            "text": any_text(3000),
            "fields": each(any_text(2000), 1, 10),
            "accessory": _elements(IN_SECTION),
            "expand": flag,
        },
        some_of("text", "fields"),
    ),
    "context": _kind(
        "context",
        {
            "elements": each(
                typed(dict.fromkeys(("plain_text", "mrkdwn"), any_text(3000)) | {"image": _kind("image", _IMAGE)}),
                1,
                10,
            )
        },
        _BLOCK,
    ),
    "actions": _kind(
        "actions", {"elements": both(each(_elements(IN_ACTIONS), 1, 25), unlike("action_id"))}, {**_BLOCK}
    ),
    "image": _kind("image", _IMAGE, {**_BLOCK, "title": plain(2000)}),
    "rich_text": _kind("rich_text", {"elements": each(typed(_PARTS), 1)}, _BLOCK),
}


def _input(names: tuple[str, ...]) -> Check:
    return _kind(
        "input",
        {"label": plain(2000), "element": _elements(names)},
        {**_BLOCK, "hint": plain(2000), "optional": flag, "dispatch_action": flag},
    )


def _blocks(kinds: dict[str, Check], least: int, most: int) -> Check:
    return both(each(typed(kinds), least, most), unlike("block_id"))


IN_MESSAGE = _blocks(_SHOWN, 0, 50)
ON_HOME = _blocks({**_SHOWN, "input": _input(IN_HOME)}, 0, 100)
IN_WINDOW = _blocks({**_SHOWN, "input": _input(IN_MODAL)}, 0, 100)

"""What Slack takes as an element of a block: buttons, menus, inputs, and the parts of rich text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fakes.slack.shape import (
    Check,
    among,
    anything,
    both,
    by_type,
    flag,
    many,
    number,
    pattern,
    plain,
    shape,
    text,
    url,
    words,
    wrong,
)

ACTION_ID = text(1, 255)
CONFIRM = shape(
    {"text": words(300), "confirm": plain(30), "deny": plain(30), "title": plain(100)},
    {"style": among("primary", "danger")},
)
_PICKED = {"action_id": ACTION_ID, "confirm": CONFIRM, "placeholder": plain(150), "focus_on_load": flag}
_ENTRY = {"description": words(75)}
OPTION = shape({"text": plain(75), "value": text(1, 150)}, _ENTRY)
RICH_OPTION = shape({"text": words(75), "value": text(1, 150)}, _ENTRY)
OVERFLOW_OPTION = shape({"text": plain(75), "value": text(1, 150)}, {**_ENTRY, "url": url()})
_GROUP = shape({"label": plain(75), "options": many(OPTION, 1, 100)})
_DAY, _TIME = pattern(r"\d{4}-\d\d-\d\d"), pattern(r"([01]\d|2[0-3]):[0-5]\d")
_FILTER = shape(
    {},
    {
        "include": many(among("im", "mpim", "private", "public"), 1, 4),
        "exclude_external_shared_channels": flag,
        "exclude_bot_users": flag,
    },
    ("include", "exclude_external_shared_channels", "exclude_bot_users"),
)
_CONFIG = shape({"trigger_actions_on": many(among("on_enter_pressed", "on_character_entered"), 1, 2)})


def _chosen(value: Any, at: str) -> Iterator[str]:
    """Check that what is chosen at first is one of the options."""
    groups = value.get("option_groups") if isinstance(value.get("option_groups"), list) else []
    inside = [one for group in groups if isinstance(group, dict) for one in group.get("options", [])]
    options = [*(value.get("options") or []), *inside]
    first = [value["initial_option"]] if value.get("initial_option") else []
    for one in [*first, *(value.get("initial_options") or [])]:
        if one not in options:
            yield wrong("initial option does not match any of the options", at)
    if value.get("options") and value.get("option_groups"):
        yield wrong("options and option_groups exclude each other", at)


def _kind(name: str) -> dict[str, Check]:
    return {"type": among(name)}


def _menu(name: str, **more: Check) -> Check:
    return shape(_kind(name), {**_PICKED, **more})


def _static(name: str, **more: Check) -> Check:
    options = {"options": many(OPTION, 1, 100), "option_groups": many(_GROUP, 1, 100)}
    known = {**_PICKED, **options, "initial_option": OPTION, "initial_options": many(OPTION, 1, 100), **more}
    return both(shape(_kind(name), known, ("options", "option_groups")), _chosen)


def _boxes(name: str, **more: Check) -> Check:
    known = {"action_id": ACTION_ID, "confirm": CONFIRM, "focus_on_load": flag, **more}
    return both(shape({**_kind(name), "options": many(RICH_OPTION, 1, 10)}, known), _chosen)


_CONVERSATIONS = {"default_to_current_conversation": flag, "filter": _FILTER, "response_url_enabled": flag}
_MOST = {"max_selected_items": number(1, 100)}
_IDS = many(text(1, 255), 1, 100)

MENUS: dict[str, Check] = {
    "static_select": _static("static_select"),
    "external_select": _menu("external_select", min_query_length=number(0, 100), initial_option=OPTION),
    "users_select": _menu("users_select", initial_user=text(1, 255)),
    "conversations_select": _menu("conversations_select", initial_conversation=text(1, 255), **_CONVERSATIONS),
    "channels_select": _menu("channels_select", initial_channel=text(1, 255), response_url_enabled=flag),
    "datepicker": _menu("datepicker", initial_date=_DAY),
    "timepicker": _menu("timepicker", initial_time=_TIME, timezone=text(1, 255)),
    "datetimepicker": _menu("datetimepicker", initial_date_time=number(10**9, 10**10 - 1)),
    "checkboxes": _boxes("checkboxes", initial_options=many(RICH_OPTION, 1, 10)),
    "radio_buttons": _boxes("radio_buttons", initial_option=RICH_OPTION),
}
MULTI: dict[str, Check] = {
    "multi_static_select": _static("multi_static_select", **_MOST),
    "multi_external_select": _menu("multi_external_select", initial_options=many(OPTION), **_MOST),
    "multi_users_select": _menu("multi_users_select", initial_users=_IDS, **_MOST),
    "multi_conversations_select": _menu(
        "multi_conversations_select", initial_conversations=_IDS, **_MOST, **_CONVERSATIONS
    ),
    "multi_channels_select": _menu("multi_channels_select", initial_channels=_IDS, **_MOST),
}
BUTTONS: dict[str, Check] = {
    "button": shape(
        {**_kind("button"), "text": plain(75)},
        {
            "action_id": ACTION_ID,
            "url": url(),
            "value": text(0, 2000),
            "style": among("primary", "danger"),
            "confirm": CONFIRM,
            "accessibility_label": text(1, 75),
        },
    ),
    "overflow": shape(
        {**_kind("overflow"), "options": many(OVERFLOW_OPTION, 1, 5)}, {"action_id": ACTION_ID, "confirm": CONFIRM}
    ),
}
IMAGE = shape(
    {**_kind("image"), "alt_text": text(1, 2000)},
    {"image_url": url(), "slack_file": anything},
    ("image_url", "slack_file"),
)
_TYPED = {
    "action_id": ACTION_ID,
    "placeholder": plain(150),
    "focus_on_load": flag,
    "dispatch_action_config": _CONFIG,
}
INPUTS: dict[str, Check] = {
    "plain_text_input": shape(
        _kind("plain_text_input"),
        {
            **_TYPED,
            "initial_value": text(0, 3000),
            "multiline": flag,
            "min_length": number(0, 3000),
            "max_length": number(1, 3000),
        },
    ),
    "email_text_input": shape(_kind("email_text_input"), {**_TYPED, "initial_value": text(1, 255)}),
    "url_text_input": shape(_kind("url_text_input"), {**_TYPED, "initial_value": url()}),
    "number_input": shape(
        {**_kind("number_input"), "is_decimal_allowed": flag},
        {**_TYPED, "initial_value": text(1, 255), "min_value": text(1, 255), "max_value": text(1, 255)},
    ),
    "rich_text_input": shape(_kind("rich_text_input"), {**_TYPED, "initial_value": anything}),
    "file_input": shape(
        _kind("file_input"), {"action_id": ACTION_ID, "filetypes": many(text(1, 20)), "max_files": number(1, 10)}
    ),
}
ACCESSORY = by_type({**MENUS, **MULTI, **BUTTONS, "image": IMAGE})
ACTION = by_type({**MENUS, **BUTTONS})
INPUT = by_type({**MENUS, **MULTI, **INPUTS})

_STYLE = shape({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline", "unlink", "highlight"), flag))


def _part(name: str, needed: dict[str, Check], **more: Check) -> Check:
    return shape({**_kind(name), **needed}, {"style": _STYLE, **more})


_PARTS: dict[str, Check] = {
    "text": _part("text", {"text": text(1, 12_000)}),
    "link": _part("link", {"url": url()}, text=text(0, 12_000), unsafe=flag),
    "emoji": _part("emoji", {"name": text(1, 255)}, unicode=text(1, 255), skin_tone=number(1, 6)),
    "user": _part("user", {"user_id": text(1, 255)}),
    "channel": _part("channel", {"channel_id": text(1, 255)}),
    "usergroup": _part("usergroup", {"usergroup_id": text(1, 255)}),
    "team": _part("team", {"team_id": text(1, 255)}),
    "broadcast": _part("broadcast", {"range": among("here", "channel", "everyone")}),
    "color": _part("color", {"value": text(1, 255)}),
    "date": _part("date", {"timestamp": number(0, 10**11), "format": text(1, 255)}, url=url(), fallback=text(1, 3000)),
}
_ALL = many(by_type(_PARTS), 0, 3000)
_BORDER = {"border": number(0, 1)}
_SECTION = shape({**_kind("rich_text_section"), "elements": _ALL})
RICH = by_type(
    {
        "rich_text_section": _SECTION,
        "rich_text_quote": shape({**_kind("rich_text_quote"), "elements": _ALL}, _BORDER),
        "rich_text_preformatted": shape(
            {
                **_kind("rich_text_preformatted"),
                "elements": many(by_type({one: _PARTS[one] for one in ("text", "link")}), 0, 3000),
            },
            {**_BORDER, "language": text(1, 255)},
        ),
        "rich_text_list": shape(
            {
                **_kind("rich_text_list"),
                "style": among("bullet", "ordered"),
                "elements": many(by_type({"rich_text_section": _SECTION}), 1, 3000),
            },
            {**_BORDER, "indent": number(0, 8), "offset": number(0, 10_000)},
        ),
    }
)

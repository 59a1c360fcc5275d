"""A form: a command's own arguments as Discord's inputs, five at most, and what was filled in, as typed. Pure.

The five are the first that the form asks for; channels and people give way, since Discord's own options pick them
better. A value that stands in no input is held by the custom_id, which has 100 characters: the words of a command
first (which subscription a schedule is of), then a channel or a person, then the rest. What has no room there is left
to the command, which keeps what is stored or takes the usual. An input that somebody emptied is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, quote

from bot.core.command import Arg, Command, read_flag
from bot.core.fold import WEEKDAYS
from bot.core.message import Form
from bot.core.typed import COUNT_LIMIT, Weekdays
from bot.platforms.discord.marks import CUSTOM_ID_LIMIT
from bot.platforms.discord.text import cut, lines, one_line

Payload = dict[str, Any]

FORM = "form"  # what the custom_id of a form begins with
INPUTS = 5
TITLE_LIMIT, LABEL_LIMIT, HINT_LIMIT, OPTION_LIMIT = 45, 45, 100, 100  # characters
TEXT_LIMIT = 4000  # characters of a text input
OPTIONS = 25  # of a select
SELECT, TEXT_INPUT, USERS, CHANNELS, LABEL = 3, 4, 5, 8, 18  # types of components
SHORT, PARAGRAPH = 1, 2  # styles of a text input
TAKE_DIGESTS = (0, 5, 10, 11, 12, 15)  # types of channels: text, announcements, their threads, other threads, forums
_LABELS = {"time": "Time", "zone": "Time zone", "days": "Days", "channel": "Channel", "person": "Person"}
_NAMED = {"max": "Papers, at most", "gap": "Days between two digests", "crosslists": "Cross-lists", "because": "Why"}
_HINTS = {"max": f"a number from 1 to {COUNT_LIMIT}"}
_NO_HINT = frozenset({"days", "flag", "choice"})  # the help says how to type what is chosen here
_PICKED = ("channel", "person", "role")  # what gives way, and what the custom_id holds first, after the words
_SAFE = " :/,<>#@|"  # what a custom_id holds as it is
_ID = re.compile(r"<[#@]!?(\d+)(?:\|[^>]*)?>|(\d{15,20})")


def modal(form: Form, commands: Mapping[str, Command]) -> Payload:
    """Return what Discord is told to open. Raises KeyError if there is no such command."""
    command = commands[form.command]
    shown = _shown(form, command)
    return {
        "title": one_line(form.title, TITLE_LIMIT) or one_line(command.name.capitalize(), TITLE_LIMIT),
        "custom_id": _custom_id(form, command, {arg.name for arg in shown}),
        "components": [_labelled(arg, form.values.get(arg.name, "").strip()) for arg in shown],
    }


def values_of(data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the command of a form that was filled in, and its values as typed; "" if it is none of ours."""
    head, _, rest = str(data.get("custom_id") or "").partition(":")
    command, _, held = rest.partition(":")
    if head != FORM or not command:
        return "", {}
    values = dict(parse_qsl(held))
    for inner in _inputs(data.get("components")):
        name = str(inner.get("custom_id") or "")
        values.pop(name, None)
        if name and (value := _typed(inner)):
            values[name] = value
    return command, values


def _shown(form: Form, command: Command) -> list[Arg]:
    """Return the arguments that a form asks for, in its order: five at most, those that are needed among them."""
    known = {arg.name: arg for arg in command.args}
    named = [known[name] for name in dict.fromkeys(form.fields or tuple(known)) if name in known]
    worth = sorted(named, key=lambda arg: (not arg.required, arg.kind in _PICKED))
    return [arg for arg in named if arg in worth[:INPUTS]]


def _custom_id(form: Form, command: Command, shown: set[str]) -> str:
    words = {arg.name for arg in command.words}
    hidden = sorted(
        (arg for arg in command.args if arg.name not in shown),
        key=lambda arg: (arg.name not in words, arg.kind not in _PICKED),
    )
    made, mark = f"{FORM}:{form.command}:", ""
    for arg in hidden:
        value = one_line(form.values.get(arg.name, ""))
        longer = f"{made}{mark}{arg.name}={quote(value, safe=_SAFE)}"
        if value and len(longer) <= CUSTOM_ID_LIMIT:
            made, mark = longer, "&"
    return made


def _labelled(arg: Arg, value: str) -> Payload:
    label = _NAMED.get(arg.name) or _LABELS.get(arg.kind) or arg.name.capitalize()
    hint = "" if arg.kind in _NO_HINT else _HINTS.get(arg.name, arg.help)
    inner = _MAKERS.get(arg.kind, _text)(arg, value)
    made = {
        "type": LABEL,
        "label": one_line(label, LABEL_LIMIT),
        "component": {"custom_id": arg.name[:CUSTOM_ID_LIMIT], "required": arg.required, **inner},
    }
    return made | ({"description": hint} if (hint := one_line(hint, HINT_LIMIT)) else {})


def _text(arg: Arg, value: str) -> Payload:
    first = "\n".join(lines(value))
    style = PARAGRAPH if arg.sentence or "\n" in first else SHORT
    return {"type": TEXT_INPUT, "style": style, "max_length": TEXT_LIMIT, **_initial("value", _clipped(first))}


def _clipped(text: str) -> str:
    return cut(text, TEXT_LIMIT, str)


def _days(arg: Arg, value: str) -> Payload:
    digits = ""
    with suppress(ValueError):
        digits = str(Weekdays.read(value)) if value else ""
    if value and not digits:
        return _text(arg, value)
    options = [_option(day[:3], day.title(), str(number) in digits) for number, day in enumerate(WEEKDAYS, 1)]
    return {"type": SELECT, "options": options, "min_values": int(arg.required), "max_values": len(options)}


def _choice(arg: Arg, value: str) -> Payload:
    known = {one.casefold() for one in arg.choices}
    few = 0 < len(known) <= OPTIONS and all(len(one) <= OPTION_LIMIT for one in arg.choices)
    if not few or (value and value.casefold() not in known):
        return _text(arg, value)
    options = [_option(one, one.capitalize(), one.casefold() == value.casefold()) for one in arg.choices]
    return {"type": SELECT, "options": options, "min_values": int(arg.required), "max_values": 1}


def _flag(arg: Arg, value: str) -> Payload:
    chosen = ""
    with suppress(ValueError):
        chosen = ("yes" if read_flag(value) else "no") if value else ""
    if value and not chosen:
        return _text(arg, value)
    options = [_option(one, one.capitalize(), one == chosen) for one in ("yes", "no")]
    return {"type": SELECT, "options": options, "min_values": int(arg.required), "max_values": 1}


def _channel(arg: Arg, value: str) -> Payload:
    return _picked(arg, value, {"type": CHANNELS, "channel_types": list(TAKE_DIGESTS)}, "channel")


def _person(arg: Arg, value: str) -> Payload:
    return _picked(arg, value, {"type": USERS}, "user")


def _picked(arg: Arg, value: str, select: Payload, kind: str) -> Payload:
    """Return a select of channels or people; what it cannot show, such as "here", stands in a text input."""
    match = _ID.fullmatch(value)
    if value and not match:
        return _text(arg, value)
    first = [{"id": match[1] or match[2], "type": kind}] if match else []
    return {**select, "min_values": int(arg.required), "max_values": 1, **_initial("default_values", first)}


def _option(value: str, label: str, is_chosen: bool) -> Payload:
    return {"label": one_line(label, OPTION_LIMIT), "value": value} | _initial("default", is_chosen)


def _initial(name: str, value: Any) -> Payload:
    """Return a first value, if there is one."""
    return {name: value} if value else {}


def _inputs(components: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the inputs of a form: each stands in a label, or in a row as Discord had them before."""
    for one in components if isinstance(components, list) else []:
        if isinstance(one, Mapping):
            inner = one.get("component") or one.get("components")
            if inner:
                yield from _inputs(inner if isinstance(inner, list) else [inner])
            else:
                yield one


def _typed(inner: Mapping[str, Any]) -> str:
    """Return what one input holds."""
    values = inner.get("values")
    chosen = [str(one) for one in values] if isinstance(values, list) else []
    mark = {CHANNELS: "#", USERS: "@"}.get(inner.get("type", 0))
    if mark:
        return "".join(f"<{mark}{one}>" for one in chosen[:1])
    return ",".join(chosen) or str(inner.get("value") or "").strip()


_MAKERS: dict[str, Callable[[Arg, str], Payload]] = {
    "days": _days,
    "choice": _choice,
    "flag": _flag,
    "channel": _channel,
    "person": _person,
}

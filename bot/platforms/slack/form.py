"""A form: a command's own arguments as Slack's inputs, and what was filled in, as it would be typed. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bot.core.command import Arg, Command, read_flag
from bot.core.fold import WEEKDAYS
from bot.core.message import Form
from bot.core.typed import Time, Weekdays
from bot.platforms.slack.rich import Element, cut, lines, one_line, plain_text

FORM = "form"  # the callback_id of a form's view
FIELD, VALUE = "arg:", "value"  # what a block_id begins with; the action_id in it
METADATA_LIMIT = 3000  # characters
TEXT_LIMIT = 3000  # characters of a text input
LABEL_LIMIT, HINT_LIMIT, OPTION_LIMIT, ERROR_LIMIT = 100, 200, 75, 300
OPTIONS = 100  # of a select
INPUTS = 90  # of a view, which holds 100 blocks
_LABELS = {"time": "Time", "zone": "Time zone", "days": "Days", "channel": "Channel", "person": "Person"}
_NAMED = {"max": "Papers, at most", "gap": "Days between two digests", "crosslists": "Cross-lists", "because": "Why"}
_HINTS = {"channel": "a channel that you manage; leave it empty for yourself"}  # there is no need to type "here"
_NO_HINT = frozenset({"time", "days", "flag", "choice"})  # the help says how to type what is chosen, or is the label
_TYPED = ": yes or no"  # how to type what is a box here
_CHANNEL = re.compile(r"<#([CG][A-Z0-9]+)(?:\|[^>]*)?>|([CG][A-Z0-9]{7,})")
_PERSON = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>|([UW][A-Z0-9]{7,})")


@dataclass(frozen=True, slots=True)
class Held:
    """What a view knows of itself: its command, values that stand in no input, and the channel it was opened from."""

    command: str = ""
    values: dict[str, str] = field(default_factory=dict)
    channel: str = ""

    def to_json(self) -> str:
        """Return it as the view's private_metadata."""
        return json.dumps({"command": self.command, "values": self.values, "channel": self.channel})

    @classmethod
    def of(cls, view: Mapping[str, Any]) -> Held:
        """Read it from a view; empty if the view has none of ours."""
        try:
            content = json.loads(view.get("private_metadata") or "{}")
            values = {str(name): str(value) for name, value in dict(content.get("values") or {}).items()}
            return cls(str(content.get("command") or ""), values, str(content.get("channel") or ""))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls()


def shown(form: Form, command: Command) -> list[Arg]:
    """Return the arguments that a form asks for, in its order; all of them if it names none."""
    known = {arg.name: arg for arg in command.args}
    names = list(dict.fromkeys(form.fields or tuple(known)))
    if (
        len(held(form, command, names).to_json()) > METADATA_LIMIT - 100
    ):  # nothing is lost: what cannot be held is shown
        names += [name for name in form.values if name in known and name not in names]
    return [known[name] for name in names if name in known][:INPUTS]


def held(form: Form, command: Command, names: list[str], channel: str = "") -> Held:
    """Return what a form's view holds. Of a flag its first value too: an empty box alone says nothing."""
    hidden = {arg.name for arg in command.args if arg.name not in names or arg.kind == "flag"}
    kept = {name: value for name, value in form.values.items() if name in hidden}
    return Held(form.command, kept, channel)


def input_of(arg: Arg, value: str, channel: str = "") -> Element:
    """Return the input block of an argument, with a value in it as it was typed. `channel` is the one called here."""
    element = _MAKERS.get(arg.kind, _text)(arg, value.strip(), channel)
    label = _NAMED.get(arg.name) or _LABELS.get(arg.kind) or arg.name.capitalize()
    block: Element = {
        "type": "input",
        "block_id": f"{FIELD}{arg.name}",
        "label": plain_text(one_line(label, LABEL_LIMIT)),
        "element": {"action_id": VALUE, **element},
        "optional": not arg.required,
    }
    hint = "" if arg.kind in _NO_HINT or arg.name in _NAMED else one_line(_HINTS.get(arg.kind, arg.help), HINT_LIMIT)
    return {**block, "hint": plain_text(hint)} if hint else block


def values_of(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what stands in a submitted view, as it would be typed; what was left empty is left out."""
    kept = Held.of(view).values
    for name, state in _states(view).items():
        first = kept.pop(name, "")
        value = _flag(state, first) if state.get("type") == "checkboxes" else _typed(state)
        if value:
            kept[name] = value
    return kept


def errors_of(view: Mapping[str, Any], commands: Mapping[str, Command]) -> dict[str, str]:
    """Return what is wrong with a submitted view, by block, as Slack shows it below the inputs; nothing if all is well.

    It says only what the arguments themselves can tell; whether there is such a channel the command finds out.
    """
    command = commands.get(Held.of(view).command)
    if command is None:
        return {}
    values = values_of(view)
    found = {}
    for arg in command.args:
        if f"{FIELD}{arg.name}" in _blocks(view) and (reason := _wrong(arg, values.get(arg.name, ""))):
            found[f"{FIELD}{arg.name}"] = one_line(reason, ERROR_LIMIT)
    return found


def _wrong(arg: Arg, value: str) -> str:
    if not value.strip():
        return f"This is needed: {arg.help or arg.name}." if arg.required else ""
    try:
        arg.read(value)
    except ValueError as error:
        reason = str(error) or f"“{value}” does not fit"
        return reason[:1].upper() + reason[1:] + ("" if reason.endswith(("?", ".")) else ".")
    return ""


def _blocks(view: Mapping[str, Any]) -> Mapping[str, Any]:
    state = view.get("state")
    values = state.get("values") if isinstance(state, Mapping) else None
    return values if isinstance(values, Mapping) else {}


def _states(view: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the state of each input, by argument."""
    found = {}
    for block, actions in _blocks(view).items():
        state = actions.get(VALUE) if isinstance(actions, Mapping) else None
        if str(block).startswith(FIELD) and isinstance(state, Mapping):
            found[str(block).removeprefix(FIELD)] = state
    return found


def _typed(state: Mapping[str, Any]) -> str:
    """Return what one input holds. Slack names it by the kind of the input."""
    if channel := state.get("selected_conversation") or state.get("selected_channel"):
        return f"<#{channel}>"
    if person := state.get("selected_user"):
        return f"<@{person}>"
    if isinstance(option := state.get("selected_option"), Mapping):
        return str(option.get("value") or "")
    if isinstance(options := state.get("selected_options"), list):
        return ",".join(str(one.get("value") or "") for one in options if isinstance(one, Mapping))
    return str(state.get("selected_time") or state.get("value") or "").strip()


def _flag(state: Mapping[str, Any], first: str) -> str:
    """Return yes for a checked box. An empty one means no only where something was said before."""
    if state.get("selected_options"):
        return "yes"
    return "no" if first.strip() else ""


def _text(_arg: Arg, value: str, _channel: str) -> Element:
    first = cut("\n".join(lines(value)), TEXT_LIMIT)
    long = {"multiline": True} if "\n" in first else {}
    return {"type": "plain_text_input", "max_length": TEXT_LIMIT, **long, **_initial("initial_value", first)}


def _sentence(arg: Arg, value: str, channel: str) -> Element:
    return {**_text(arg, value, channel), "multiline": True}


def _time(_arg: Arg, value: str, _channel: str) -> Element:
    with suppress(ValueError):
        return {"type": "timepicker", **_initial("initial_time", str(Time.read(value)) if value else "")}
    return {"type": "timepicker"}


def _days(_arg: Arg, value: str, _channel: str) -> Element:
    digits = ""
    with suppress(ValueError):
        digits = str(Weekdays.read(value)) if value else ""
    options = [_option(day[:3], day.title()) for day in WEEKDAYS]
    chosen = [options[int(digit) - 1] for digit in digits]
    return {"type": "multi_static_select", "options": options, **_initial("initial_options", chosen)}


def _choice(arg: Arg, value: str, channel: str) -> Element:
    options = [_option(one, one.capitalize()) for one in arg.choices[:OPTIONS]]
    if not options:
        return _text(arg, value, channel)
    chosen = next((one for one in options if one["value"].casefold() == value.casefold()), None)
    return {"type": "static_select", "options": options, **_initial("initial_option", chosen)}


def _checkbox(arg: Arg, value: str, _channel: str) -> Element:
    option = _option("yes", arg.help.removesuffix(_TYPED) or arg.name.capitalize())
    on = False
    with suppress(ValueError):
        on = read_flag(value)
    return {"type": "checkboxes", "options": [option], **_initial("initial_options", [option] if on else [])}


def _count(arg: Arg, value: str, _channel: str) -> Element:
    number = ""
    with suppress(ValueError):
        number = str(int(arg.read(value))) if value else ""
    return {"type": "number_input", "is_decimal_allowed": False, **_initial("initial_value", number)}


def _conversation(arg: Arg, value: str, channel: str) -> Element:
    match = _CHANNEL.fullmatch(channel if value.casefold() == "here" else value)
    if value and not match:
        return _text(arg, value, channel)
    chosen = (match[1] or match[2]) if match else ""
    allowed = {"include": ["public", "private"], "exclude_bot_users": True}
    return {"type": "conversations_select", "filter": allowed, **_initial("initial_conversation", chosen)}


def _user(arg: Arg, value: str, channel: str) -> Element:
    match = _PERSON.fullmatch(value)
    if value and not match:
        return _text(arg, value, channel)
    return {"type": "users_select", **_initial("initial_user", (match[1] or match[2]) if match else "")}


def _option(value: str, label: str) -> Element:
    return {"text": plain_text(one_line(label, OPTION_LIMIT)), "value": value[:150]}


def _initial(name: str, value: Any) -> Element:
    """Return a first value, if there is one: Slack refuses empty ones."""
    return {name: value} if value else {}


_MAKERS: dict[str, Callable[[Arg, str, str], Element]] = {
    "time": _time,
    "days": _days,
    "choice": _choice,
    "flag": _checkbox,
    "count": _count,
    "channel": _conversation,
    "person": _user,
    "sentence": _sentence,
}

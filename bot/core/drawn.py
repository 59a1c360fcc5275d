"""What the bot says of its commands, for a platform that draws each argument by itself: `topic:robots at:09:00`. Pure.

There every word needs the name of its argument, and who or where is picked from a list. What cannot be picked
(`in=here`, `role=none`, what is quoted) is typed after `ask`, as is whatever is no command. A workspace is called
a server there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.core.command import Command
from bot.core.message import Message

ASK = "ask"  # the command that takes a line as it is typed, in its one argument
ASKED = f"{ASK} text:"
ASK_HELP = "Say it in your own words: a search, or any command as it is typed."
_QUOTED = re.compile("(“[^”]*”)")  # what people typed, and names: they stay as they are
_PICKED = ("channel", "person", "role")
_WORKSPACE = re.compile(r"\b(this|the|your) workspace\b")


def drawn(message: Message, name: str, commands: Mapping[str, Command]) -> Message:
    """Return a message whose own words say commands as they are drawn, where the root is called `name`."""
    names = "|".join(sorted({option for one in commands.values() for option in one.options}))
    line = re.compile(rf"(?<![\w/])/{re.escape(name)} ([\w-]+)((?:(?!/{re.escape(name)}\b)[^\n])*)")
    option = re.compile(rf"(?<![\w/?&=])({names})=") if names else re.compile("(?!)")
    worded = partial(_worded, name=name, commands=commands, line=line, option=option)
    return replace(
        message, text=worded(message.text), footer=worded(message.footer), if_closed=worded(message.if_closed)
    )


def _worded(
    text: str, name: str, commands: Mapping[str, Command], line: re.Pattern[str], option: re.Pattern[str]
) -> str:
    said = line.sub(lambda found: f"/{name} {_line(found[1], found[2], commands)}", text)
    return "".join(part if _QUOTED.fullmatch(part) else _own(part, option) for part in _QUOTED.split(said))


def _own(text: str, option: re.Pattern[str]) -> str:
    return _WORKSPACE.sub(r"\1 server", option.sub(r"\1:", text))


def _line(first: str, rest: str, commands: Mapping[str, Command]) -> str:
    """Return a line, from its command on; `rest` begins with a space, or ends the line at once."""
    command = commands.get(first)
    if command is None or command.hidden:
        return (ASKED if first.isupper() else "") + first + rest
    if '"' in rest or any(_unpicked(arg.name, rest) for arg in command.options.values() if arg.kind in _PICKED):
        return ASKED + first + rest
    word = rest[1:].split(" ", 1)[0] if rest.startswith(" ") else ""
    is_option = word.partition("=")[0] in command.options
    if word[:1] in ("", "[") or is_option or not command.words:
        return first + rest
    return f"{first} {command.words[0].name}:{rest[1:]}"


def _unpicked(option: str, rest: str) -> bool:
    """Say whether an option names somebody or a place that a list does not have."""
    return re.search(rf"(?<![\w\[]){option}=[^\s#@<…]", rest) is not None

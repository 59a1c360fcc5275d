"""What people type, taken apart: one grammar for every platform. Never raises; whatever is no command is a search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from bot.core.command import Arg, Command
from bot.core.message import Message

ROOT = "papers"
TEXT_LIMIT = 4000  # characters read of one line; a platform's own limit is lower or close
_OWN = re.compile(rf"(?<![\w/])/{ROOT}(?![\w/-])")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "\u00a0": " "})
_TOKEN = re.compile(
    r'(?:(?P<name>(?:--|—|–)?[^\s"=:]{1,40})(?P<sign>[=:]))?(?:"(?P<quoted>[^"]*)"(?=\s|$)|(?P<bare>\S+))'
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """One line, taken apart.

    `command` is None if the first word is none: then the whole `text` is searched for, and `guess` is the command that
    the first word comes close to, to be offered and never run. `unread` are options with an equals sign whose values
    cannot be read (`tz=Mars`): they stand among the words, and a command that is no search refuses them by name.
    """

    text: str
    rest: str = ""
    command: Command | None = None
    words: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    guess: Command | None = None
    unread: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Token:
    raw: str
    name: str
    sign: str
    value: str
    quoted: bool


def parse(line: str, commands: Mapping[str, Command]) -> Parsed:
    """Take a line apart: with or without the root, with straight or curly quotes, with short or long dashes."""
    text = strip_root(line[:TEXT_LIMIT])
    first, _, rest = text.partition(" ")
    known = commands.get(first.casefold())
    if known is None or known.hidden:
        return Parsed(text=text, rest=text, guess=_near(first, bool(rest), commands))
    words, options, unread = arguments(known, rest)
    return Parsed(text, rest.strip(), known, tuple(words), tuple(options.items()), unread=tuple(unread.items()))


def strip_root(line: str) -> str:
    """Drop a leading `/papers`, and spaces around and in doubles."""
    text = " ".join(line.translate({0: " "}).split())
    first, _, rest = text.partition(" ")
    return rest if first.casefold() == f"/{ROOT}" else text


def heard(text: str, name: str) -> str:
    """Return a line as the grammar knows it, where the command is called `name`."""
    first, _, rest = text.lstrip().partition(" ")
    return f"/{ROOT} {rest}" if name != ROOT and first.casefold() == f"/{name}" else text


def spoken(message: Message, name: str) -> Message:
    """Return a message whose own words call the command as it is called here. Titles and abstracts stay as they are."""
    if name == ROOT:
        return message
    text, footer = (_OWN.sub(f"/{name}", part) for part in (message.text, message.footer))
    return replace(message, text=text, footer=footer)


def arguments(command: Command, rest: str) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Split the rest of a line into words, options, and options that cannot be read and so are words too.

    Only a known option whose value can be read is an option; anything else is a word. A bare flag counts only at the
    end. An option whose value is a sentence (`because=`) takes what is left of the line, unless it is quoted.
    """
    tokens = [_token(match) for match in _TOKEN.finditer(rest.translate(_QUOTES))]
    words: list[_Token] = []
    options: dict[str, str] = {}
    unread: dict[str, str] = {}
    for place, token in enumerate(tokens):
        name = token.name.lstrip("-—–").casefold()
        arg = command.options.get(name)
        if arg is not None and arg.sentence and token.value and not token.quoted:
            options[name] = " ".join([token.value, *(after.raw for after in tokens[place + 1 :])])
            break
        if arg is not None and _fits(arg, token.value):
            options[name] = token.value
        elif (flag := _dashed_flag(token, command)) is not None:
            options[flag] = "yes"
        else:
            words.append(token)
            unread |= {name: token.value} if arg is not None and token.sign == "=" else {}
    flags = {name for name, arg in command.options.items() if arg.flag}
    least = sum(arg.required for arg in command.words)  # `search share` looks for the word "share"
    while len(words) > least and not words[-1].quoted and words[-1].raw.casefold() in flags:
        options[words.pop().raw.casefold()] = "yes"
    return [token.value if token.quoted and not token.name else token.raw for token in words], options, unread


def _token(match: re.Match[str]) -> _Token:
    quoted = match["quoted"] is not None
    value = match["quoted"] if quoted else (match["bare"] or "")
    return _Token(match[0], match["name"] or "", match["sign"] or "", value, quoted)


def _dashed_flag(token: _Token, command: Command) -> str | None:
    stripped = token.raw.lstrip("-—–").casefold()
    arg = command.options.get(stripped)
    return stripped if arg and arg.flag and token.raw[:1] in "-—–" else None


def _fits(arg: Arg, value: str) -> bool:
    try:
        arg.read(value)
    except ValueError:
        return False
    return bool(value)


def _near(word: str, more: bool, commands: Mapping[str, Command]) -> Command | None:
    """Return the command that a word is a slip of the pen of: about one letter in five may differ.

    A word that stands alone is no slip of a command that needs more words.
    """
    shown = [
        known for known in commands.values() if not known.hidden and (more or not any(a.required for a in known.args))
    ]
    scored = [(SequenceMatcher(None, word[:40].casefold(), known.name).ratio(), known) for known in shown]
    best, known = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return known if best >= 0.8 and len(word) > 3 else None

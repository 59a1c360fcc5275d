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
VALUE_WORDS = 8  # words that one value may have, such as "mon, tue, wed and sat"
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
    parts = (message.text, message.footer, message.if_closed)
    text, footer, if_closed = (_OWN.sub(f"/{name}", part) for part in parts)
    return replace(message, text=text, footer=footer, if_closed=if_closed)


def arguments(command: Command, rest: str) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Split the rest of a line into words, options, and options that cannot be read and so are words too.

    Only a known option whose value can be read is an option; anything else is a word. A bare flag counts only at the
    end. A value takes the words after it that belong to it, unless it is quoted: see `_whole`.
    """
    tokens = [_token(match) for match in _TOKEN.finditer(rest.translate(_QUOTES))]
    words: list[_Token] = []
    options: dict[str, str] = {}
    unread: dict[str, str] = {}
    after = 0
    for place, token in enumerate(tokens):
        if place < after:
            continue
        name = token.name.lstrip("-—–").casefold()
        arg = command.options.get(name)
        more = _whole(arg, tokens[place:], command, said=bool(words)) if arg is not None and token.value else 0
        value = " ".join([token.value, *(one.raw for one in tokens[place + 1 : place + 1 + more])])
        if arg is not None and (_fits(arg, value) or (arg.sentence and token.value and not token.quoted)):
            options[name], after = value, place + 1 + more
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


def _whole(arg: Arg, tokens: list[_Token], command: Command, *, said: bool) -> int:
    """Return how many tokens after the first belong to an option's value too, as in `at=9 am` and `on=mon, wed`.

    A sentence takes all. A phrase (`name=my robots`) goes on to the next option, where words were `said` before it. Of
    other values the longest that can be read counts.
    """
    if tokens[0].quoted:
        return 0
    if arg.sentence:
        return len(tokens) - 1
    bare = next((at for at, one in enumerate(tokens[1:]) if _is_option(one, command)), len(tokens) - 1)
    if arg.phrase:
        while bare and (ending := command.options.get(tokens[bare].raw.casefold())) is not None and ending.flag:
            bare -= 1
        return bare if said else 0
    if arg.flag or arg.read is str:
        return 0
    longest = range(min(bare, VALUE_WORDS - 1), 0, -1)
    return next(
        (n for n in longest if _fits(arg, " ".join([tokens[0].value, *(one.raw for one in tokens[1 : n + 1])]))), 0
    )


def _is_option(token: _Token, command: Command) -> bool:
    return token.name.lstrip("-—–").casefold() in command.options or _dashed_flag(token, command) is not None


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

    A word that stands alone is no slip of a command that needs more words, and a short one is none at all.
    """
    if len(word) <= 3:
        return None
    shown = [
        known for known in commands.values() if not known.hidden and (more or not any(a.required for a in known.args))
    ]
    scored = [(SequenceMatcher(None, word[:40].casefold(), known.name).ratio(), known) for known in shown]
    best, known = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return known if best >= 0.8 else None

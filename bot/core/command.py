"""A command is written once: its name, arguments, defaults and help are a function's signature and docstring.

    @command
    async def search(ctx: Context, words: Annotated[str, "to look for"], *, days: Annotated[int, "…"] = 0) -> Message:
        "Find papers by words, title, author, id or link."

What stands before the `*` is said in words, in order; the last of it takes all words that are left. What stands behind
the `*` is an option, typed `days=30`, `days:30` or `--days=30`. A trailing underscore is dropped: `in_` is typed `in`.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, overload

from bot.core.message import Form, Message
from bot.errors import UsageError

MISSING = inspect.Parameter.empty
SENTENCE = "…"  # beside an option's help: its value is a sentence and takes the rest of the line
PHRASE = "… …"  # beside an option's help: its value may have several words, up to the next option
CHANNEL = "#"  # beside an argument's help: its value names a channel
PERSON = "@"  # beside an argument's help: its value names a person
ROLE = "@&"  # beside an argument's help: its value names a role
Kind = Literal["text", "time", "zone", "days", "count", "choice", "flag", "sentence", "channel", "person", "role"]
_YES = frozenset({"yes", "true", "on", "1"})
_NO = frozenset({"no", "false", "off", "0"})
_MARKS = (SENTENCE, PHRASE, CHANNEL, PERSON, ROLE)
_KINDS: dict[Any, Kind] = {
    SENTENCE: "sentence",
    CHANNEL: "channel",
    PERSON: "person",
    ROLE: "role",
    bool: "flag",
    int: "count",
}
Completions = Sequence[tuple[str, str]]  # what is shown, and the value that it stands for


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument. `read` turns typed text into the value, or raises ValueError with what would be right.

    `kind` is what a form draws; its `choices` are all the values that it takes, where they are few. `complete` gets the
    context and what was typed so far, and offers values.
    """

    name: str
    parameter: str
    help: str
    read: Callable[[str], Any]
    default: Any = MISSING
    option: bool = False
    flag: bool = False
    many: bool = False
    sentence: bool = False
    phrase: bool = False
    kind: Kind = "text"
    choices: tuple[str, ...] = ()
    complete: Callable[[Any, str], Awaitable[Completions]] | None = None

    @property
    def required(self) -> bool:
        """Whether the command cannot run without it."""
        return self.default is MISSING

    @property
    def usage(self) -> str:
        """How it is typed, in square brackets where it may be left out."""
        if self.flag:
            shown = self.name
        elif self.option:
            shown = f"{self.name}={self.default if isinstance(self.default, int) and self.default else '…'}"
        else:
            shown = self.name.upper() + ("…" if self.many else "")
        return shown if self.required else f"[{shown}]"


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `personal` ones are never public; `hidden` ones are reached by buttons only.

    `form` makes its form of what was said so far, by argument; None if there is nothing to fill in. `edits`: its answer
    takes the place of the message that was pressed, where that is private. `threads`: the answer to a mention may stand
    in the thread, for all to see. `guests`: somebody of another organisation may use it. `seldom`: it goes behind all
    others where a platform has no room for every command.
    """

    name: str
    help: str
    args: tuple[Arg, ...]
    run: Callable[..., Awaitable[Message]]
    form: MakeForm | None = None
    personal: bool = False
    hidden: bool = False
    edits: bool = False
    threads: bool = False
    guests: bool = False
    seldom: bool = False

    @property
    def opens_form(self) -> bool:
        """Whether it has a form. When one is opened, `core.asked` says."""
        return self.form is not None

    @property
    def words(self) -> tuple[Arg, ...]:
        """The arguments that are said in words, in order."""
        return tuple(arg for arg in self.args if not arg.option)

    @property
    def options(self) -> dict[str, Arg]:
        """The options, by the name that is typed."""
        return {arg.name: arg for arg in self.args if arg.option}

    @property
    def usage(self) -> str:
        """The whole line, as it is typed after `/papers`."""
        return " ".join([self.name, *(arg.usage for arg in self.args)])

    def bind(self, words: list[str], options: Mapping[str, str]) -> dict[str, Any]:
        """Turn typed words and options into the arguments of `run`. Raises UsageError."""
        values: dict[str, Any] = {}
        left = list(words)
        for arg in self.words:
            last = arg is self.words[-1]
            taken, left = (left, []) if last else (left[:1], left[1:])
            if not any(word.strip() for word in taken):
                if arg.required:
                    raise UsageError(f"{arg.name.upper()} is missing: {arg.help}. Type: /papers {self.usage}")
                continue
            values[arg.parameter] = tuple(taken) if arg.many else self._read(arg, " ".join(taken))
        for name, text in options.items():
            if name in self.options:
                values[self.options[name].parameter] = self._read(self.options[name], text)
        for arg in self.options.values():
            if arg.required and arg.parameter not in values:
                raise UsageError(f"{arg.name}= is missing: {arg.help}. Type: /papers {self.usage}")
        if left:
            raise UsageError(f"“{self.name}” takes no words after it. Type: /papers {self.usage}")
        return values

    def _read(self, arg: Arg, text: str) -> Any:
        try:
            return arg.read(text)
        except ValueError as error:
            reason = str(error) or f"“{text}” does not fit"
            stop = "" if reason.endswith("?") else "."
            raise UsageError(f"{arg.name}: {reason}{stop} All that it takes: /papers help {self.name}") from None


MakeForm = Callable[[Any, Mapping[str, str]], Awaitable[Form | None]]


def read_flag(text: str) -> bool:
    """Read yes or no. Raises ValueError."""
    folded = text.strip().casefold()
    if folded not in _YES | _NO:
        raise ValueError("say yes or no")
    return folded in _YES


def read_int(text: str) -> int:
    """Read a whole number in any script's digits. Raises ValueError."""
    try:
        if len(text) > 12 or "_" in text:
            raise ValueError
        return int(text)
    except ValueError:
        raise ValueError(f"“{text[:20]}” is not a whole number") from None


@overload
def command(run: Callable[..., Awaitable[Message]]) -> Command: ...
@overload
def command(
    *,
    form: MakeForm | None = None,
    personal: bool = False,
    hidden: bool = False,
    edits: bool = False,
    threads: bool = False,
    guests: bool = False,
    seldom: bool = False,
) -> Callable[[Callable[..., Awaitable[Message]]], Command]: ...
def command(
    run: Callable[..., Awaitable[Message]] | None = None, **traits: Any
) -> Command | Callable[[Callable[..., Awaitable[Message]]], Command]:
    """Make a `Command` of an async function whose first parameter is the context. `traits` are fields of `Command`."""

    def make(function: Callable[..., Awaitable[Message]]) -> Command:
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())[1:]
        doc = inspect.cleandoc(function.__doc__ or "").splitlines()
        return Command(
            name=function.__name__.rstrip("_"),
            help=doc[0] if doc else "",
            args=tuple(_arg(parameter, hints[parameter.name]) for parameter in parameters),
            run=function,
            **traits,
        )

    return make if run is None else make(run)


def _arg(parameter: inspect.Parameter, hint: Any) -> Arg:
    """Read one parameter. Its type is str, int, bool, tuple[str, ...], or a class with a `read` of its own."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_origin(kind) in (UnionType, typing.Union):
        kind = next(part for part in get_args(kind) if part is not type(None))
    many = get_origin(kind) is tuple
    readers: dict[Any, Callable[[str], Any]] = {str: str, int: read_int, bool: read_flag}
    arg = Arg(
        name=parameter.name.rstrip("_"),
        parameter=parameter.name,
        help=next((note for note in notes if isinstance(note, str) and note not in _MARKS), ""),
        read=str if many else readers.get(kind) or kind.read,
        default=parameter.default,
        option=parameter.kind is inspect.Parameter.KEYWORD_ONLY,
        flag=kind is bool,
        many=many,
        sentence=SENTENCE in notes,
        phrase=PHRASE in notes,
        kind=_kind(kind, notes),
        choices=tuple(str(one.value) for one in kind) if _is_enum(kind) else (),
    )
    complete = next((note for note in notes if callable(note)), None)
    return replace(arg, complete=complete) if complete else arg


def _kind(type_: Any, notes: Sequence[Any]) -> Kind:
    """Return the kind of an argument: a mark beside its help, its type, or what its type says of itself."""
    if _is_enum(type_):
        return "choice"
    marked = next((note for note in notes if note in _KINDS), type_)
    said: Kind = getattr(type_, "kind", "text")
    return _KINDS.get(marked, said)


def _is_enum(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Enum)

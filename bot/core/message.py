"""A message, modelled once. All text is raw: a platform escapes it, and decides shape, colours and menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from unicodedata import category

CARDS_PER_PAGE = 5  # five cards with four buttons each are exactly Discord's 40 components
ACTION_LIMIT = 100  # characters: Discord's custom_id
ELLIPSIS = "…"
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


@dataclass(frozen=True, slots=True)
class Button:
    """Does `action` in the bot, or opens `url`. With `menu`, a platform that has overflow menus puts it there."""

    label: str
    action: str = ""
    url: str = ""
    menu: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """One paper. `lines` are in order of worth: what does not fit is cut from the last.

    `why` is the reason by itself, for programs; for reading it stands in a line of its own, as "why: …". `head` begins
    a part of the message: it stands above this card.
    """

    paper: str
    title: str
    url: str = ""
    number: int = 0
    lines: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    why: str = ""
    head: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file for one person only."""

    name: str
    content: bytes
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Form:
    """A command's own arguments as inputs; submitting it is a Request with that command and these names.

    `fields` are the arguments that are shown, in order of worth: a platform with room for five shows the first five.
    `values` are what stands in them at first, as typed; those of arguments that are not shown are sent along unchanged.
    """

    command: str
    values: dict[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What the bot says. `public` is for everybody in the channel; all else is for the person who asked.

    `private`: for nobody else even where answers are public, as an error in a thread. `lasts`: worth keeping, so where
    private answers vanish it goes to the direct message as well. `if_closed` is said too if that is refused. `topics`
    are those of a digest, for a place that sorts by them. `choices` are what can stand in an argument, each a label
    with the value that it is for: the answer to "complete". `in_place`: it takes the place of the message that was
    pressed, where that is private, as a page that was turned; an error never does.
    """

    text: str = ""
    cards: tuple[Card, ...] = ()
    buttons: tuple[Button, ...] = ()
    footer: str = ""
    files: tuple[File, ...] = ()
    form: Form | None = None
    public: bool = False
    private: bool = False
    lasts: bool = False
    if_closed: str = ""
    topics: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    in_place: bool = False


def to_json(message: Message) -> dict[str, Any]:
    """Return a message as plain JSON, to be stored until it is sent. Raises ValueError for one with files or a form."""
    if message.files or message.form is not None:
        raise ValueError("files and forms are for the person who asks, now")
    return asdict(message) | {"files": [], "form": None, "topics": list(message.topics), "choices": []}


def from_json(content: Mapping[str, Any]) -> Message:
    """Return the message that `to_json` made this of."""
    cards = tuple(
        Card(**{**card, "lines": tuple(card["lines"]), "buttons": tuple(Button(**one) for one in card["buttons"])})
        for card in content["cards"]
    )
    buttons = tuple(Button(**one) for one in content["buttons"])
    topics = tuple(str(topic) for topic in content.get("topics", ()))
    return Message(content["text"], cards, buttons, content["footer"], public=content["public"], topics=topics)


def fit(text: str, limit: int, escape: Callable[[str], str] = str) -> str:
    """Clip raw `text` so that `escape(result)` has at most `limit` characters, and return it escaped.

    It is the raw text that is cut, so that an entity or an escape sequence is never split. A grapheme's combining
    marks, joiners and variation selectors stay with their base or go with it.
    """
    escaped = escape(text)
    if len(escaped) <= limit:
        return escaped
    low, high = 0, min(len(text), limit)
    while low < high:  # the escaped length grows with the raw length, so the longest that fits is found by halving
        middle = (low + high + 1) // 2
        if len(escape(text[:middle].rstrip() + ELLIPSIS)) <= limit:
            low = middle
        else:
            high = middle - 1
    cut = whole(text, low)
    return escape(text[:cut].rstrip() + ELLIPSIS) if cut or limit >= len(escape(ELLIPSIS)) else ""


def whole(text: str, end: int) -> int:
    """Move `end` back to where it does not separate a base character from what belongs to it: marks, joiners, flags."""
    while 0 < end < len(text) and (_joins(text[end]) or text[end - 1] == "\u200d" or _splits_flag(text, end)):
        end -= 1
    return end


def _joins(character: str) -> bool:
    point = ord(character)
    return (
        category(character) in ("Mn", "Mc", "Me")  # marks of all scripts, variation selectors, keycaps
        or point == 0x200D
        or 0x1F3FB <= point <= 0x1F3FF  # skin tones
        or 0xE0020 <= point <= 0xE007F  # tags of regional flags
        or 0xDC00 <= point <= 0xDFFF
    )


def _splits_flag(text: str, end: int) -> bool:
    """Tell whether `end` is between the two letters of a flag: an odd number of them stands before it."""
    before = text[:end]
    return text[end] in _FLAG_LETTERS and (len(before) - len(before.rstrip(_FLAG_LETTERS))) % 2 == 1

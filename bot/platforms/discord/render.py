"""A message as Discord shows it: components, version 2. Pure.

By construction within Discord's limits: COMPONENTS in all, TOTAL characters over all texts. Five cards with four
buttons each, a rule above each, the text, the footer and two buttons to turn pages are exactly as many. With more,
rules give way from the top. What does not fit is cut from the lines of the cards, then from their titles; links and
buttons stay. Discord has no menu for buttons, so the first four or five of a card are shown, and those meant for a menu
give way. The title is the way to open a paper; where it cannot be a link (see `text.linkable`), a link follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from bot.core.card import web
from bot.core.message import Button, Card, Message
from bot.platforms.discord.marks import BUTTON, CUSTOM_ID_LIMIT, TEXT, custom_id, nonce_of, number_of
from bot.platforms.discord.text import (
    Write,
    address,
    cut,
    escaped,
    line_of_card,
    lines,
    linkable,
    linked,
    one_line,
    shares,
    small,
    wanted,
    weight,
    within,
)

Component = dict[str, Any]

COMPONENTS = 40  # of one message, those in rows counted
TOTAL = 4000  # characters over all texts
IN_ROW = 5  # buttons
MOST_OF_CARD = 5  # buttons of a card, where there is room
MOST_BELOW = 25  # buttons below the cards
LABEL_LIMIT = 80
URL_LIMIT = 512  # characters of the link of a button
TITLE_LIMIT = 300
TITLE_LEAST = 60  # characters of a title that are kept whatever else there is
HEADER_LIMIT = 150
FOOTER_LIMIT = 600
NAME_LIMIT = 100  # characters of the name of a post in a forum
UNTITLED = "(untitled)"
NOTHING = "There is nothing to show here."
OPEN = "open"  # the words of a link beside a title that cannot be one
ROW, RULE = 1, 14  # types of components
SECONDARY, LINK = 2, 5  # styles of buttons


@dataclass(frozen=True, slots=True)
class _Part:
    """A card, cleaned: what it wants to say, and what stands however little room there is."""

    head: str
    number: str
    title: str
    url: str
    said: list[str]
    buttons: list[Button]

    @property
    def fixed(self) -> int:
        """The weight of what is not cut, line breaks counted."""
        return weight(self.head) + weight(self.number) + 2


def components_of(message: Message, *, key: str = "", nonce: str = "") -> list[Component]:
    """Return the components of a message, at least one. With the key of a delivery they carry its mark.

    So they do with its `nonce`, if there is a button: whatever takes the place of a delivery is still found.
    """
    below = _useful(message.buttons)[:MOST_BELOW]
    parts = [_part(card) for card in message.cards]
    above = lines(message.text)
    rules = len(parts) - (not above)
    most, fitting, rules = _plan(parts, rules, COMPONENTS - bool(above) - 1 - _count(below))
    footer = _footer(message.footer, len(parts) - fitting)
    own, *texts = _texts(above, parts[:fitting], footer)
    made = [_text(own)] if own else []
    for left, text, part in zip(range(len(texts), 0, -1), texts, parts, strict=False):
        made += [{"type": RULE}] if left <= rules else []
        made += [_text(text), *_rows(part.buttons[:most])]
    if texts and below and _size(made) + _count(below) + bool(footer) < COMPONENTS:
        made.append({"type": RULE})  # or they would seem to belong to the last card
    made += _rows(below)
    made += [_text(footer)] if footer else []
    return _marked(made or [_text(NOTHING)], key, nonce)


def title_of(message: Message) -> str:
    """Return the name of a post that the message makes in a forum: its first line or a title, as plain text."""
    said = [*lines(message.text)[:1], *(card.title for card in message.cards), message.footer, NOTHING]
    return next(name for one in said if (name := one_line(one, NAME_LIMIT)))


def _part(card: Card) -> _Part:
    url, head = web(card.url), one_line(card.head)
    buttons = [one for one in _useful(card.buttons) if one.action or one.url != url]
    return _Part(
        head=f"### {cut(head, HEADER_LIMIT)}" if head else "",
        number=f"{card.number}  " if card.number else "",
        title=one_line(card.title, TITLE_LIMIT) or UNTITLED,
        url=address(url),
        said=[line for raw in card.lines if (line := one_line(raw))],
        buttons=sorted(buttons, key=lambda one: one.menu),
    )


def _useful(buttons: Sequence[Button]) -> list[Button]:
    """Return the buttons that Discord takes; what they do leaves room to be told from others that do the same."""
    return [one for one in buttons if 0 < len(one.action) <= CUSTOM_ID_LIMIT - 3 or _opens(one)]


def _opens(button: Button) -> bool:
    return not button.action and bool(web(button.url)) and weight(button.url) <= URL_LIMIT


def _count(buttons: Sequence[Button]) -> int:
    """Return how many components buttons are, with their rows."""
    return len(buttons) + -(-len(buttons) // IN_ROW)


def _plan(parts: Sequence[_Part], rules: int, room: int) -> tuple[int, int, int]:
    """Return how many buttons a card may have, how many cards are within `room` components then, and how many rules."""
    tried = [(most, rules) for most in (MOST_OF_CARD, MOST_OF_CARD - 1)]
    tried += [(MOST_OF_CARD - 1, ruled) for ruled in range(rules - 1, -1, -1)]
    tried += [(most, 0) for most in range(MOST_OF_CARD - 2, 0, -1)]
    fitting = 0
    for most, ruled in tried:
        sizes = accumulate(1 + _count(part.buttons[:most]) for part in parts)
        fitting = sum(size <= room - ruled for size in sizes)
        if fitting == len(parts):
            return most, fitting, ruled
    return 1, fitting, 0


def _footer(text: str, left_out: int) -> str:
    said = lines(text)
    if left_out:
        said = [" · ".join([f"{left_out} more do not fit here", *said[:1]]), *said[1:]]
    return "\n".join(within(said, FOOTER_LIMIT, small))


def _texts(own: Sequence[str], parts: Sequence[_Part], footer: str) -> list[str]:
    """Return the text above the cards, which may be nothing, and that of each card; with the footer TOTAL at most."""
    room = TOTAL - weight(footer) - sum(part.fixed for part in parts)
    costs = [weight(_title(part, part.title, part.url)) - weight(_title(part, part.title, "")) for part in parts]
    given = shares(costs, room - TITLE_LEAST * len(parts))
    links = [part.url if cost == got else "" for part, cost, got in zip(parts, costs, given, strict=True)]
    costs = [cost if link else 0 for cost, link in zip(costs, links, strict=True)]
    room -= sum(costs)
    given = shares([weight(_title(part, part.title, "")) for part in parts], room)
    writes: list[Write] = [partial(_title, part, url=link) for part, link in zip(parts, links, strict=True)]
    titles = [
        cut(part.title, max(got, TITLE_LEAST) + cost, write)
        for part, got, cost, write in zip(parts, given, costs, writes, strict=True)
    ]
    room = TOTAL - weight(footer) - sum(part.fixed for part in parts) - sum(map(weight, titles))
    share, *of_cards = shares([wanted(own, linked), *(wanted(part.said, line_of_card) for part in parts)], room)
    made = ["\n".join(within(own, share, linked))]
    for part, title, got in zip(parts, titles, of_cards, strict=True):
        head = [part.head] if part.head else []
        made.append("\n".join([*head, part.number + title, *within(part.said, got, line_of_card)]))
    return made


def _title(part: _Part, title: str, url: str) -> str:
    """Return the title of a card, or what was cut from it, in bold, with its link if there is one."""
    if url and linkable(part.title):
        return f"[**{title}**](<{url}>)"
    return f"**{escaped(title)}**" + (f" · [{OPEN}](<{url}>)" if url else "")


def _text(content: str) -> Component:
    return {"type": TEXT, "content": content}


def _rows(buttons: Sequence[Button]) -> list[Component]:
    made = [_button(one) for one in buttons]
    return [{"type": ROW, "components": made[start : start + IN_ROW]} for start in range(0, len(made), IN_ROW)]


def _button(button: Button) -> Component:
    label = one_line(button.label, LABEL_LIMIT) or "…"
    if button.action:
        return {"type": BUTTON, "style": SECONDARY, "label": label, "custom_id": button.action}
    return {"type": BUTTON, "style": LINK, "label": label, "url": web(button.url)}


def _size(components: Sequence[Component]) -> int:
    """Return how many components these are, those in rows counted."""
    return sum(1 + len(one.get("components", ())) for one in components)


def _marked(components: list[Component], key: str, nonce: str) -> list[Component]:
    """Make each custom_id the only one of its kind; with a key, mark the first button that has room, or else a part."""
    nonce = nonce_of(key) if key else nonce
    taken: set[str] = set()
    for button in [one for row in components for one in row.get("components", ()) if "custom_id" in one]:
        action = button["custom_id"]
        marked = custom_id(action, nonce=nonce) if nonce else ""
        nonce = "" if marked else nonce
        button["custom_id"] = marked or custom_id(action, taken=taken)
        taken.add(button["custom_id"])
    if nonce and key:
        components[0]["id"] = number_of(key)
    return components

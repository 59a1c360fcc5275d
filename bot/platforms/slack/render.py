"""A message as Slack shows it: blocks, and the text for notifications and screen readers. Pure.

By construction within Slack's limits: `most` blocks, TOTAL characters over all of them. What does not fit is cut from
the lines of the cards, then from their titles; links and buttons stay, and the last cards are left out if need be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from bot.core.card import web
from bot.core.message import Button, Card, Message
from bot.platforms.slack.rich import (
    cut,
    escaped,
    lines,
    link,
    linked,
    one_line,
    plain_text,
    quote,
    section,
    shares,
    text,
    weight,
)

Block = dict[str, Any]

BLOCKS = 50  # of one message; a view has VIEW_BLOCKS
VIEW_BLOCKS = 100
# Characters over all blocks: Slack says 12,000 of text and a buffer for their containers. It was seen to refuse 13,298
# in one block, 13,173 if a rule was added, and 11,341 in more of them (github.com/slackapi/bolt-js issues 2509, 2867).
TOTAL, CONTAINER = 13_100, 125
VIEW_TOTAL = 12_000  # of a view, which has no such limit, only 250 kB
TITLE_LIMIT = 300
TITLE_LEAST = 60  # characters of a title that are kept whatever else there is
HEADER_LIMIT = 150
LABEL_LIMIT = 75
CARD_LABEL_LIMIT = 40  # characters on the buttons of a card, of which a message has many
VALUE_LIMIT = 150  # characters of what an entry of a menu does
IN_MENU = 5  # entries of an overflow menu
IN_ROW = 25  # elements of one actions block
FOOTER_LIMIT = 1000
FALLBACK_LIMIT = 3000
UNTITLED = "(untitled)"
NOTHING = "There is nothing to show here."

# The action_ids of our elements begin with one of these; what is pressed is in the value.
PRESS, MENU, OPEN = "press", "menu", "open"


@dataclass(frozen=True, slots=True)
class _Part:
    """A card, cleaned: what it wants to say, and what stands however little room there is."""

    head: str
    number: str
    title: str
    url: str
    said: list[str]
    rows: list[Block]

    @property
    def fixed(self) -> int:
        """The weight of what is not cut."""
        return weight(self.head) + weight(self.number) + sum(map(_weight_of, self.rows))

    @property
    def blocks(self) -> int:
        """How many blocks it takes."""
        return bool(self.head) + 1 + len(self.rows)


def blocks_of(message: Message, *, most: int = BLOCKS) -> list[Block]:
    """Return the blocks of a message: at least one, `most` at most; their ids are the same each time."""
    buttons = _rows(message.buttons, "more", LABEL_LIMIT)
    parts = [_part(number, card) for number, card in enumerate(message.cards)]
    others = 3 + len(buttons)  # the text, a rule, the footer and rows of buttons
    total = VIEW_TOTAL if most > BLOCKS else TOTAL - CONTAINER * others
    container = 0 if most > BLOCKS else CONTAINER
    room = total - sum(map(_weight_of, buttons)) - FOOTER_LIMIT
    shown = _that_fit(parts, most - others, room, container)
    footer = cut("\n".join(lines(message.footer)), FOOTER_LIMIT)
    if len(shown) < len(parts):
        footer = " · ".join(part for part in (f"{len(parts) - len(shown)} more do not fit here", footer) if part)
    room += FOOTER_LIMIT - weight(footer) - sum(part.fixed + container * part.blocks for part in shown)
    links = _links(shown, room - TITLE_LEAST * len(shown))
    room -= sum(map(weight, links))
    titles = [cut(part.title, share) for part, share in zip(shown, _shares_of_titles(shown, room), strict=True)]
    room -= sum(map(weight, titles))
    own = lines(message.text) or ([NOTHING] if not (shown or buttons or footer) else [])
    share, *of_cards = shares([_wanted(own), *(_wanted(part.said) for part in shown)], room)
    made = [_rich("text", [section(_joined(_within(own, share)))])] if own and share else []
    for number, (part, url, title, room_here) in enumerate(zip(shown, links, titles, of_cards, strict=True)):
        made += _card(number, part, url, title, _within(part.said, room_here))
    if made and shown and buttons:
        made.append({"type": "divider", "block_id": "rule"})  # or they would seem to belong to the last card
    made += buttons
    return made + ([_context(footer)] if footer else [])


def fallback(message: Message) -> str:
    """Return the text for notifications and screen readers: the head and the titles, so escaped that nothing pings."""
    own = lines(message.text)
    titles = [f"{_number(card)}{one_line(card.title, TITLE_LIMIT) or UNTITLED}" for card in message.cards]
    said = "\n".join([*own, *titles]) or one_line(message.footer) or NOTHING
    return escaped(cut(said, FALLBACK_LIMIT))


def _part(number: int, card: Card) -> _Part:
    url = web(card.url)
    return _Part(
        head=one_line(card.head, HEADER_LIMIT),
        number=_number(card),
        title=one_line(card.title, TITLE_LIMIT) or UNTITLED,
        url=url,
        said=[line for raw in card.lines if (line := one_line(raw))],
        rows=_rows(card.buttons, f"do-{number}", CARD_LABEL_LIMIT),
    )


def _number(card: Card) -> str:
    return f"{card.number}  " if card.number else ""


def _that_fit(parts: Sequence[_Part], blocks: int, room: int, container: int) -> list[_Part]:
    """Return the first cards that fit into so many blocks and characters, however much is cut of what they say."""
    shown: list[_Part] = []
    for part in parts:
        blocks -= part.blocks
        room -= part.fixed + TITLE_LEAST + container * part.blocks
        if min(blocks, room) < 0:
            break
        shown.append(part)
    return shown


def _links(parts: Sequence[_Part], room: int) -> list[str]:
    """Return the links of the cards; one that is too long for its share is left out, for half of it leads nowhere."""
    wants = [weight(part.url) for part in parts]
    return [
        part.url if share == want else "" for part, want, share in zip(parts, wants, shares(wants, room), strict=True)
    ]


def _shares_of_titles(parts: Sequence[_Part], room: int) -> list[int]:
    return [max(share, TITLE_LEAST) for share in shares([weight(part.title) for part in parts], room)]


def _wanted(said: Sequence[str]) -> int:
    """Return the weight of lines. An address counts twice: it may be shown and lead somewhere."""
    return sum(_line_weight(line) + 1 for line in said)


def _line_weight(line: str) -> int:
    return weight(line) * (2 if "://" in line else 1)


def _within(said: Sequence[str], room: int) -> list[str]:
    """Return the first lines, in their order of worth, that weigh `room` at most; the last of them may be cut."""
    kept: list[str] = []
    for line in said:
        factor = 2 if "://" in line else 1
        fitted = cut(line, (room - 1) // factor)
        if line and not fitted.strip("…"):
            break
        kept.append(fitted)
        room -= _line_weight(fitted) + 1
        if fitted != line:
            break
    return kept


def _joined(said: Sequence[str]) -> list[Block]:
    return linked("\n".join(said)) or [text(" ")]


def _card(number: int, part: _Part, url: str, title: str, said: Sequence[str]) -> list[Block]:
    head = [{"type": "header", "block_id": f"head-{number}", "text": plain_text(part.head)}] if part.head else []
    first: list[Block] = [text(part.number)] if part.number else []
    first.append(link(url, title, "bold") if url else text(title, "bold"))
    elements = [section(first)]
    for line in said:
        if line.startswith("› "):
            elements.append(quote(linked(line.removeprefix("› ")) or [text(" ")]))
        elif elements[-1]["type"] == "rich_text_section":
            elements[-1] = section([*elements[-1]["elements"], text("\n"), *_line(line)])
        else:
            elements.append(section(_line(line)))
    return [*head, _rich(f"card-{number}", elements), *part.rows]


def _line(line: str) -> list[Block]:
    if line.startswith("why: "):
        return [text("why:", "italic"), *linked(line.removeprefix("why:"))]
    return linked(line)


def _rows(buttons: Sequence[Button], name: str, limit: int) -> list[Block]:
    """Return rows of buttons; those for the menu stand in one at the end, and as buttons where it has no room."""
    useful = [one for one in buttons if one.action or web(one.url)]
    fits_menu = [one for one in useful if one.menu and len(one.action) <= VALUE_LIMIT][:IN_MENU]
    menu = fits_menu if len(fits_menu) > 1 else []  # a menu of one entry only hides it
    numbers = count()
    elements = [_button(one, name, next(numbers), limit) for one in useful if not any(one is entry for entry in menu)]
    if menu:
        options = [_option(one, number) for number, one in enumerate(menu)]
        elements.append({"type": "overflow", "action_id": f"{MENU}:{name}", "options": options})
    return [
        {
            "type": "actions",
            "block_id": f"{name}-{start}" if start else name,
            "elements": elements[start : start + IN_ROW],
        }
        for start in range(0, len(elements), IN_ROW)
    ]


def _button(button: Button, name: str, number: int, limit: int) -> Block:
    label = plain_text(one_line(button.label, limit) or "…")
    if button.action:
        return {"type": "button", "action_id": f"{PRESS}:{name}:{number}", "text": label, "value": button.action}
    return {"type": "button", "action_id": f"{OPEN}:{name}:{number}", "text": label, "url": web(button.url)}


def _option(button: Button, number: int) -> Block:
    label = plain_text(one_line(button.label, CARD_LABEL_LIMIT) or "…")
    if button.action:
        return {"text": label, "value": button.action}
    return {"text": label, "value": f"{OPEN}:{number}", "url": web(button.url)}


def _rich(name: str, elements: Sequence[Block]) -> Block:
    return {"type": "rich_text", "block_id": name, "elements": list(elements)}


def _context(footer: str) -> Block:
    return {"type": "context", "block_id": "footer", "elements": [plain_text(footer)]}


def _weight_of(block: Block) -> int:
    """Return the weight of all that a row of buttons says; what it holds is no text."""
    return sum(weight(said) for said in _strings(block))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("type", "action_id", "block_id", "value", "url"):
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value

"""The three renderings of a message: for a terminal, as plain text, and as one JSON object a line. Pure."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console as Terminal
from rich.style import Style
from rich.text import Text

from bot.core.command import Arg, Command
from bot.core.grammar import ROOT
from bot.core.message import Button, Form, Message
from bot.platforms.console.rows import Kind, Row, blocks

LEAST_WIDTH = 20  # columns
_STYLES: dict[Kind, str] = {"head": "bold cyan", "title": "bold", "line": "dim", "buttons": "cyan", "footer": "dim"}
_UNPRINTED = re.compile(r"[\x7f-\x9f\u2028\u2029]")  # JSON may hold them; a reader of lines or a terminal would obey
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(message: Message, *, first: int = 1, head: str = "", rule: str = "", notes: Sequence[str] = ()) -> str:
    """Render without colour, escape sequences or wrapping: one row a line. Ends with a line break."""
    made = blocks(message, first=first, head=head, rule=rule, notes=notes)
    return "\n\n".join("\n".join(line for row in block for line in _plain(row)) for block in made) + "\n"


def _plain(row: Row) -> list[str]:
    if row.kind == "rule":
        return [f"-- {row.text} --"]
    shown = [row.lead + (row.text or "  ".join(row.parts))]
    return [*shown, " " * len(row.lead) + row.url] if row.kind == "title" and row.url else shown


def terminal(
    message: Message, width: int, *, first: int = 1, head: str = "", rule: str = "", notes: Sequence[str] = ()
) -> str:
    """Render with colours and links for a terminal of `width` columns. Text from outside is never read as markup."""
    out = io.StringIO()
    console = Terminal(
        file=out,
        width=max(width, LEAST_WIDTH),
        force_terminal=True,
        color_system="standard",
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        force_jupyter=False,
    )
    for number, block in enumerate(blocks(message, first=first, head=head, rule=rule, notes=notes)):
        if number:
            console.print()
        for row in block:
            _print(console, row)
    return out.getvalue()


def _print(console: Terminal, row: Row) -> None:
    """Print a row, wrapped by the width of its letters, with its continuation under its beginning."""
    if row.kind == "rule":
        console.print(Text(f"── {row.text} ".ljust(console.width, "─")[: console.width], style="dim"), soft_wrap=True)
        return
    lead = row.lead[: console.width // 3]
    room = console.width - len(lead)
    style = Style.parse(_STYLES.get(row.kind, "")) + Style(link=row.url or None)
    texts = _packed(row.parts, room) if row.parts else [row.text]
    wrapped = [line for text in texts for line in Text(text, style=style).wrap(console, room, overflow="fold")] or [
        Text()
    ]
    for number, line in enumerate(wrapped):
        line.rstrip()
        console.print(Text(" " * len(lead) if number else lead).append_text(line), soft_wrap=True)


def _packed(parts: Sequence[str], room: int) -> list[str]:
    """Put buttons into as few lines as hold them whole."""
    packed: list[str] = []
    for part in parts:
        if packed and cell_len(f"{packed[-1]}  {part}") <= room:
            packed[-1] += f"  {part}"
        else:
            packed.append(part)
    return packed


def as_json(message: Message) -> str:
    """Render as one JSON object on one line, with all keys always there, ended by a line break."""
    content = {
        "text": message.text,
        "cards": [
            {
                "paper": card.paper,
                "number": card.number,
                "title": card.title,
                "link": card.url,
                "url": card.url,
                "body": "\n".join(line for line in card.lines if not card.why or line != f"why: {card.why}"),
                "why": card.why,
                "lines": list(card.lines),
                "buttons": [_button(button) for button in card.buttons],
            }
            for card in message.cards
        ],
        "buttons": [_button(button) for button in message.buttons],
        "footer": message.footer,
        "files": [{"name": f.name, "content": f.content.decode("utf-8", "replace")} for f in message.files],
        "public": message.public,
        "form": None
        if message.form is None
        else {"command": message.form.command, "values": dict(message.form.values)},
    }
    text = _SURROGATES.sub("\ufffd", json.dumps(content, ensure_ascii=False))
    return _UNPRINTED.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _button(button: Button) -> dict[str, Any]:
    return {"label": button.label} | ({"action": button.action} if button.action else {"url": button.url})


def usage_line(form: Form, commands: Mapping[str, Command]) -> str:
    """Say a form as the line that would be typed instead, with its values filled in."""
    known = commands.get(form.command)
    values = {name: value for name, value in form.values.items() if value.strip()}
    if known is None:
        return " ".join([f"/{ROOT}", form.command, *(f"{name}={_quoted(value)}" for name, value in values.items())])
    return " ".join([f"/{ROOT}", known.name, *(_filled(arg, values.get(arg.name, "")) for arg in known.args)])


def _filled(arg: Arg, value: str) -> str:
    if not value:
        return arg.usage
    return f"{arg.name}={_quoted(value)}" if arg.option else _quoted(value)


def _quoted(value: str) -> str:
    value = " ".join(value.replace('"', "'").split())
    return f'"{value}"' if " " in value else value

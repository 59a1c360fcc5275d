"""What a request is answered with: what was typed, a button, a form, or something that happened."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

from bot.commands import _pages as pages
from bot.commands._context import Context, Pressed
from bot.commands._first import first_steps
from bot.commands._forms import asked_for, typed_instead
from bot.commands._reach import reaching
from bot.core.asked import FORM, for_guests, opens_form
from bot.core.card import clip
from bot.core.command import Arg, Command
from bot.core.grammar import TEXT_LIMIT, Parsed, parse
from bot.core.ids import normalise
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import Expired, NotFound, UsageError, UserError
from bot.store import notes

EXPIRED = "This list has expired: run it again."
FORM_EXPIRED = "This form is of another version: type the command again."
EVENTS = ("home", "joined")  # each is the hidden command of that name
OWN_NOTES = {  # the kinds of notes that an action may lead to; all others press a card of a list
    "undo": ("undo",),
    "forget": ("forget",),
    "page": ("list",),
    "run": ("run", "home"),
    FORM: (FORM, "home"),
}


def answers(ctx: Context) -> AsyncGenerator[Message, None]:
    """Give what a request is answered with; `LOOKING` first if papers are asked for elsewhere. Raises UserError."""
    return reaching(ctx, _answers)


async def _answers(ctx: Context) -> AsyncGenerator[Message, None]:
    request = ctx.request
    if request.event:
        yield await _event(ctx)
    elif request.action:
        yield await _press(ctx, request.action)
    elif request.command:
        async for message in _submit(ctx):
            yield message
    else:
        async for message in _typed(ctx):
            yield message


async def refusal(ctx: Context, error: UserError) -> Message:
    """Say what cannot be done; where a command's name began a sentence, offer to search for it."""
    parsed = parse("" if ctx.request.action else ctx.request.text, ctx.commands)
    text, rest = parsed.text, parsed.rest
    known = parsed.command is not None and parsed.command.name not in ("search", "help") and not parsed.unread
    a_paper = rest.isdecimal() or normalise(rest) is not None
    if not (isinstance(error, NotFound) and known and rest) or a_paper:
        return Message(text=str(error))
    search = await pages.say(ctx, f"Search for “{clip(plain(text), 40)}”", f"search {text}")
    return Message(text=str(error), buttons=(search,))


async def _event(ctx: Context) -> Message:
    command = ctx.commands.get(ctx.request.event) if ctx.request.event in EVENTS else None
    if command is None:
        raise Expired("This is of another version of this bot. Type: /papers")
    for_guests(ctx.request, command)
    return await command.run(ctx)


async def _typed(ctx: Context) -> AsyncGenerator[Message, None]:
    request = ctx.request
    parsed = parse(request.text, ctx.commands)
    if not parsed.text:
        yield await (ctx.commands["help"].run(ctx) if request.guest else first_steps(ctx))
        return
    for_guests(request, parsed.command)
    if opens_form(request, ctx.commands) and parsed.command is not None:
        form = await asked_for(ctx, parsed.command, " ".join(parsed.words))
        if form is not None:
            yield Message(form=form)
            return
    command, values = _bind(ctx, parsed)
    if ctx.in_the_open and "share" in command.options:
        values["share"] = True
    message = await command.run(ctx, **values)
    if parsed.guess is not None:
        line = f"{parsed.guess.name} {parsed.text.partition(' ')[2]}"
        message = replace(message, buttons=(*message.buttons, await pages.say(ctx, f"Run “{clip(line, 40)}”", line)))
    yield message
    if _is_shared(ctx, command, values):
        yield replace(message, public=True)


def _is_shared(ctx: Context, command: Command, values: Mapping[str, Any]) -> bool:
    """Say whether an answer is for the whole channel too, where that did not get it anyway."""
    return bool(values.get("share")) and ctx.place is not None and not command.personal and not ctx.in_the_open


def _bind(ctx: Context, parsed: Parsed) -> tuple[Command, dict[str, Any]]:
    """Return the command and its arguments; what is no command is searched for."""
    if parsed.command is None:
        search = ctx.commands["search"]
        return search, search.bind([parsed.text], {})
    is_search = parsed.command.name == "search"  # whose words may well be "days=infinite"
    options = dict(parsed.options) | ({} if is_search else dict(parsed.unread))
    return parsed.command, parsed.command.bind(list(parsed.words), options)


async def _press(ctx: Context, action: str) -> Message:
    """Do what a button says. Raises Expired for an action that no longer leads anywhere."""
    head, _, rest = action.partition(":")
    number, _, index = rest.partition(":")
    try:
        note, at = int(number, 16), int(index or "0", 16)
    except ValueError:
        raise Expired(EXPIRED) from None
    kinds = OWN_NOTES.get(head, ("list", "home"))
    content = await ctx.store.read(notes.get, note, ctx.owners, kinds, ctx.now, ctx.keep)
    pressed = Pressed(note, content, at)
    if head == "run" and "line" in pressed.item:
        return await _run(ctx, str(pressed.item["line"]))
    if head == FORM and "form" in pressed.item:
        return await _open(ctx, pressed.item)
    command = ctx.commands.get(head)
    if command is None or head in EVENTS or (head != "page" and not pressed.item):
        raise Expired(EXPIRED)
    message = await _press_card(replace(ctx, pressed=pressed), command, pressed.item)
    return replace(message, in_place=command.edits)


async def _press_card(ctx: Context, command: Command, item: Mapping[str, Any]) -> Message:
    for_guests(ctx.request, command)
    if not command.words:
        return await command.run(ctx)
    if "say" not in item:
        raise Expired(EXPIRED)
    if opens_form(ctx.request, ctx.commands):
        form = await asked_for(ctx, command, str(item["say"]))
        if form is not None:
            return Message(form=form)
    return await command.run(ctx, **command.bind([str(item["say"])], {}))


async def _run(ctx: Context, line: str) -> Message:
    parsed = parse(line, ctx.commands)
    for_guests(ctx.request, parsed.command)
    command, values = _bind(ctx, parsed)
    return await command.run(ctx, **values)


async def _open(ctx: Context, item: Mapping[str, Any]) -> Message:
    """Open the form that a button is for; where no form can be shown, say what to type."""
    command = ctx.commands.get(str(item["form"]))
    if command is None or command.form is None:
        raise Expired(FORM_EXPIRED)
    for_guests(ctx.request, command)
    values = {str(name): str(value) for name, value in item.get("values", {}).items()}
    form = await command.form(ctx, values)
    if form is not None and ctx.request.forms:
        return Message(form=form)
    words = [values.get(arg.name, "") for arg in command.words]
    if form is None or not any(arg.required for arg in command.words):
        return await command.run(ctx, **command.bind(words, {}))
    return Message(text=typed_instead(form, command))


async def _submit(ctx: Context) -> AsyncGenerator[Message, None]:
    """Run a command with the values of a form, or as the platform's own command gave them."""
    command = ctx.commands.get(ctx.request.command)
    if command is None or command.hidden:
        raise Expired(FORM_EXPIRED)
    for_guests(ctx.request, command)
    said = {name: value for name, value in ctx.request.values.items() if value.strip()}
    for name, value in said.items():
        if len(value) > TEXT_LIMIT:
            raise UsageError(f"{name}: it has {len(value):,} characters; up to {TEXT_LIMIT:,} are possible.")
    if opens_form(ctx.request, ctx.commands):
        form = await asked_for(ctx, command, said.get(command.words[0].name, "") if command.words else "")
        if form is not None:
            yield Message(form=form)
            return
    words = [part for arg in command.words for part in _words(arg, said.pop(arg.name, ""))]
    values = command.bind(words, said)
    message = await command.run(ctx, **values)
    yield message
    if _is_shared(ctx, command, values):
        yield replace(message, public=True)


def _words(arg: Arg, value: str) -> list[str]:
    """Return what was said for an argument as it would be typed: several words where it takes several."""
    return value.split() if arg.many else [value]

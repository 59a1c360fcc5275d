"""Buttons that open a form, the form that a line asks for, and what to type where no form can be shown."""

from __future__ import annotations

from collections.abc import Mapping

from bot.commands._context import Context
from bot.core.asked import FORM
from bot.core.command import Arg, Command
from bot.core.message import Button, Form
from bot.store import notes


async def opens(ctx: Context, label: str, command: str, values: Mapping[str, str]) -> Button:
    """Make a button that opens a command's form. `values` are what is known of it, by argument, as typed."""
    content = {"items": [{"form": command, "values": dict(values)}]}
    note = await ctx.store.write(notes.add, ctx.me.number, FORM, content, ctx.now)
    return Button(label, f"{FORM}:{note:x}:0")


async def asked_for(ctx: Context, command: Command, words: str) -> Form | None:
    """Return the form of a command after whose name these words were said; None if there is nothing to fill in."""
    if command.form is None:
        return None
    return await command.form(ctx, {command.words[0].name: words} if words and command.words else {})


def typed_instead(form: Form, command: Command) -> str:
    """Say what to type where a form cannot be shown. Pure."""
    words = [form.values.get(arg.name, "") or arg.name.upper() for arg in command.words]
    options = [_option(arg, form.values.get(name, "")) for name in form.fields if (arg := command.options.get(name))]
    return f"Type: /papers {' '.join([command.name, *words, *options])}"


def _option(arg: Arg, value: str) -> str:
    return f'{arg.name}="{value}"' if " " in value else f"{arg.name}={value or '…'}"

"""What has to be known of a request before any work: whether a form answers it, and where the answer stands. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.command import Command
from bot.core.grammar import parse
from bot.core.request import Request
from bot.errors import NotAllowed

FORM = "form"  # the head of a button that is there to open a form


def opens_form(request: Request, commands: Mapping[str, Command]) -> bool:
    """Say whether a request is for a form, where one can be the answer.

    It is if a button is there for it, or if a command that has one was said with nothing to do yet: `subscribe` alone,
    `schedule NAME` without a change. The answer may still be a message without a form, if there is nothing to fill in.
    """
    if not request.forms or request.event:
        return False
    if request.command:
        return _is_bare(request, commands.get(request.command)) and not request.guest
    if request.action:
        head = request.action.partition(":")[0]
        if head == FORM:
            return not request.guest
        command, has_words, has_options = commands.get(head), True, False
    else:
        parsed = parse(request.text, commands)
        command, has_words, has_options = parsed.command, bool(parsed.words), bool(parsed.options or parsed.unread)
    return command is not None and _asks(command, has_words, has_options) and (command.guests or not request.guest)


def _is_bare(request: Request, command: Command | None) -> bool:
    """Tell whether a command that the platform knows was given with nothing that it could do."""
    said = {name for name, value in request.values.items() if value.strip()}
    if command is None or command.hidden:
        return False
    return _asks(command, any(arg.name in said for arg in command.words), bool(said & command.options.keys()))


def in_thread(text: str, commands: Mapping[str, Command]) -> bool:
    """Say whether the answer to a mention may stand in its thread, for all to see: that of a search may.

    Without words it may not: what to do first depends on the person.
    """
    parsed = parse(text, commands)
    return bool(parsed.text) and (parsed.command is None or parsed.command.threads)


def shares(request: Request, commands: Mapping[str, Command]) -> bool:
    """Say whether the answer is asked for for all who are there too."""
    if request.command:
        return bool(request.values.get("share", "").strip())
    return "share" in dict(parse(request.text, commands).options)


def edits(action: str, commands: Mapping[str, Command]) -> bool:
    """Say whether a button's answer takes the place of its message, where that is private."""
    command = commands.get(action.partition(":")[0])
    return command is not None and command.edits


def for_guests(request: Request, command: Command | None) -> None:
    """Let those of another organisation look things up. Raises NotAllowed for all that is stored or managed."""
    if request.guest and command is not None and not command.guests:
        raise NotAllowed("This is for members of this workspace. To look papers up, mention me and say what about.")


def _asks(command: Command, has_words: bool, has_options: bool) -> bool:
    """Tell whether nothing was said that the command could do: words that it needs, or any option."""
    needed = any(arg.required for arg in command.words)
    return command.opens_form and not has_options and not (has_words and needed)

"""How the sources of papers do."""

from __future__ import annotations

from typing import Any

from bot.commands._context import Context
from bot.core.command import command
from bot.core.message import Message
from bot.core.standing import NONE_CHOSEN, TO_CHOOSE, called, standing, waiting
from bot.store import chosen
from bot.store import sources as table

MOST = 40  # sources named; the terminal names all of them


@command(threads=True, seldom=True)
async def sources(ctx: Context) -> Message:
    """See where papers come from: how fresh each source is, what fails, and when it is asked next."""
    states, specs = await ctx.store.read(_look, ctx.settings.sources)
    said = [f"{called(state.name, specs)}: {standing(state, ctx.zone.key, ctx.now)}" for state in states]
    # The query of a feed's address may be an administrator's secret.
    said += [f"{called(spec.partition('?')[0], ())}: not asked yet" for spec in waiting(specs, states)]
    if not said:
        none = f"{NONE_CHOSEN[0].upper()}{NONE_CHOSEN[1:]}, so papers come when an administrator imports them."
        return Message(text=f"{none} To choose one, at a terminal: {TO_CHOOSE}")
    more = [f"and {len(said) - MOST:,} more; a terminal shows all: paperround sources"] if len(said) > MOST else []
    return Message(text="\n".join(said[:MOST] + more))


def _look(conn: Any, named: str) -> tuple[list[table.SourceState], list[str]]:
    """Return the sources that are asked, those that do badly first, and the specs that are chosen."""
    asked = [state for state in table.all(conn) if state.asked_at]
    return sorted(asked, key=lambda state: not (state.failing_since or state.behind_since)), chosen.specs(conn, named)

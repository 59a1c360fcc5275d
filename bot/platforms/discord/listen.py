"""What Discord delivers: acknowledged first, whatever the load, and then worked on in a task of its own."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import discord
import structlog
from discord.app_commands import Choice

from bot.core.asked import edits, in_thread, opens_form
from bot.core.command import Arg, Command
from bot.core.message import Message
from bot.core.request import Address, Request
from bot.platforms._serve import Server, Way
from bot.platforms.discord import read
from bot.platforms.discord.answer import Answer, Direct, Reply
from bot.platforms.discord.complete import complete
from bot.platforms.discord.desk import Desk
from bot.platforms.discord.places import Places
from bot.platforms.discord.read import PEOPLE, PLATFORM

OLD = "This button is of another version: please type the command again."
OLD_FORM = "This form is of another version: please type the command again."
NO_PAPER = "No paper is linked in this message, or none that I know by its link."

log = structlog.get_logger()


class Listen:
    """The listeners, one for each kind of delivery. `places` is told what an interaction says of a person's rights."""

    def __init__(self, server: Server[Desk], places: Places) -> None:
        self._server = server
        self._places = places

    async def command(self, interaction: discord.Interaction, command: Command, values: dict[str, str]) -> None:
        """Take a slash command."""
        await self._take(read.command(interaction, command.name, values), interaction)

    async def ask(self, interaction: discord.Interaction, text: str) -> None:
        """Take what somebody typed in their own words."""
        await self._take(read.asked(interaction, text), interaction)

    async def similar(self, interaction: discord.Interaction, message: discord.Message) -> None:  # noqa: ARG002
        """Take "Find similar papers" on a message."""
        request = read.similar(interaction)
        if request is None:
            await self._say(interaction, NO_PAPER)
        else:
            await self._take(request, interaction)

    async def complete(
        self, interaction: discord.Interaction, command: Command, arg: Arg, values: dict[str, str], typed: str
    ) -> list[Choice[str]]:
        """Offer what can stand in an argument, 25 at most."""
        invoke = self._server.invoke
        if invoke is None:
            return []
        return await complete(invoke, read.so_far(interaction), command, arg, values, typed)

    async def warm(self) -> None:
        """Have read what is offered, before somebody types: reading it takes longer than Discord waits."""
        invoke = self._server.invoke
        if invoke is not None:
            nobody = Request(Address(PLATFORM, PEOPLE, ""), event="complete", command="search", text="area")
            async with aclosing(invoke(nobody)) as answers:
                async for _ in answers:
                    pass

    async def interaction(self, interaction: discord.Interaction) -> None:
        """Take the press of a button, or a form. A command comes by the tree."""
        if interaction.type is discord.InteractionType.component:
            await self._press(interaction)
        elif interaction.type is discord.InteractionType.modal_submit:
            await self._submission(interaction)

    async def message(self, said: discord.Message, me: int) -> None:
        """Take a direct message or a mention of the bot, whose user id is `me`."""
        request = read.message(said, me)
        if request is None:
            return
        desk = self._server.desk
        way: Way = Direct(desk, said.channel)
        if request.address.channel:
            way = Reply(desk, request.address, said, in_thread(request.text, desk.commands))
        self._server.start(self._server.serve(request, way))

    async def _press(self, interaction: discord.Interaction) -> None:
        request = read.press(interaction)
        if request is None:
            log.warning("a component of another version", custom_id=str(interaction.custom_id)[:40])
            return await self._say(interaction, OLD)
        in_place = edits(request.action, self._server.desk.commands) and read.is_private(interaction)
        return await self._take(request, interaction, edit=in_place)

    async def _submission(self, interaction: discord.Interaction) -> None:
        request = read.submission(interaction)
        if request is None or request.command not in self._server.desk.commands:
            log.warning("a form of another version", custom_id=str(interaction.custom_id)[:40])
            return await self._say(interaction, OLD_FORM)
        return await self._take(request, interaction)

    async def _take(self, request: Request, interaction: discord.Interaction, *, edit: bool = False) -> None:
        """Acknowledge, and start to work. If a form is asked for, it is the acknowledgement."""
        self._places.note(interaction)
        way = Answer(self._server.desk, request.address, interaction, edit)
        if opens_form(request, self._server.desk.commands):
            self._server.start(self._opened(request, way))
        else:
            await way.acknowledge()
            self._server.start(self._server.serve(request, way))

    async def _opened(self, request: Request, way: Answer) -> None:
        late = asyncio.create_task(way.in_time())
        try:
            await self._server.serve(request, way)
        finally:
            late.cancel()

    async def _say(self, interaction: discord.Interaction, text: str) -> None:
        """Answer with a line, privately; it is done twice if it comes twice."""
        way = Answer(self._server.desk, read.at(interaction), interaction)
        await way.acknowledge()
        self._server.start(way.show(Message(text, private=True)))

"""Where an answer goes: a way for each place to ask from. The first message is posted, and later ones replace it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import aiohttp
import discord
import structlog

from bot.core.message import Form, Message
from bot.core.request import Address
from bot.errors import DeliveryError, Refused
from bot.platforms.discord.desk import Desk
from bot.platforms.discord.read import is_alone, is_visitor

ACK_WITHIN = 3.0  # seconds that Discord waits
FORM_WITHIN = 2.0  # of them, for what stands in a form
FOLLOW_UPS = 5  # that a visitor may write
GONE, TAKEN = 10062, 40060  # codes: Discord knows an interaction no more, or it has its first answer already
SENT_TO_YOU = "Sent to you."
NOT_SENT = (
    "I cannot write to you directly. Allow direct messages from members of this server (a click on its name › Privacy "
    "Settings), or type it as a command: then only you see the answer."
)
NOT_OPENED = "The form did not open: Discord did not take it. Please type the command with all its words."
TOO_LATE = "The form did not open in time: please type or press it once more."
NO_MORE = "Discord lets me answer no more here: please type it once more."

log = structlog.get_logger()


@dataclass(slots=True)
class Answer:
    """By an interaction: for the person only, or in the direct message.

    With `edit` the message pressed is replaced by what is `in_place`; all else stands below it.

    Discord takes an answer within three seconds, or within fifteen minutes once it was told that there will be one.
    What comes too late is written as a direct message.
    """

    desk: Desk
    at: Address
    interaction: discord.Interaction
    edit: bool = False
    told: bool = False  # Discord, that an answer comes
    refused: int = 0  # Discord's code, if it did not take the acknowledgement
    left: int = FOLLOW_UPS
    lasting: bool = field(init=False)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self) -> None:
        self.lasting = is_alone(self.interaction)

    async def acknowledge(self) -> None:
        """Tell Discord that an answer comes. Never raises: what was asked for is done all the same."""
        async with self.lock:
            await self._acknowledge()

    async def in_time(self) -> None:
        """Acknowledge once a form, which can only be the first answer, would come too late."""
        await asyncio.sleep(FORM_WITHIN)
        await self.acknowledge()

    async def show(self, message: Message) -> None:
        """Answer, or write directly. A form is opened if nothing was told yet."""
        async with self.lock:
            if message.form is not None:
                words = NOT_OPENED
                if self.told:
                    words = TOO_LATE
                elif await self._opened(message.form):
                    return None
                message = Message(words, private=True)
            await self._acknowledge()
        if self.refused == GONE:
            log.warning("an answer comes too late to be shown", interaction=self.interaction.id)
            return None
        try:
            if self.edit and not message.in_place:
                return await self.aside(message)
            return await self.desk.respond(self.interaction, message, in_place=self.edit)
        except Refused as error:
            if self.refused == TAKEN:
                log.warning("an answer was given elsewhere", interaction=self.interaction.id)
                return None
            log.info("an answer comes as a direct message", reason=str(error))
        await self.desk.direct(self.at, message)
        self.lasting = True
        return None

    async def aside(self, message: Message) -> None:
        """Answer once more, to the person only."""
        await self._follow(message, private=not is_alone(self.interaction))

    async def publish(self, message: Message) -> None:
        """Answer once more, for all who are there."""
        await self._follow(message, private=False)

    async def _opened(self, form: Form) -> bool:
        """Open a form, and say whether Discord took it: it is the acknowledgement then."""
        try:
            await self.desk.open(self.interaction, form)
        except DeliveryError as error:
            log.warning("a form was not opened", command=form.command, reason=str(error))
            return False
        self.told = True
        return True

    async def _follow(self, message: Message, *, private: bool) -> None:
        if self.refused == GONE:
            return
        if is_visitor(self.interaction):
            if not self.left:
                raise Refused(NO_MORE, closed=False)
            self.left -= 1
        await self.desk.follow(self.interaction, message, private=private)

    async def _acknowledge(self) -> None:
        if self.told:
            return
        self.told = True
        private = not is_alone(self.interaction)
        try:
            async with asyncio.timeout(ACK_WITHIN):
                await self.interaction.response.defer(ephemeral=private, thinking=not self.edit)
        except discord.HTTPException as error:
            # What is taken was acknowledged by another process: whose answer it is, the delivery's row decides.
            self.refused = error.code
            log.warning("not acknowledged", interaction=self.interaction.id, code=error.code, status=error.status)
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("not acknowledged", interaction=self.interaction.id, reason=type(error).__name__)


@dataclass(slots=True)
class Direct:
    """In the direct message with the bot, which was written to."""

    desk: Desk
    channel: discord.abc.Messageable
    posted: discord.Message | None = None
    lasting: bool = True

    async def show(self, message: Message) -> None:
        """Post, or replace what was posted."""
        if self.posted is None:
            self.posted = await self.desk.post(self.channel, message)
        else:
            await self.desk.edit(self.posted, message)

    async def aside(self, message: Message) -> None:
        """Post one more."""
        await self.desk.post(self.channel, message)

    async def publish(self, message: Message) -> None:
        """Post nothing: nobody else is there."""


@dataclass(slots=True)
class Reply:
    """Below a mention: for all to see if it is `open`, else as a direct message, of which the reply tells."""

    desk: Desk
    at: Address
    below: discord.Message
    open: bool
    posted: discord.Message | None = None
    alone: Direct | None = None
    told: bool = False
    lasting: bool = True

    async def show(self, message: Message) -> None:
        """Reply; privately where nobody else should read it, or where the bot may not write."""
        if self.open and not message.private:
            try:
                return await self._openly(message)
            except Refused as error:
                log.info("a mention is answered directly", reason=str(error))
                self.open, self.told = False, True
        return await self._directly(message)

    async def aside(self, message: Message) -> None:
        """Write once more to the person alone."""
        self.alone = None
        await self._directly(message)

    async def publish(self, message: Message) -> None:
        """Reply, unless everybody has read the answer already."""
        if not self.open:
            await self.desk.post(self.below.channel, message, self.below)

    async def _openly(self, message: Message) -> None:
        if self.posted is None:
            self.posted = await self.desk.post(self.below.channel, message, self.below)
        else:
            await self.desk.edit(self.posted, message)

    async def _directly(self, message: Message) -> None:
        """Write to the person alone, and say in the channel once where it is, or why it is not."""
        said = SENT_TO_YOU
        try:
            self.alone = self.alone or Direct(self.desk, await self.desk.alone_with(self.at))
            await self.alone.show(message)
        except Refused as error:
            log.info("a direct message was refused", reason=str(error))
            said, self.lasting = NOT_SENT, False
        if not self.told:
            self.told = True
            await self.desk.post(self.below.channel, Message(said), self.below)

"""Where an answer goes: a way for each place to ask from. The first message is posted, and later ones replace it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import structlog

from bot.core.message import Message
from bot.core.request import Address
from bot.errors import DeliveryError, Refused
from bot.platforms.slack.desk import Desk, said
from bot.platforms.slack.views import View, answer_view, form_view, home_view

SENT_TO_YOU = "Sent to you."
NOT_SENT = "I cannot write to you directly, so here it is, for you only."

log = structlog.get_logger()


@dataclass(slots=True)
class Asked:
    """Any way: who asks, and where. `lasting`: the answer is still there when Slack is loaded anew."""

    desk: Desk
    at: Address
    lasting: bool = field(default=False, kw_only=True)

    async def aside(self, message: Message) -> None:
        """Write to the person alone."""
        await self.desk.direct(self.at, message)

    async def publish(self, message: Message) -> None:
        """Post for all in the conversation."""
        await self.desk.post(self.at.workspace, self.at.channel, message, self.at.thread)


@dataclass(slots=True)
class Private(Asked):
    """By a response_url: for the person only. With `edit` what is `in_place` replaces the message with the button.

    Once the address is used up or has expired, the rest comes as a direct message. `typed`: a command was; Slack is
    asked to replace its earlier answer by a later one, and shows both where it does not. `inside`: the conversation it
    stands in; what lasts is written there if that is the one with the bot, and not shown a second time.
    """

    url: str
    edit: bool = False
    typed: bool = False
    inside: str = ""
    shown: bool = False

    async def show(self, message: Message) -> None:
        """Answer, or write directly."""
        if message.lasts and await self._alone():
            await self.desk.direct(self.at, message)
            self.lasting = True
            return None
        in_place = self.edit and message.in_place
        replaces = in_place or (self.typed and self.shown)
        thread = {"thread_ts": self.at.thread} if self.at.thread and not in_place else {}
        body = {**said(message), **thread, "response_type": "ephemeral", "replace_original": replaces}
        self.shown = True
        try:
            if self.url:
                return await self.desk.respond(self.url, body)
        except Refused as error:
            log.info("an answer comes as a direct message", reason=str(error))
        await self.desk.direct(self.at, message)
        self.lasting = True
        return None

    async def aside(self, message: Message) -> None:
        """Answer once more, below what stands there."""
        await Private(self.desk, self.at, self.url).show(message)

    async def _alone(self) -> bool:
        """Say whether it stands in the conversation of this person with the bot."""
        if not self.inside.startswith("D"):
            return False
        try:
            return await self.desk.alone_with(self.at) == self.inside
        except DeliveryError:
            return False


@dataclass(slots=True)
class Direct(Asked):
    """In a conversation that is known. `pressed` is the message whose button was: what is `in_place` replaces it."""

    channel: str
    pressed: str = ""
    ts: str = field(default="", init=False)  # of what was posted
    lasting: bool = field(default=True, kw_only=True)

    async def show(self, message: Message) -> None:
        """Post, or replace what was posted."""
        if self.pressed and message.in_place:
            self.ts = self.pressed
        if self.ts:
            await self.desk.update(self.at.workspace, self.channel, self.ts, message)
        else:
            self.ts = await self.desk.post(self.at.workspace, self.channel, message, self.at.thread)


@dataclass(slots=True)
class Thread(Asked):
    """Below a mention: for all to see if it is `open`, else as a direct message, of which the thread tells."""

    open: bool
    ts: str = ""
    told: Direct | None = None
    lasting: bool = field(default=True, kw_only=True)

    async def show(self, message: Message) -> None:
        """Answer in the thread; privately where nobody else should read it."""
        if message.private:
            await self._whisper(message)
        elif self.open and self.ts:
            await self.desk.update(self.at.workspace, self.at.channel, self.ts, message)
        elif self.open:
            self.ts = await self.desk.post(self.at.workspace, self.at.channel, message, self.at.thread)
        else:
            await self._directly(message)

    async def publish(self, message: Message) -> None:
        """Post it, unless everybody has read the answer already."""
        if not self.open:
            await self.desk.post(self.at.workspace, self.at.channel, message, self.at.thread)

    async def _directly(self, message: Message) -> None:
        first = self.told is None
        try:
            if self.told is None:
                self.told = Direct(self.desk, replace(self.at, thread=""), await self.desk.alone_with(self.at))
            await self.told.show(message)
        except Refused:
            text = "\n\n".join(part for part in (NOT_SENT, message.text) if part)
            await self._whisper(replace(message, text=text))
            return
        if first:
            await self.desk.post(self.at.workspace, self.at.channel, Message(SENT_TO_YOU), self.at.thread)

    async def _whisper(self, message: Message) -> None:
        self.lasting = False
        await self.desk.whisper(self.at, message)


@dataclass(slots=True)
class Whisper(Asked):
    """To one person in a channel, unasked."""

    async def show(self, message: Message) -> None:
        """Show it."""
        await self.desk.whisper(self.at, message)


@dataclass(slots=True)
class Modal(Asked):
    """In a modal view that stands open already. `channel` is the conversation that it was opened from.

    Before `since`, seconds of the event loop's clock, it is not filled: an acknowledgement on its way fills it first.
    """

    view: str
    channel: str = ""
    since: float = 0.0

    async def show(self, message: Message) -> None:
        """Fill the view with an answer or a form; what a view that was closed cannot show is written directly."""
        await asyncio.sleep(max(0.0, self.since - asyncio.get_running_loop().time()))
        try:
            await self.desk.call(self.at.workspace, "views.update", view_id=self.view, view=self._view(message))
        except Refused as error:
            log.info("a view cannot be filled", reason=str(error))
            if message.form is None:
                await self.desk.direct(self.at, message)
                self.lasting = True

    def _view(self, message: Message) -> View:
        if message.form is None:
            return answer_view(message, channel=self.channel)
        return form_view(message.form, self.desk.commands, channel=self.channel)


@dataclass(slots=True)
class Home(Asked):
    """The bot's own page for one person."""

    lasting: bool = field(default=True, kw_only=True)

    async def show(self, message: Message) -> None:
        """Publish the page."""
        await self.desk.call(self.at.workspace, "views.publish", user_id=self.at.user, view=home_view(message))

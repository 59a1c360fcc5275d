"""What a person sees after a command, a press or a form: kept by the token of the interaction."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord_wire.state import Channel, Json, Message, User

if TYPE_CHECKING:
    from tests.fakes.discord_wire.world import World

POLL = 0.2  # seconds
PING, COMMAND, COMPONENT, AUTOCOMPLETE, SUBMIT = 1, 2, 3, 4, 5


@dataclass(eq=False, slots=True)
class Seen:
    """One interaction: what was sent, and what came of it.

    `callbacks`: the types of first answers that Discord took; `refused`: the codes of those it did not take;
    `acked_in`: seconds until the first answer; `original`: the answer (a "thinks" message at first, if deferred; the
    message of the button, if that is updated); `followups`: further messages; `modal`: the form that was opened;
    `updates`: how often the answer was edited.
    """

    world: World
    id: str
    token: str
    kind: int
    user: User
    channel: Channel
    payload: Json
    sent_at: float
    by_user: bool = False
    source: Message | None = None
    forced: bool = False
    callbacks: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    acked_in: float | None = None
    ephemeral: bool = False
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    modal: Json | None = None
    choices: list[Json] | None = None
    expired: bool = False
    updates: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def acked(self) -> bool:
        """Whether a first answer came."""
        return bool(self.callbacks)

    @property
    def deferred(self) -> bool:
        """Whether the first answer only said that another comes."""
        return bool(self.callbacks) and self.callbacks[0] in (5, 6)

    @property
    def done(self) -> bool:
        """Whether the person has an answer: a message in full, a form, a list, or an update of the message."""
        if self.modal is not None or self.choices is not None or self.followups:
            return True
        if self.original is None or self.original.loading:
            return False
        return self.original is not self.source or self.callbacks == [7] or self._updated

    @property
    def messages(self) -> list[Message]:
        """The answer and what followed."""
        return ([] if self.original is None else [self.original]) + self.followups

    @property
    def text(self) -> str:
        """All words of these."""
        return "\n".join(message.text for message in self.messages)

    @property
    def fields(self) -> dict[str, Json]:
        """The form's inputs by their custom_id."""
        inputs = Message(components=(self.modal or {}).get("components", [])).parts
        return {part["custom_id"]: part for part in inputs if part.get("custom_id")}

    async def until(self, test: Callable[[Seen], Any] | None = None, within: float = 5.0) -> Seen:
        """Wait until something is true of this: that it is `done`, if nothing is said. Raises TimeoutError."""
        wanted = test or (lambda seen: seen.done)
        async with asyncio.timeout(within):
            while not wanted(self):
                with contextlib.suppress(TimeoutError):  # what a test waits for may be elsewhere
                    await asyncio.wait_for(self._changed.wait(), POLL)
        return self

    def changed(self) -> None:
        """Wake those who wait for something to come of this."""
        old, self._changed = self._changed, asyncio.Event()
        old.set()

    async def answer(self, within: float = 5.0) -> Message:
        """Wait for the answer in full and return it: the message itself, or the last that followed.

        Raises TimeoutError.
        """
        await self.until(lambda seen: seen.done and seen.messages, within)
        assert self.original is not None
        stale = self.original is self.source and not self._updated and self.callbacks != [7]
        return self.followups[-1] if stale and self.followups else self.original

    @property
    def _updated(self) -> bool:
        return self.source is not None and self.original is self.source and bool(self.updates)

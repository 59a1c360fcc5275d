"""A bot's gateway sessions: numbered events, kept for a resume."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from dataclasses import dataclass, field

from tests.fakes.discord_wire.state import Json

KEPT = 5000
"""Events that a session keeps for a replay."""


@dataclass(eq=False, slots=True)
class Session:
    """One shard's session. `outbox`: what its socket has yet to send; None without a socket."""

    shard: int
    shards: int
    intents: int
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    seq: int = 0
    ready: bool = False
    buffer: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=KEPT))
    outbox: asyncio.Queue[str | int] | None = None

    def dispatch(self, event: str, data: Json | str) -> None:
        """Send an event, or keep it until the session is resumed; `data` may be JSON already."""
        self.seq += 1
        brought = data if isinstance(data, str) else json.dumps(data)
        text = f'{{"op":0,"t":"{event}","s":{self.seq},"d":{brought}}}'
        self.buffer.append((self.seq, text))
        if self.outbox is not None:
            self.outbox.put_nowait(text)

    def signal(self, op: int, data: object = None) -> None:
        """Send what is no event."""
        if self.outbox is not None:
            self.outbox.put_nowait(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def close(self, code: int) -> None:
        """Close the socket with a code; the session stays."""
        if self.outbox is not None:
            self.outbox.put_nowait(code)

    def since(self, seq: int) -> list[str] | None:
        """Return the events after a number; None if they are no longer known."""
        if seq > self.seq or (self.buffer and seq + 1 < self.buffer[0][0]):
            return None
        return [text for number, text in self.buffer if number > seq]

    def hears(self, guild: str | None) -> bool:
        """Say whether events of a server (None: of direct messages) come here."""
        return (int(guild) >> 22) % self.shards == self.shard if guild else self.shard == 0

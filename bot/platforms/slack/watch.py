"""When a connection of Socket Mode is to be given up, and when somebody else holds one of ours. Pure: told the time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: for hello, for any frame, for too many connections to go, and between looks."""

    hello: float = 10.0
    quiet: float = 60.0
    crowd: float = 60.0
    look: float = 1.0


class Watch:
    """One connection, opened at `now` (seconds of any clock that never goes back)."""

    def __init__(self, patience: Patience, now: float) -> None:
        self._patience = patience
        self._opened = now
        self._heard = now
        self._greeted = False

    def heard(self, now: float) -> None:
        """Note a frame of Slack's own: an envelope or a ping. Not an answer to our ping: a proxy gives that."""
        self._heard = max(self._heard, now)

    def greeted(self) -> None:
        """Note the hello."""
        self._greeted = True

    def fault(self, now: float) -> str:
        """Say why the connection is to be opened anew; nothing if it is well."""
        if not self._greeted and now - self._opened > self._patience.hello:
            return f"no hello within {self._patience.hello:g} s"
        if now - self._heard > self._patience.quiet:
            return f"no frame for {self._patience.quiet:g} s"
        return ""


class Crowd:
    """Connections that Slack counts for this app, beside the processes of ours that listen."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._connections = 0
        self._since: float | None = None

    @property
    def asks(self) -> bool:
        """Whether the number of our processes matters: more than this one connection was counted."""
        return self._connections > 1

    def counted(self, connections: int) -> None:
        """Note what a hello says. A new count begins the time anew only if it is not too many."""
        self._connections = connections

    def exceeds(self, processes: int, now: float) -> bool:
        """Say, once, that there have been more connections than processes of ours for too long."""
        if self._connections <= max(processes, 1):
            self._since = None
            return False
        self._since = now if self._since is None else self._since
        if now - self._since <= self._patience.crowd:
            return False
        self._connections, self._since = 0, None
        return True

"""How often each host is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.core.hurry import hurried
from bot.sources._host import Host
from bot.sources._line import Line

_HOSTS = 1000  # remembered, at most


@dataclass(frozen=True, slots=True)
class Pace:
    """One call in `gap` seconds, and `at_once` connections at a time; for all hosts of a `group` together."""

    gap: float
    at_once: int = 1
    group: str = ""


# "make no more than one request every three seconds, and limit requests to a single connection at a time", for all of
# its interfaces together: https://info.arxiv.org/help/api/tou.html
_ARXIV = Pace(3.0, 1, "arXiv")
# One request a second with a key: https://www.semanticscholar.org/product/api. The others allow as much or more:
# Crossref three searches a second (https://www.crossref.org/documentation/retrieve-metadata/rest-api/), OpenAlex 100 a
# second (https://developers.openalex.org/api-reference/authentication), Hugging Face 500 in five minutes
# (https://huggingface.co/docs/hub/rate-limits); OpenReview, bioRxiv and the ACL Anthology tell none.
_ONE = Pace(1.0)
USUAL = Pace(1.0, 2)
PACES: Mapping[str, Pace] = {
    "export.arxiv.org": _ARXIV,
    "rss.arxiv.org": _ARXIV,
    "oaipmh.arxiv.org": _ARXIV,
    "arxiv.org": _ARXIV,
    "api.semanticscholar.org": _ONE,
    "api.crossref.org": _ONE,
    "": USUAL,
}
FREE = Pace(0.0, 10)  # of a host that a table does not name, if it has no "" either


class Lane:
    """Lets calls through at a pace, and those that somebody waits for first. `now` gives seconds since 1970."""

    def __init__(self, pace: Pace, now: Callable[[], float], sleep: Callable[[float], Awaitable[object]]) -> None:
        self._pace = pace
        self._now = now
        self._sleep = sleep
        self._line = Line(pace.at_once)
        self._next = 0.0
        self.users = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it. The gap counts from the end of a call where there is one at a time."""
        hurry, again = hurried(), False
        self.users += 1
        try:
            while True:
                if not await self._line.enter(hurry, again=again):
                    await self._gap()
                if self._line.begins(hurry):
                    break
                again = True
            try:
                yield
            finally:
                if self._pace.at_once == 1:
                    self._next = self._now() + self._pace.gap
                self._line.leave()
        finally:
            self.users -= 1

    async def _gap(self) -> None:
        """Wait until the gap is over, in a room, which is left if that is cancelled."""
        pace = self._pace
        now = self._now()
        wait = min(max(self._next - now, 0.0), pace.gap * pace.at_once)  # a clock may be put back
        self._next = now + wait + pace.gap
        try:
            if wait:
                await self._sleep(wait)
        except BaseException:
            self._line.leave()
            raise

    def idle(self) -> bool:
        """Say whether nothing would change if it were made anew."""
        return not self.users and self._next <= self._now()


class Hosts:
    """All hosts that were asked, each with its lane. `paces` is by name or name:port; "" is for all others."""

    def __init__(
        self, paces: Mapping[str, Pace], now: Callable[[], float], sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self._paces = paces
        self._now = now
        self._sleep = sleep
        self._hosts: dict[str, Host] = {}
        self._lanes: dict[str, Lane] = {}

    def at(self, host: str, port: int, name: str) -> Host:
        """Return the host of a name and a port, which people know as `name`."""
        host = host.rstrip(".")
        place = f"{host}:{port}"
        if place not in self._hosts:
            if len(self._hosts) >= _HOSTS:
                self._forget()
            pace = self._pace(host, place)
            lane = self._lanes.setdefault(pace.group or place, Lane(pace, self._now, self._sleep))
            self._hosts[place] = Host(name, lane)
        return self._hosts[place]

    def resting(self) -> list[Host]:
        """Return the hosts that are left alone."""
        return [host for host in self._hosts.values() if host.rests(self._now())]

    def _pace(self, host: str, place: str) -> Pace:
        """Return the pace of a host, or else of the domain that it is in: www.arxiv.org is arXiv too."""
        labels = host.split(".")
        names = [place, *(".".join(labels[first:]) for first in range(len(labels)))]
        return next((self._paces[name] for name in names if name in self._paces), self._paces.get("", FREE))

    def _forget(self) -> None:
        """Forget some hosts: of those that nobody asks just now, the first that would be missed least."""
        now = self._now()
        spare = [place for place, host in self._hosts.items() if not host.lane.users]
        spare.sort(key=lambda place: self._hosts[place].missed(now) or not self._hosts[place].lane.idle())
        for place in spare[: _HOSTS // 10]:
            del self._hosts[place]
        used = {id(host.lane) for host in self._hosts.values()}
        self._lanes = {key: lane for key, lane in self._lanes.items() if id(lane) in used or not lane.idle()}

"""The one way in which sources ask the internet: politely, bounded, and never into the network the bot stands in.

Proxies of the environment (HTTPS_PROXY and the like) are not used: behind one, nothing could be said of where a name
leads. Redirects are followed by hand, at most five, each judged anew; one from https: to http: is refused, and what a
caller's headers hold goes to no other host. Each call has a connection of its own, which is closed after it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.errors import SourceError
from bot.sources._guard import Guard
from bot.sources._host import PATIENT, Host
from bot.sources._http_answer import Answer
from bot.sources._http_body import ENCODINGS, Spoilt, TooLarge, gather
from bot.sources._http_connect import HOPELESS, session, trouble
from bot.sources._http_kept import Kept
from bot.sources._http_wait import asked, backoff
from bot.sources._http_words import called, clock, instant, meaning, user_agent
from bot.sources._pace import PACES, Hosts, Pace

TRIES = 3
PATIENCE = 60.0  # seconds that a call may spend waiting to try again, beside its turns in the host's pace
REDIRECTS = 5
SHORTEST = 0.1  # seconds: with less left there is no other try
LIMIT, WITHIN = 20_000_000, 60.0  # bytes of a body, and seconds for a call
SLOW = 10.0  # seconds of silence that count as a failure
_LEADS_ON = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({408, 425, 429})  # and 500 and more
_OPEN = frozenset({"accept", "if-none-match", "if-modified-since"})  # headers without secrets

Params = Mapping[str, str | int | float | Sequence[str | int | float]]


@dataclass(slots=True)
class _Call:
    """What somebody wants. `within` and `patience` are what is left of them, in seconds."""

    method: str
    url: URL
    headers: Mapping[str, str]
    json: Any
    limit: int
    within: float
    missing: Collection[int]
    fresh: bool
    patience: float
    session: aiohttp.ClientSession

    @property
    def conditional(self) -> bool:
        return any(name.lower() in ("if-none-match", "if-modified-since") for name in self.headers)


class _Failed(Exception):  # noqa: N818 - it never leaves this module
    """A try that may be repeated after `after` seconds; its text follows the host's name."""

    def __init__(self, host: Host, trouble: str, after: float = 0.0) -> None:
        super().__init__(trouble)
        self.host = host
        self.after = after


class Client:
    """Asks hosts, each at its pace; what fails is tried three times, and a host that keeps failing is left alone.

    `contact`: a mail address or URL by which the hosts can reach the administrator. `pace` is by host or host:port; ""
    is for all others (default: the table of `_pace`; {} is no pace at all). `private`: see `Guard.open_to`. `patience`
    in seconds. `now` gives seconds since 1970, `sleep` waits for seconds, `chance` gives 0 to 1. `resolver` looks names
    up (default: that of the system). Close it at the end.
    """

    def __init__(
        self,
        contact: str = "",
        *,
        pace: Mapping[str, Pace] | None = None,
        private: bool | Iterable[str] = False,
        patience: float = PATIENCE,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self.agent = user_agent(contact)
        self._guard = Guard(private)
        self._patience = patience
        self._now = now
        self._sleep = sleep
        self._chance = chance
        self._resolver = resolver
        self._hosts = Hosts(PACES if pace is None else pace, now, sleep)
        self._kept = Kept()
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self,
        url: str,
        *,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int = LIMIT,
        within: float = WITHIN,
        fresh: bool = False,
        missing: Collection[int] = (),
    ) -> Answer:
        """Ask for a URL. Raises SourceError.

        `limit` is in bytes, unpacked. `within` are the seconds that it may take, with all redirects and tries; what it
        waits for its turn in the host's pace, and before another try, is not counted. `missing` are statuses that are
        an answer. `fresh`: if nothing has changed since the last such call of this client, the answer is `same` and
        empty; a caller that lost what came then calls `forget`. One that gives If-None-Match or If-Modified-Since
        itself gets a `same` answer too.
        """
        target = self._url(url, params)
        asks = dict(headers or {})
        if fresh:
            asks = {**self._kept.headers(target), **asks}
        call = _Call("GET", target, asks, None, limit, within, missing, fresh, self._patience, self._open())
        return await self._ask(call)

    async def post(
        self,
        url: str,
        *,
        json: Any,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int = LIMIT,
        within: float = WITHIN,
        missing: Collection[int] = (),
    ) -> Answer:
        """Send JSON to a URL that changes nothing by it, for it may be sent again. Raises SourceError."""
        target, asks = self._url(url, params), dict(headers or {})
        call = _Call("POST", target, asks, json, limit, within, missing, False, self._patience, self._open())
        return await self._ask(call)

    def forget(self, url: str = "", params: Params | None = None) -> None:
        """Have the next `fresh` call for a URL, or for all, bring everything: what came last was not stored."""
        self._kept.drop(self._url(url, params) if url else None)

    def resting(self) -> dict[str, tuple[str, datetime]]:
        """Return the hosts that are left alone: what each did, as "answered 503", and until when (aware, UTC)."""
        return {host.name: (host.trouble, instant(host.until)) for host in self._hosts.resting()}

    async def close(self) -> None:
        """Let go of all connections; what is asked just now ends with a SourceError. It may be used again."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _url(self, url: str, params: Params | None) -> URL:
        target = self._guard.url(url)
        return target.extend_query(params) if params else target

    async def _ask(self, call: _Call) -> Answer:
        """Try it, and try it again, in the time that it has."""
        for tried in range(1, TRIES + 1):
            try:
                return await self._follow(call)
            except _Failed as failed:
                wait = max(failed.after, backoff(tried, self._chance()))
                times = {1: "", 2: ", twice in a row", 3: ", three times in a row"}[tried]
                if failed.host.broken or failed.after > call.patience:
                    raise self._left_alone(failed.host) from failed.__cause__
                if tried == TRIES or wait > call.patience or call.within < SHORTEST:
                    raise SourceError(f"{failed.host.name} {failed}{times}.", failed.after) from failed.__cause__
                call.patience -= wait
                await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    async def _follow(self, call: _Call) -> Answer:
        """Ask for the URL and for those that it leads on to."""
        url, headers = call.url, call.headers
        for _ in range(REDIRECTS + 1):
            found = await self._hop(call, url, headers)
            if isinstance(found, Answer):
                return found
            there = self._guard.after(url, found)
            if there.origin() != url.origin():  # a key is for the host that it was given for
                headers = {name: value for name, value in headers.items() if name.lower() in _OPEN}
            url = there
        raise SourceError(f"{called(call.url)} leads on and on: more than {REDIRECTS} redirects.")

    async def _hop(self, call: _Call, url: URL, headers: Mapping[str, str]) -> Answer | str:
        """Ask one host once, in its turn. The answer, or where it leads on to. Raises _Failed."""
        host = self._hosts.at(url.raw_host or "", url.port or 0, called(url))
        while True:
            await self._rest(call, host)
            async with host.lane.turn():
                if not host.rests(self._now()):  # it may have failed for somebody else while this one waited
                    return await self._exchange(call, url, headers, host)

    async def _rest(self, call: _Call, host: Host) -> None:
        """Wait while a host is left alone, if that is short."""
        while rests := host.rests(self._now()):
            if host.broken or rests > call.patience:
                raise self._left_alone(host)
            call.patience -= rests
            await self._sleep(rests)

    async def _exchange(self, call: _Call, url: URL, headers: Mapping[str, str], host: Host) -> Answer | str:
        began = time.monotonic()
        if call.session.closed:
            raise _closed(host)
        try:
            async with (
                asyncio.timeout(max(call.within, 0.001)),
                call.session.request(
                    call.method,
                    url,
                    json=call.json,
                    headers={"Accept-Encoding": ENCODINGS, **headers},
                    allow_redirects=False,
                ) as response,
            ):
                found = await self._read(call, response, host)
        except TimeoutError as error:
            spent = time.monotonic() - began
            what = f"did not answer within {spent:.2g} seconds"
            if spent < SLOW:  # somebody was in a hurry: that is no failure of the host
                raise _Failed(host, what) from error
            raise self._failed(host, what) from error
        except HOPELESS as error:
            raise SourceError(f"{host.name} {trouble(error)}.") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if call.session.closed:
                raise _closed(host) from error
            raise self._failed(host, trouble(error)) from error
        finally:
            call.within -= time.monotonic() - began
        host.answered(self._now())
        return found

    async def _read(self, call: _Call, response: aiohttp.ClientResponse, host: Host) -> Answer | str:
        """Return what a response says. Raises _Failed, SourceError, and what aiohttp raises."""
        status = response.status
        if status == 304 and call.conditional:
            return Answer(status, str(response.url), b"", _headers(response), same=True)
        if not (200 <= status < 300 or status in call.missing):
            if status in _LEADS_ON and call.method == "GET" and (to := response.headers.get("Location")):
                return to
            if status in _AGAIN or status >= 500:
                after = asked(response.headers.get("Retry-After"), self._now())
                raise self._failed(host, f"answered {status}", after)
            host.answered(self._now())
            raise SourceError(f"{host.name} answered {status}{meaning(status)}.")
        try:
            if (response.content_length or 0) > call.limit:
                raise TooLarge
            pieces = response.content.iter_chunked(1 << 16)
            body = await gather(pieces, response.headers.get("Content-Encoding", ""), call.limit)
        except TooLarge:
            response.close()
            host.answered(self._now())
            raise SourceError(f"{host.name} sent more than the {call.limit:,} bytes that are read.") from None
        except Spoilt as error:
            raise self._failed(host, str(error)) from error
        if call.fresh and status == 200:
            self._kept.keep(call.url, response.headers)
        return Answer(status, str(response.url), body, _headers(response))

    def _failed(self, host: Host, trouble: str, after: float = 0.0) -> _Failed:
        host.failed(self._now(), trouble, after)
        return _Failed(host, trouble, min(after, PATIENT))

    def _left_alone(self, host: Host) -> SourceError:
        now = self._now()
        often = f", {host.failures} times in a row" if host.broken else ""
        text = f"{host.name} {host.trouble}{often}. It is left alone until {clock(host.until, now)}."
        return SourceError(text, host.rests(now))

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = session(self._guard, self._resolver, self.agent)
        return self._session


def _closed(host: Host) -> SourceError:
    return SourceError(f"{host.name} is asked no further: the program ends.")


def _headers(response: aiohttp.ClientResponse) -> Mapping[str, str]:
    return {name.lower(): ", ".join(response.headers.getall(name)) for name in response.headers}

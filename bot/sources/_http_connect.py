"""Connections: only to addresses that the guard lets through, and what goes wrong with them."""

from __future__ import annotations

import ssl
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.sources._guard import Guard

CONNECT = 15.0  # seconds to connect to one address
AT_ONCE = 200  # connections of a whole client: some hosts may hold theirs for long, and the others wait in their time
HOPELESS = (aiohttp.ClientConnectorCertificateError, aiohttp.InvalidURL)  # trying again would change nothing


class Dropped(aiohttp.ClientConnectionError):
    """A connection was closed before it brought an answer."""


class Judged(AbstractResolver):
    """Looks names up, and refuses one that leads to a private address."""

    def __init__(self, guard: Guard, inner: AbstractResolver) -> None:
        self._guard = guard
        self._inner = inner

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        """Return where a name leads. Raises SourceError if any of it is private, OSError if it leads nowhere."""
        found = await self._inner.resolve(host, port, family)
        for one in found:
            self._guard.judge(one["host"], host)
        return found

    async def close(self) -> None:
        """Let go of what it looks names up with."""
        await self._inner.close()


def session(guard: Guard, resolver: AbstractResolver | None, agent: str) -> aiohttp.ClientSession:
    """Return a session that asks nobody but whom the guard lets it; `agent` is its User-Agent.

    Every name is looked up for every connection, and its addresses are judged then. No cookies are kept, bodies stay
    packed, and the environment's proxies are not used.
    """
    connector = aiohttp.TCPConnector(
        limit=AT_ONCE,
        force_close=True,
        use_dns_cache=False,
        resolver=Judged(guard, resolver or ThreadedResolver()),
        socket_factory=guard.socket,
    )
    return aiohttp.ClientSession(
        connector=connector,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": agent},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT),
        middlewares=(_once,),
        trust_env=False,
    )


async def _once(request: aiohttp.ClientRequest, ask: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Ask once: by itself aiohttp asks a second time, at once and so out of turn, where a connection is dropped."""
    try:
        return await ask(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise Dropped(str(error)) from error


def trouble(error: Exception) -> str:
    """Say what went wrong with a connection, to follow the host's name."""
    if isinstance(error, aiohttp.InvalidURL):
        return "has a URL that cannot be asked for"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "cannot be found: its name leads nowhere"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "has no certificate that can be trusted"
    if isinstance(error, ssl.SSLError | aiohttp.ClientSSLError):
        return "speaks no TLS that can be understood"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "cannot be reached"
    if isinstance(error, aiohttp.ClientResponseError | ValueError):
        return "answered what is no HTTP"
    return "broke off in the middle of an answer"

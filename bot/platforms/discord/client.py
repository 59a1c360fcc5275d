"""The one connection to Discord: its REST interface, and the gateway where this process listens.

What discord.py leaves open after hours of trouble is closed here: see `Client` and `Gate`.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import aiohttp
import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import Route

from bot.config import Settings
from bot.errors import Retry
from bot.platforms.discord.codes import AWAY, hears
from bot.platforms.discord.shards import hold_on, shards

LONGEST_WAIT = 30.0  # seconds that a rate limit is waited for; a longer one is Retry
LOGIN_WITHIN, CLOSE_WITHIN = 20.0, 5.0  # seconds
LOGIN_AGAIN = 5.0  # seconds until a login that failed is tried again: whoever waited for it fails with it
LAUNCHES = 30  # tries to launch shards, each five seconds or longer, before all is begun anew
NOT_KNOWN = (
    "Discord does not know this bot token (PAPERROUND_DISCORD_TOKEN): make a new one (page Bot › Reset Token), set it, "
    "and start the bot again."
)

log = structlog.get_logger()


class Gate(asyncio.Event):
    """What holds back all calls while a limit of the whole bot lasts: it opens by itself after the longest wait.

    discord.py closes it, sleeps, and opens it. Whoever closed it may be cancelled in that sleep, and then nobody would
    open it.
    """

    def clear(self) -> None:
        """Close it for a while."""
        super().clear()
        asyncio.get_running_loop().call_later(LONGEST_WAIT, self.set)


class Client(discord.AutoShardedClient):
    """discord.py, which keeps of Discord no more than servers, channels and roles, and asks for nothing privileged.

    Raises SettingsError for shards that there are not.
    """

    def __init__(self, settings: Settings) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.dm_messages = True
        intents.guild_messages = settings.discord_mentions
        count, ids = shards(settings)
        named: Any = {"shard_ids": ids} if ids else {}
        super().__init__(
            intents=intents,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=LONGEST_WAIT,
            http_trace=hears(),
            shard_count=count,
            **named,
        )
        self._launches = 0
        self._closing_sockets: set[asyncio.Future[bool]] = set()

    async def setup_hook(self) -> None:
        """Set up what needs a login."""
        self.http._global_over = Gate()
        self.http._global_over.set()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait before a session starts: as long as Discord allows no more of them, and for the others."""
        try:
            if not initial:  # for all that begin at the start it was looked already
                await hold_on(self, 1)
            await super().before_identify_hook(shard_id, initial=initial)
        except asyncio.CancelledError:
            self._abandon(shard_id)
            raise

    def _abandon(self, shard_id: int | None) -> None:
        """Close the socket of a session that does not begin: discord.py forgets it, and its heart goes on beating."""
        for heart in threading.enumerate():
            if not isinstance(heart, KeepAliveHandler) or heart.ws._connection is not self._connection:
                continue
            if heart.shard_id == shard_id:
                heart.stop()
                closing = asyncio.ensure_future(heart.ws.socket.close())
                self._closing_sockets.add(closing)
                closing.add_done_callback(self._closing_sockets.discard)

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Launch a shard. discord.py calls it again for each failure, within the first: so it gives up in time.

        Raises Retry.
        """
        self._launches += 1
        if self._launches > LAUNCHES:
            raise Retry("Discord's gateway does not answer.", 0.0)
        await super().launch_shard(gateway, shard_id, initial=initial)
        self._launches = 0

    async def on_error(self, event_method: str, /, *_args: Any, **_named: Any) -> None:
        """Log what a hook raised."""
        log.exception("an event was not understood", event_name=event_method, incident=secrets.token_hex(3))


class Link:
    """Holds the client, logged in or not. One that was closed is of no more use: another takes its place."""

    def __init__(self, settings: Settings) -> None:
        self.client = Client(settings)
        self._settings = settings
        self._known = False
        self._lock = asyncio.Lock()
        self._furnishers: list[Callable[[Client], None]] = []
        self._failed: tuple[float, Retry] | None = None  # until when, as the loop's time, and how

    def furnish(self, furnisher: Callable[[Client], None]) -> None:
        """Have something done with the client, and with each that takes its place."""
        self._furnishers.append(furnisher)
        furnisher(self.client)

    def on(self, event: str, hook: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Tell `hook` of an event, by discord.py's name without its "on_"."""
        self.furnish(lambda client: setattr(client, f"on_{event}", hook))

    async def ready(self) -> Client:
        """Return the client, logged in: it can call Discord, whether it listens or not. Raises Retry.

        While a login that failed is not tried again, all fail like it.
        """
        if self._known and not self.client.is_closed():
            return self.client
        async with self._lock:
            if self.client.is_closed():  # its listening ended, and another may begin
                await self._forget()
            if not self._known:
                await self._log_in()
        return self.client

    async def run(self) -> None:
        """Listen until cancelled or closed. Raises Retry, and what discord.py raises if it gives up."""
        client = await self.ready()
        try:
            if self._settings.discord_api_url != type(self._settings).model_fields["discord_api_url"].default:
                _, url, _ = await client.http.get_bot_gateway()
                DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
            await hold_on(client, self.sessions)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise Retry(f"Discord does not tell where to listen ({type(error).__name__}).", 0.0) from error
        listening = asyncio.create_task(client.connect())
        try:
            await asyncio.shield(listening)
        except asyncio.CancelledError:
            await _ended(listening)
            raise
        except Exception:
            await self.close()  # its other shards would go on, and be launched a second time
            raise

    async def close(self) -> None:
        """Let go of all connections. Never raises."""
        if self._known:
            self._known = False
            try:
                async with asyncio.timeout(CLOSE_WITHIN):
                    await self.client.close()
            except Exception as error:
                log.warning("Discord was left without a word", reason=type(error).__name__)

    @property
    def sessions(self) -> int:
        """How many sessions this process starts; 0: as many as Discord recommends."""
        count, ids = shards(self._settings)
        return len(ids) if ids else count or 0

    async def _log_in(self) -> None:
        now = asyncio.get_running_loop().time
        until, before = self._failed or (0.0, None)
        if before is not None and now() < until:
            raise Retry(str(before), before.after, before.everywhere) from before.__cause__
        try:
            await self._try_log_in()
        except Retry as error:
            self._failed = now() + max(error.after, LOGIN_AGAIN), error
            raise
        self._known, self._failed = True, None

    async def _try_log_in(self) -> None:
        Route.BASE = self._settings.discord_api_url
        try:
            async with asyncio.timeout(LOGIN_WITHIN):
                await self.client.login(self._settings.discord_token.get_secret_value())
        except discord.LoginFailure as error:
            await self._forget()
            raise Retry(NOT_KNOWN, AWAY, everywhere=True) from error
        except discord.RateLimited as error:
            await self._forget()
            raise Retry("Discord lets this bot wait.", error.retry_after, everywhere=True) from error
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            await self._forget()
            raise Retry(f"Discord cannot be reached ({type(error).__name__}).", 0.0) from error
        except BaseException:
            await self._forget()
            raise

    async def _forget(self) -> None:
        """Close what a login opened, and begin anew: discord.py keeps its closed connections, and the end of a run."""
        self._known = False
        await self.client.http.close()
        self.client = Client(self._settings)
        for furnisher in self._furnishers:
            furnisher(self.client)


async def _ended(listening: asyncio.Task[None]) -> None:
    """Cancel a task until it has ended: discord.py takes a cancel for the end of a shard while that connects anew."""
    loop = asyncio.get_running_loop()
    end = loop.time() + CLOSE_WITHIN
    while not listening.done() and loop.time() < end:
        listening.cancel()
        await asyncio.wait([listening], timeout=0.1)
    with suppress(asyncio.CancelledError, Exception):
        listening.exception()

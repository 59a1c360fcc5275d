"""What Discord's answers mean for a delivery: its error codes, its statuses, and answers that never came. Pure.

The codes are those of https://docs.discord.com/developers/topics/opcodes-and-status-codes
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import structlog

from bot import metrics
from bot.core.message import fit
from bot.errors import DeliveryError, Refused, Retry, Uncertain

LATER = 5.0  # seconds that are waited where Discord asks to wait and does not say how long
AWAY = 60.0  # seconds until a bot that Discord does not let in knocks again
TEXT_LIMIT = 200  # characters of what Discord says
UNAUTHORIZED, FORBIDDEN, TIMED_OUT, TOO_MANY, BROKEN = 401, 403, 408, 429, 500  # statuses
NOT_TEXT = frozenset({40058, 50008})  # what a forum answers to a message that is no post

_NOT_SENT = (
    aiohttp.ClientConnectorError,  # of which those of names, certificates and proxies are kinds
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
_heard_everywhere: ContextVar[bool] = ContextVar("heard_everywhere", default=False)
_lost: ContextVar[list[str] | None] = ContextVar("lost", default=None)  # tries of a message that may have arrived

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means: its class, and words for people. Of Refused: whether the place takes nothing else either."""

    kind: type[Retry] | type[Refused]
    words: str
    closed: bool = True
    everywhere: bool = False


def _closed(words: str) -> Code:
    return Code(Refused, words)


def _message(words: str) -> Code:
    return Code(Refused, words, closed=False)


def _later(words: str) -> Code:
    return Code(Retry, words)


_GONE = _closed("The channel was deleted. Subscribe another one.")
_REPLY = _message("Discord waited too long for this answer, and takes it no more. Type it once more.")
_BLOCKED = _message("The server's automatic moderation blocked the message. Whoever manages the server can allow it.")
_SOON = _later("Discord takes no more here just now.")

CODES: Mapping[int, Code] = {
    10003: _GONE,
    10004: _closed("I am not in this server any more. Whoever manages it can add me again."),
    10008: _message("The message was deleted."),
    10013: _closed("Discord does not know this person any more."),
    10015: _REPLY,
    10062: _REPLY,
    10087: _later("A tag of the forum was deleted just now."),
    20009: _message("Discord took the message for explicit content."),
    20016: _later("The channel is in slow mode."),
    20028: _SOON,
    20029: _SOON,
    30046: _later("A message this old takes no more edits just now."),
    40001: Code(Retry, "Discord does not know the bot's token.", everywhere=True),
    40003: _later("Direct messages are opened too fast."),
    40004: _later("Discord takes no messages just now."),
    40006: _later("Discord has switched this off for a while."),
    40058: _closed("The channel takes no messages. Subscribe another one."),
    40060: _message("Another answer was given already."),
    40062: _SOON,
    40067: _closed("The forum requires a tag, and none fits. Subscribe with a topic that is a tag of the forum."),
    40094: _message("Discord takes no more answers here. Type it once more."),
    40333: Code(Retry, "Discord's protection does not let the bot in.", everywhere=True),
    50001: _closed("I cannot see the channel any more. Whoever manages it gives me: View Channel."),
    50006: _message("The message was empty."),
    50007: _closed("Direct messages from me are closed. Allow them for a server where I am, then resume."),
    50008: _closed("The channel takes no messages. Subscribe another one."),
    50009: _closed("The server's verification level keeps me out of the channel."),
    50013: _closed(
        "I lack a permission in the channel. Whoever manages it gives me: View Channel, Send Messages "
        "(in a thread: Send Messages in Threads; in a forum: Create Posts), Read Message History."
    ),
    50014: Code(Retry, "Discord does not know the bot's token.", everywhere=True),
    50024: _closed("The channel takes no messages. Subscribe another one."),
    50027: _REPLY,
    50033: _closed("Discord does not know this person any more."),
    50035: _message("Discord did not take the form of the message."),
    50083: _closed("The thread is archived. Open it again, then resume."),
    50278: _closed("We share no server any more. Join one where I am, then resume."),
    130000: _later("Discord is overloaded."),
    160005: _closed("The thread is locked. Whoever manages it can unlock it."),
    160006: _later("The server has as many active threads as Discord allows."),
    160007: _later("The server has as many active announcement threads as Discord allows."),
    200000: _BLOCKED,
    200001: _BLOCKED,
    240000: _message("Discord took a link in the message for a harmful one."),
    400001: _message("The server takes no files just now."),
}


def verdict(error: BaseException) -> DeliveryError:
    """Return what an error says of the message that was on its way. Of one that may have arrived: Uncertain."""
    if isinstance(error, DeliveryError):
        return error
    if isinstance(error, discord.RateLimited):
        return Retry("Discord asks to wait.", _bounded(error.retry_after), everywhere=_heard_everywhere.get())
    if isinstance(error, discord.HTTPException):
        return _answered(error)
    if isinstance(error, _NOT_SENT):
        return Retry(f"Discord cannot be reached ({type(error).__name__}).", 0.0)
    if isinstance(error, TimeoutError):
        return Uncertain("Discord did not answer in time.")
    return Uncertain(f"Discord's answer was lost ({type(error).__name__}).")


@contextmanager
def one_message() -> Iterator[None]:
    """Raise what goes wrong while a message is posted as what it means for it: a DeliveryError.

    discord.py says a message up to five times by itself and raises what came of the last try. If an earlier one may
    have arrived, the message may be there, whatever was answered later: Uncertain.
    """
    lost: list[str] = []
    token = _lost.set(lost)
    try:
        yield
    except Exception as error:
        found = verdict(error)
        if lost and not isinstance(found, Uncertain):
            found = Uncertain(f"An earlier try may have arrived ({lost[0]}). {found}")
        raise found from error
    finally:
        _lost.reset(token)


def hears() -> aiohttp.TraceConfig:
    """Return what tells `verdict` whether a limit holds for the whole bot, and `one_message` how each try went.

    discord.py keeps both for itself. It listens to each answer, in the task that asked.
    """
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_hear)
    trace.on_request_exception.append(_miss)
    return trace


async def _hear(_session: aiohttp.ClientSession, _of: SimpleNamespace, told: aiohttp.TraceRequestEndParams) -> None:
    _heard_everywhere.set(told.response.status == TOO_MANY and _is_everywhere(told.response.headers))
    if told.response.status >= BROKEN:
        _lose(told.method, str(told.response.status))


async def _miss(_session: Any, _of: SimpleNamespace, told: aiohttp.TraceRequestExceptionParams) -> None:
    if not isinstance(told.exception, _NOT_SENT):
        _lose(told.method, type(told.exception).__name__)


def _lose(method: str, reason: str) -> None:
    """Note that a post may have arrived though its answer does not say so."""
    lost = _lost.get()
    if lost is not None and method == "POST":
        lost.append(reason)


def _answered(error: discord.HTTPException) -> DeliveryError:
    """Go by the code, then by the status."""
    known, headers = CODES.get(error.code), error.response.headers
    if error.status == TOO_MANY:
        words = known.words if known else "Discord asks to wait."
        return Retry(words, _seconds(headers), everywhere=_is_everywhere(headers))
    if known is not None:
        if known.kind is Retry:
            return Retry(known.words, AWAY if known.everywhere else _told(headers), everywhere=known.everywhere)
        return Refused(known.words, closed=known.closed)
    if error.status >= BROKEN:
        return Uncertain(f"Discord answered {error.status}.")
    if error.status == UNAUTHORIZED or (error.status == FORBIDDEN and _is_page(headers)):
        return Retry(f"Discord does not let the bot in ({error.status}).", AWAY, everywhere=True)
    if error.status == TIMED_OUT:
        return Retry("The message did not get through to Discord.", 0.0)
    metrics.DISCORD_UNKNOWN.inc()
    log.error("an answer of Discord that nobody knows", status=error.status, code=error.code)
    # It says nothing of the destination: another day it may be taken.
    said = fit(" ".join(error.text.split()), TEXT_LIMIT)
    return Refused(f"Discord answered {error.status} (code {error.code}). {said}".rstrip(), closed=False)


def _is_everywhere(headers: Mapping[str, str]) -> bool:
    """Say whether a limit is the whole bot's. Without `Via` it is what stands before Discord that answers."""
    told = headers.get("X-RateLimit-Global") or headers.get("X-RateLimit-Scope") == "global"
    return bool(told) or not headers.get("Via")


def _is_page(headers: Mapping[str, str]) -> bool:
    """Say whether an answer is a page for people, as of what stands before Discord."""
    return "json" not in headers.get("Content-Type", "")


def _seconds(headers: Mapping[str, str]) -> float:
    return _told(headers) or LATER


def _told(headers: Mapping[str, str]) -> float:
    """Return the seconds to wait that Discord tells; 0 if none."""
    try:
        return _bounded(float(headers.get("Retry-After", "")))
    except ValueError:
        return 0.0


def _bounded(seconds: float) -> float:
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0

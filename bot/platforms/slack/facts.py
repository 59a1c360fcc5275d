"""What Slack knows of people and channels, remembered for about a minute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from bot.core.ports import Facts
from bot.core.request import HOME, Address
from bot.errors import PaperroundError
from bot.platforms.slack.calls import Calls

KEPT_FOR = 60.0  # seconds
FAILED_FOR = 5.0  # seconds until Slack is asked again after it did not answer
KEPT = 5000
PATIENCE = 8.0  # seconds: somebody waits for what is asked here

Known = Mapping[str, Any]

log = structlog.get_logger()


@dataclass(slots=True)
class _Asked:
    """An answer that is there or on its way; `until`: seconds of time.monotonic."""

    task: asyncio.Task[Known]
    until: float


class Places:
    """Tells of people and channels. What Slack does not tell is empty, and then nobody manages anything."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._asked: dict[tuple[str, str, str], _Asked] = {}

    async def about(self, address: Address) -> Facts:
        """Tell what is known of an address and of what the person may do there. Never raises for want of an answer."""
        channel_id = "" if address.channel == HOME else address.channel
        person, channel = await asyncio.gather(
            self.person(address.workspace, address.user), self.channel(address.workspace, channel_id)
        )
        return facts_of(person, channel, address)

    async def person(self, workspace: str, user: str) -> Known:
        """Return the user object of Slack; empty if it does not tell."""
        return await self._known(workspace, "user", user) if user else {}

    async def channel(self, workspace: str, channel: str) -> Known:
        """Return the conversation object of Slack; empty if it does not tell, and for a direct message."""
        return {} if not channel or channel.startswith("D") else await self._known(workspace, "channel", channel)

    def forget(self, workspace: str, channel: str) -> None:
        """Forget a channel: it has just changed."""
        self._asked.pop((workspace, "channel", channel), None)

    async def close(self) -> None:
        """End what is on its way. Never raises."""
        tasks = [asked.task for asked in self._asked.values()]
        self._asked.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _known(self, workspace: str, kind: str, id_: str) -> Known:
        key = (workspace, kind, id_)
        asked = self._asked.get(key)
        if asked is None or asked.until < time.monotonic():
            self._asked.pop(key, None)
            if len(self._asked) >= KEPT:
                del self._asked[next(iter(self._asked))]
            asked = _Asked(asyncio.create_task(self._ask(workspace, kind, id_)), time.monotonic() + KEPT_FOR)
            self._asked[key] = asked
        known = await asyncio.shield(asked.task)
        if not known:
            asked.until = min(asked.until, time.monotonic() + FAILED_FOR)
        return known

    async def _ask(self, workspace: str, kind: str, id_: str) -> Known:
        try:
            async with asyncio.timeout(PATIENCE):
                if kind == "user":
                    said = await self._calls.call(workspace, "users.info", user=id_)
                else:
                    said = await self._calls.call(workspace, "conversations.info", channel=id_)
        except (PaperroundError, TimeoutError) as error:
            log.info("Slack does not tell", kind=kind, id=id_, workspace=workspace, reason=str(error))
            return {}
        known = said.get(kind)
        return known if isinstance(known, Mapping) else {}


def facts_of(person: Known, channel: Known, address: Address) -> Facts:
    """Put together what is known of somebody in a place. Pure."""
    purpose = " ".join(text for text in (_value(channel, "purpose"), _value(channel, "topic")) if text)
    name = _text(channel, "name") if address.channel not in ("", HOME) else name_of(person)
    return Facts(
        name=name,
        purpose=purpose,
        time_zone=_text(person, "tz"),
        manages=_manages(person, channel, address),
    )


def name_of(person: Known) -> str:
    """Return the name that people read; "" if it is not known."""
    profile = person.get("profile")
    profile = profile if isinstance(profile, Mapping) else {}
    names = (_text(profile, "display_name"), _text(profile, "real_name"), _text(person, "real_name"))
    return next((name for name in (*names, _text(person, "name")) if name), "")


def _manages(person: Known, channel: Known, address: Address) -> bool:
    """Say whether somebody manages a place: who runs the workspace, or made the channel, and is no guest in it."""
    outside = person.get("team_id") != address.workspace or person.get("is_stranger")
    guest = person.get("is_restricted") or person.get("is_ultra_restricted")
    if not person or outside or guest or person.get("deleted") or person.get("is_bot"):
        return False
    runs = any(person.get(role) is True for role in ("is_admin", "is_owner", "is_primary_owner"))
    made = bool(address.user) and channel.get("creator") == address.user
    return runs or made


def _text(of: Known, name: str) -> str:
    value = of.get(name)
    return value if isinstance(value, str) else ""


def _value(of: Known, name: str) -> str:
    inner = of.get(name)
    return _text(inner, "value") if isinstance(inner, Mapping) else ""

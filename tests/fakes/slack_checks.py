"""What Slack refuses before it does anything, by the rules of the complete fake: too early, not permitted, too long."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack import chat, windows
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.limits import Limits
from tests.fakes.slack.methods import METHODS
from tests.fakes.slack.state import SCOPES, Channel, Json, Team
from tests.fakes.slack.world import World

MESSAGES = ("chat.postMessage", "chat.postEphemeral", "chat.update", "response_url")
_ANY = World()


@dataclass(frozen=True)
class Refusal:
    """An answer that is not "ok"."""

    body: Json
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Checks:
    """Strict unless a test says otherwise; `limits` of time are off until they are switched on.

    `granted`: the permissions of a workspace that has not all; `private`: channels that are; `refused`: what was.
    """

    strict: bool = True
    granted: dict[str, frozenset[str]] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    limits: Limits = field(default_factory=Limits)
    refused: list[tuple[str, Json]] = field(default_factory=list)

    def refusal(self, method: str, team: str, form: Mapping[str, Any]) -> Refusal | None:
        """Return why a call of a method, with arguments that are read from JSON, is refused; None if it is not."""
        channel = str(form.get("channel") or form.get("channel_id") or "")
        if method in METHODS:
            wait = self.limits.wait(team, method, METHODS[method].tier, channel)
            if wait > 0:
                return Refusal({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(math.ceil(wait))})
        try:
            if self.strict:
                self._check(method, team, channel, dict(form))
        except Fault as fault:
            body = {"ok": False, "error": fault.code, **fault.more}
            self.refused.append((method, body))
            return Refusal(body)
        return None

    def scopes(self, team: str) -> frozenset[str]:
        """Return the permissions of a workspace's token."""
        return self.granted.get(team, SCOPES)

    def _check(self, method: str, team: str, channel: str, form: Json) -> None:
        """Raise Fault."""
        if method not in METHODS and method not in MESSAGES:
            raise Fault("unknown_method")
        needed = needed_scope(method, channel, channel in self.private)
        if needed and needed not in self.scopes(team):
            raise Fault("missing_scope", needed=needed, provided=",".join(sorted(self.scopes(team))))
        if method in MESSAGES and not form.get("delete_original"):
            chat.content(_ANY, _place(team, channel), form)
        if method.startswith("views."):
            windows.taken(_ANY, form.get("view"), "home" if method == "views.publish" else "modal")


def needed_scope(method: str, channel: str, private: bool = False) -> str:
    """Return the permission that a method needs, for this channel; "" if it needs none."""
    if method not in METHODS:
        return ""
    scope = METHODS[method].scope
    return scope if isinstance(scope, str) else scope(_ANY, _place("T0", channel, private), {"channel": channel})


def _place(team: str, channel: str, private: bool = False) -> Team:
    """Return a workspace with this channel in it."""
    made = Team(team, team, "", "", "", "")
    made.channels[channel] = Channel(channel, channel, made, private=private, direct=channel.startswith("D"))
    return made

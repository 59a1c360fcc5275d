"""What Slack refuses before it does anything: calls that come too early, permissions that lack, arguments too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes import slack_limits, slack_scopes
from tests.fakes.slack_rates import Rates

GRANTED = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "channels:join",
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:write",
        "users:read",
    }
)
"""What a workspace gives the bot that installs it by its manifest."""


@dataclass(frozen=True)
class Refusal:
    """An answer that is not "ok"."""

    body: dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Checks:
    """Strict unless a test says otherwise. `granted`: the permissions of a workspace that has not all; `private`: ids.

    `rates`: how fast calls may come; as fast as they like if it is None.
    """

    strict: bool = True
    granted: dict[str, frozenset[str]] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    rates: Rates | None = None
    refused: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def refusal(self, method: str, team: str, form: Mapping[str, Any]) -> Refusal | None:
        """Return why a call of a method, with arguments that are read from JSON, is refused; None if it is not."""
        channel = str(form.get("channel") or form.get("channel_id") or "")
        wait = self.rates.wait(method, team, channel) if self.rates is not None else 0
        if wait:
            return self._noted(method, {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(wait)})
        if not self.strict:
            return None
        if method not in slack_scopes.METHODS:
            return self._noted(method, {"ok": False, "error": "unknown_method"})
        kind = slack_scopes.kind_of(channel, channel in self.private)
        wrong = slack_scopes.lack(method, self.scopes(team), kind) or slack_limits.answer(method, form)
        return self._noted(method, {"ok": False, **wrong}) if wrong else None

    def scopes(self, team: str) -> frozenset[str]:
        """Return the permissions of a workspace's token."""
        return self.granted.get(team, GRANTED)

    def headers(self, method: str, team: str) -> dict[str, str]:
        """Return the headers that tell of them."""
        return slack_scopes.headers(method, self.scopes(team))

    def _noted(
        self, method: str, body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
    ) -> Refusal:
        self.refused.append((method, body))
        return Refusal(body, status, headers or {})

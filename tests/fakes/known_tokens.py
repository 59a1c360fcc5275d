"""Tokens of the workspaces that a test knows, in place of those that are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.errors import Refused


@dataclass(frozen=True)
class Known:
    """What the bot is in one workspace."""

    token: str
    bot_user: str = ""
    bot_id: str = ""


@dataclass
class KnownTokens:
    """`teams` are those of a fake Slack, or anything with id, bot_token, bot_user and bot_id."""

    teams: list[Any]
    error: Exception | None = None
    told: list[tuple[str, str]] = field(default_factory=list)

    async def of(self, workspace: str) -> Known:
        if self.error is not None:
            raise self.error
        for team in self.teams:
            if team.id == workspace:
                return Known(team.bot_token, team.bot_user, team.bot_id)
        raise Refused("The app is not installed in this workspace.")

    async def ended(self, workspace: str, code: str) -> None:
        self.told.append((workspace, code))

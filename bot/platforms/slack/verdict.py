"""What the tries of tokens mean for the doctor: good or not, what is missing, which workspaces ended. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.config import Settings
from bot.core.card import count
from bot.core.check import Check
from bot.platforms.slack.manifest import EVENTS_PATH, INSTALL_PATH, scopes

ANEW = "Put what `paperround manifest slack` prints into App Manifest of the app's settings, and install the app again."
APP_TOKEN = "Make one with the scope connections:write under Basic Information › App-Level Tokens, and set it."  # noqa: S105
_CODES = {
    "invalid_auth": "Slack does not know it",
    "not_authed": "it is missing",
    "account_inactive": "the app was removed from the workspace",
    "token_revoked": "the app was removed from the workspace, or the token was withdrawn",
    "token_expired": "the token ran out: token rotation is on",
    "not_allowed_token_type": "it is a token of another kind",
    "missing_scope": "it lacks the scope connections:write",
    "ratelimited": "Slack asks to wait; try again in a minute",
}


@dataclass(frozen=True, slots=True)
class Install:
    """A workspace that has the app, or had it: `ended` says why it has not, in words or as Slack's code."""

    workspace: str
    name: str
    token: str = field(repr=False)
    ended: str = ""
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave: a code or a reason in `failed`, or what Slack said and the scopes that it told (None: not)."""

    failed: str = ""
    said: Mapping[str, Any] | None = None
    granted: frozenset[str] | None = None


def tokens(settings: Settings, installs: Sequence[Install], answers: Sequence[Answer], known: int) -> Check:
    """Say whether the workspaces' tokens are good."""
    mode = "HTTP mode" if settings.slack_mode == "http" else "Socket Mode"
    ill = []
    for install, answer in zip(installs, answers, strict=True):
        if fault := _fault(install.token, answer):
            ill.append(f"{_name(install, answer)}: {fault}")
    if not installs:
        return Check("slack", "look", f"{mode}; no workspace has the app yet", f"Install it: {_install(settings)}")
    if ill:
        line = f"{mode}; {len(ill)} of {count(known, 'bot token')} not good"
        return Check("slack", "wrong", line, _cure(settings, answers, ill), tuple(ill))
    if known == 1:
        return Check("slack", "ok", f"{mode}, {_name(installs[0], answers[0])}: the bot token is good")
    part = f", {len(installs)} tried" if len(installs) < known else ""
    return Check("slack", "ok", f"{mode}, {count(known, 'workspace')}{part}: the bot tokens are good")


def _name(install: Install, answer: Answer) -> str:
    return str((answer.said or {}).get("team") or install.name or install.workspace)


def _fault(token: str, answer: Answer) -> str:
    """Return what is wrong with a token, or nothing."""
    said = answer.said or {}
    if answer.failed:
        return _reason(answer.failed)
    if token.startswith("xoxe") or "expires_in" in said:
        return "token rotation is on, so that the token runs out within hours"
    if not said.get("bot_id"):
        return "it is no bot's token"
    if said.get("is_enterprise_install"):
        return "the app is installed for a whole organisation, not for a workspace"
    return ""


def _cure(settings: Settings, answers: Sequence[Answer], ill: Sequence[str]) -> str:
    if any("rotation" in line for line in ill):
        return "Rotation cannot be switched off again: make the app anew from `paperround manifest slack`."
    failed = [answer.failed for answer in answers if answer.failed]
    if failed and all(text.startswith("no answer") for text in failed):
        return f"See whether this machine reaches {settings.slack_api_url}."
    if settings.slack_client_id:
        return f"Whoever manages the workspace has to install the app again: {_install(settings)}"
    return "Copy the Bot User OAuth Token from OAuth & Permissions of the app's settings to PAPERROUND_SLACK_BOT_TOKEN."


def _install(settings: Settings) -> str:
    """Say where the app is installed."""
    return f"{settings.public_url}{INSTALL_PATH}" if settings.slack_client_id else "Install App, in the app's settings"


def _reason(failed: str) -> str:
    return f"{_CODES[failed]} ({failed})" if failed in _CODES else failed


def permissions(settings: Settings, installs: Sequence[Install], answers: Sequence[Answer]) -> Check:
    """Say which scopes the app has not been given."""
    needed = set(scopes(settings))
    lacks = []
    for install, answer in zip(installs, answers, strict=True):
        if answer.granted is not None and (missing := sorted(needed - answer.granted)):
            lacks.append(f"{_name(install, answer)}: {', '.join(missing)}")
    if lacks:
        return Check("slack permissions", "wrong", "the app has not got all that it needs", ANEW, tuple(lacks))
    if not any(answer.granted for answer in answers):
        todo = "Compare them with `paperround manifest slack`." if any(one.said for one in answers) else "See above."
        return Check("slack permissions", "look", f"Slack does not tell them; {len(needed)} are needed", todo)
    return Check("slack permissions", "ok", f"all {len(needed)} are granted")


def app_token(token: str, answer: Answer, answers: Sequence[Answer]) -> Check:
    """Say whether a socket can be opened, and for the app that the bot tokens are of: its id is in the app's token."""
    if answer.failed:
        todo = "See whether this machine reaches Slack." if answer.failed.startswith("no answer") else APP_TOKEN
        return Check("slack socket", "wrong", f"PAPERROUND_SLACK_APP_TOKEN: {_reason(answer.failed)}", todo)
    told = {str(other.said["app_id"]) for other in answers if other.said and other.said.get("app_id")}
    own = token.split("-")[2:3]
    if told and own and own[0].startswith("A") and own[0] not in told:
        line = f"the app-level token is of the app {own[0]}, the bot token of {', '.join(sorted(told))}"
        return Check("slack socket", "wrong", line, "Copy both from the settings of one app.")
    return Check("slack socket", "ok", "the app-level token is good")


def address(settings: Settings, answer: str) -> Check:
    """Say whether the bot is behind the public address: it answers 401 to what Slack did not sign."""
    url = settings.public_url + EVENTS_PATH
    if answer == "401":
        return Check("slack address", "ok", f"the bot answers at {url}")
    todo = f"Start the bot, and let the proxy pass /slack/ on to {settings.http_address or 'PAPERROUND_HTTP_ADDRESS'}."
    return Check("slack address", "look", f"the bot does not answer at {url}: {answer}", todo)


def ended(settings: Settings, installs: Sequence[Install]) -> Check:
    """Name the workspaces that Slack says the app is not in any more, and why."""
    over = [install for install in installs if install.ended]
    if not over:
        return Check("slack workspaces", "ok", "none has ended")
    details = tuple(
        f"{install.name or install.workspace}: {_CODES.get(install.ended, install.ended)}"
        + (f", since {install.ended_at:%Y-%m-%d %H:%M} UTC" if install.ended_at else "")
        for install in over
    )
    todo = f"It goes on once the app is installed again: {_install(settings)}. What is stored is kept for 30 days."
    line = f"the app is not at work in {count(len(over), 'workspace')}"
    return Check("slack workspaces", "look", line, todo, details)

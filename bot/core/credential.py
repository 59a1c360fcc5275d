"""Tokens, secrets and keys in settings: read, or refused with a ValueError that says what would be right, not them."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable

_TOKENS = {  # what Slack's tokens begin with, and what each is
    "xoxb-": "the bot token: it belongs to PAPERROUND_SLACK_BOT_TOKEN",
    "xapp-": "the app-level token: it belongs to PAPERROUND_SLACK_APP_TOKEN",
    "xoxp-": "a user token, which the bot does not use",
    "xoxe": "a token of an app with token rotation: it runs out within hours, and rotation cannot be switched off "
    "again, so make the app anew from the manifest",
}


def read_token(prefix: str) -> Callable[[str], str]:
    """Return what reads a token of Slack's that begins so. It raises ValueError for others, which never tells them."""

    def read(text: str) -> str:
        other = next((said for start, said in _TOKENS.items() if text.startswith(start) and start != prefix), "")
        if text and other:
            raise ValueError(f"this is {other}")
        if text and not re.fullmatch(rf"{prefix}[\w.-]+", text, re.ASCII):
            raise ValueError(f"copy the whole token: it begins with {prefix}")
        return text

    return read


def read_secret(text: str) -> str:
    """Read an identifier or secret of letters, digits, dots and dashes. Raises ValueError, and never tells it."""
    if any(text.startswith(start) for start in _TOKENS):
        raise ValueError("this is a token; what is wanted stands under Basic Information › App Credentials")
    if not re.fullmatch(r"[\w.-]*", text, re.ASCII):
        raise ValueError("copy it as it stands under Basic Information › App Credentials: letters, digits and dots")
    return text


def read_bot_token(text: str) -> str:
    """Read the token of a bot of Discord's. Raises ValueError for anything else, which never tells it."""
    text = text.removeprefix("Bot ").strip()
    if not text or (re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", text, re.ASCII) and application_of(text)):
        return text
    for like, what in (
        (r"[0-9]{15,20}", "the application ID"),
        (r"[0-9a-f]{64}", "the public key"),
        (r"[\w-]{32}", "the client secret"),
    ):
        if re.fullmatch(like, text, re.ASCII):
            raise ValueError(f"this is {what}; the token stands on the page Bot, under Reset Token")
    raise ValueError("copy the whole token from the page Bot, under Reset Token: three parts with dots between")


def application_of(token: str) -> str:
    """Return the id of the application that a bot's token of Discord's belongs to: its first part, base64; or ""."""
    first = token.partition(".")[0]
    try:
        found = urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except ValueError:
        return ""
    return found if re.fullmatch(r"[0-9]{1,20}", found) else ""


def read_keys(text: str) -> str:
    """Read Fernet keys, with commas between. Raises ValueError, which never tells them."""
    keys = [key.strip() for key in text.split(",") if key.strip()]
    for at, key in enumerate(keys, 1):
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", key) or len(urlsafe_b64decode(key)) != 32:
            raise ValueError(f"number {at} is no key: a key has 44 letters and is made by: paperround key")
    return ",".join(keys)

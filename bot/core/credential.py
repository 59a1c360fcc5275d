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


def read_keys(text: str) -> str:
    """Read Fernet keys, with commas between. Raises ValueError, which never tells them."""
    keys = [key.strip() for key in text.split(",") if key.strip()]
    for at, key in enumerate(keys, 1):
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", key) or len(urlsafe_b64decode(key)) != 32:
            raise ValueError(f"number {at} is no key: a key has 44 letters and is made by: paperround key")
    return ",".join(keys)

"""Secrets at rest: encrypted with the first key of the settings, read with any of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from bot.errors import SettingsError

MISSING = "PAPERROUND_SECRET_KEYS is missing: tokens are stored encrypted. Make a key: paperround key"
NO_KEY = "PAPERROUND_SECRET_KEYS: none of its keys opens what is stored of “{}”. Add the key that was used before."


class Box:
    """Encrypts and decrypts with Fernet keys (AES-128-CBC with HMAC-SHA256). Raises SettingsError without any."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise SettingsError(MISSING)
        self._first = Fernet(keys[0])
        self._all = MultiFernet([Fernet(key) for key in keys])

    def close(self, text: str) -> str:
        """Return the text encrypted with the first key."""
        return self._first.encrypt(text.encode()).decode()

    def open(self, closed: str, whose: str) -> str:
        """Return the text again. Raises SettingsError, which names `whose` it is, if no key opens it."""
        try:
            return self._all.decrypt(closed.encode()).decode()
        except InvalidToken:
            raise SettingsError(NO_KEY.format(whose)) from None

    def is_old(self, closed: str) -> bool:
        """Say whether it was encrypted with another key than the first."""
        try:
            self._first.decrypt(closed.encode())
        except InvalidToken:
            return True
        return False

    def stamp(self, text: str, now: datetime) -> str:
        """Return the text encrypted and stamped with a time (aware), in characters that a URL and a cookie take."""
        return self._first.encrypt_at_time(text.encode(), int(now.timestamp())).decode().rstrip("=")

    def stamped(self, closed: str, within: int, now: datetime) -> str | None:
        """Return what was stamped at most `within` seconds before `now`; None for anything else."""
        padded = closed + "=" * (-len(closed) % 4)
        try:
            return self._all.decrypt_at_time(padded.encode(), within, int(now.timestamp())).decode()
        except (InvalidToken, ValueError):
            return None

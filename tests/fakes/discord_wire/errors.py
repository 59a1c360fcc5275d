"""How Discord says no: a status, a code, and for a form where in it what is wrong."""

from __future__ import annotations

from typing import Any

Path = tuple[str | int, ...]

WORDS = {
    0: "404: Not Found",
    10003: "Unknown Channel",
    10004: "Unknown Guild",
    10007: "Unknown Member",
    10008: "Unknown Message",
    10013: "Unknown User",
    10015: "Unknown Webhook",
    10062: "Unknown interaction",
    10063: "Unknown application command",
    20012: "You are not authorized to perform this action on this application",
    40003: "You are opening direct messages too fast",
    40060: "Interaction has already been acknowledged.",
    40067: "A tag is required to create a forum post in this channel",
    40094: "This interaction has reached maximum number of follow-up messages",
    50001: "Missing Access",
    50003: "Cannot execute action on a DM channel",
    50005: "Cannot edit a message authored by another user",
    50006: "Cannot send an empty message",
    50007: "Cannot send messages to this user",
    50008: "Cannot send messages in a non-text channel",
    50013: "Missing Permissions",
    50024: "Cannot execute action on this channel type",
    50027: "Invalid Webhook Token",
    50035: "Invalid Form Body",
    50083: "Thread is archived",
    50109: "The request body contains invalid JSON.",
    50278: "Cannot send messages to this user due to having no mutual guilds",
    160004: "A thread has already been created for this message",
    160005: "Thread is locked",
}
_STATUS = {
    0: 404,
    50001: 403,
    50003: 403,
    50005: 403,
    50007: 403,
    50013: 403,
    50027: 401,
    50278: 403,
    40003: 429,
    20012: 403,
}


class SetupError(Exception):
    """A test asked for what nobody can do on Discord: an unknown command, a button that is not there."""


class Fault(Exception):
    """Discord's refusal."""

    def __init__(self, code: int, status: int = 0, errors: dict[str, Any] | None = None, words: str = "") -> None:
        self.code, self.errors = code, errors
        self.status = status or _STATUS.get(code) or (404 if 10000 <= code < 11000 else 400)
        self.words = words or WORDS.get(code, "Error")
        super().__init__(f"{self.status} {code}: {self.words} {errors or ''}")

    @property
    def payload(self) -> dict[str, Any]:
        """The answer's body."""
        body: dict[str, Any] = {"message": self.words, "code": self.code}
        return body if self.errors is None else {**body, "errors": self.errors}


class Wrong:
    """Gathers what is wrong in a form, as the tree of Discord's `errors`."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {}

    def add(self, path: Path, code: str, words: str) -> None:
        """Note what is wrong at a place of the form."""
        at = self.tree
        for part in path:
            at = at.setdefault(str(part), {})
        at.setdefault("_errors", []).append({"code": code, "message": words})

    def required(self, path: Path) -> None:
        """Note that a field is missing."""
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required")

    def length(self, path: Path, value: Any, least: int, most: int) -> bool:
        """Check a text's length in characters. Returns whether it is a text of that length."""
        if not isinstance(value, str):
            self.add(path, "BASE_TYPE_BAD_TYPE", "Must be a string.")
        elif len(value) > most:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
        elif len(value) < least:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
        else:
            return True
        return False

    def listed(self, path: Path, value: Any, least: int, most: int) -> bool:
        """Check how many there are in a list. Returns whether it is a list of that length."""
        if not isinstance(value, list):
            self.add(path, "BASE_TYPE_BAD_TYPE", "Must be a list.")
        elif not least <= len(value) <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
        else:
            return True
        return False

    def number(self, path: Path, value: Any, least: int, most: int) -> bool:
        """Check a whole number. Returns whether it is one in that range."""
        if isinstance(value, bool) or not isinstance(value, int):
            self.add(path, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        elif not least <= value <= most:
            self.add(path, "NUMBER_TYPE_MAX", f"int value should be between {least} and {most}.")
        else:
            return True
        return False

    def check(self) -> None:
        """Raises Fault (50035) if anything is wrong."""
        if self.tree:
            raise Fault(50035, errors=self.tree)

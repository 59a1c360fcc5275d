"""What is asked of OpenReview's two interfaces, with an account or without one, and what their refusals mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.errors import SourceError
from bot.sources._openreview_notes import loaded

NEW, OLD = "https://api2.openreview.net", "https://api.openreview.net"
ACCOUNT = "PAPERROUND_OPENREVIEW_USER and PAPERROUND_OPENREVIEW_PASSWORD"
# Statuses whose body says what is meant by them; all others are the client's to judge.
_TOLD = (400, 401, 403, 404)
_LONGEST_PAGE = 40_000_000  # bytes: a thousand notes, or a hundred with their replies
_MISSING = ("NotFoundError", "ForbiddenError")
_DAY = 86_400  # seconds for which an account's token is asked for


@dataclass(slots=True)
class Api:
    """Both interfaces: `new` for venues since about 2023, `old` for those before.

    With a `user` it signs in once to each of them, and again when that is over: OpenReview asks most machines that come
    without an account to solve a puzzle first. Copies for the same user share that.
    """

    new: str = NEW
    old: str = OLD
    user: str = ""
    password: str = field(default="", repr=False)
    _tokens: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    async def get(self, http: Any, path: str, params: Mapping[str, str], *, old: bool = False) -> bytes | None:
        """Return the body of an answer; None if there is no such thing, or it is not public. Raises SourceError."""
        base = self.old if old else self.new
        key = (base, self.user)
        for again in (True, False):
            held = key in self._tokens
            answer = await http.get(
                f"{base}{path}",
                params=params,
                headers=await self._signed(http, base),
                limit=_LONGEST_PAGE,
                missing=_TOLD,
            )
            if answer.status not in (401, 403) or not (held and again) or _name(answer.body) in _MISSING:
                break
            self._tokens.pop(key, None)  # it ran out
        if answer.status not in _TOLD:
            return bytes(answer.body)
        self._refuse(answer.status, answer.body)
        return None

    def _refuse(self, status: int, body: bytes) -> None:
        """Pass over what is not there or not public. Raises SourceError for everything else, with what to do."""
        name = _name(body)
        if status == 404 or name in _MISSING:
            return
        if status == 400:
            raise SourceError(f"OpenReview did not understand the question: {_message(body) or 'it does not say why'}.")
        if self.user:
            raise SourceError(f"OpenReview refuses this account ({status}). Check {ACCOUNT}.")
        raise SourceError(
            f"OpenReview wants proof that this is no robot ({status}). Make a free account at openreview.net and set "
            f"{ACCOUNT}."
        )

    async def _signed(self, http: Any, base: str) -> dict[str, str]:
        if not self.user:
            return {}
        key = (base, self.user)
        if key not in self._tokens:
            said = {"id": self.user, "password": self.password, "expiresIn": _DAY}
            answer = await http.post(f"{base}/login", json=said, missing=_TOLD)
            token = loaded(answer.body).get("token") if answer.status == 200 else None
            if not isinstance(token, str) or not token.isascii() or not token.isprintable():
                raise SourceError(f"OpenReview refuses this account. Check {ACCOUNT}.")
            self._tokens[key] = token
        return {"Authorization": f"Bearer {self._tokens[key]}"}


def _name(body: bytes) -> str:
    return _field(body, "name")


def _message(body: bytes) -> str:
    text = " ".join(_field(body, "message").split())
    return "".join(mark for mark in text if mark.isprintable())[:200].rstrip(".")


def _field(body: bytes, name: str) -> str:
    """Return what a refusal says in a field; the old interface says it in a list of errors."""
    try:
        said = loaded(body)
    except SourceError:  # a proxy's page
        return ""
    errors = said.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    value = said.get(name) or first.get(name) or (first.get("type") if name == "name" else "")
    return value if isinstance(value, str) else ""

"""How sources of papers do, in words: fresh, resting, behind, failing, and when they are asked next. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bot.core.card import clip
from bot.core.digest import moment, spoken
from bot.core.plain import plain
from bot.core.specs import parts

LATE = timedelta(hours=1)  # after it should have been asked: then nobody asks it
NONE_CHOSEN = "no source is chosen"
TO_CHOOSE = "paperround sources add arxiv:cs.CL"


class State(Protocol):
    """What is known of a source, as the store keeps it. Times are aware; None where it never was, or is not so now."""

    @property
    def name(self) -> str:
        """By which it is stored."""

    @property
    def asked_at(self) -> datetime | None:
        """When it was asked last."""

    @property
    def answered_at(self) -> datetime | None:
        """When it answered last as a whole: it is fresh until then."""

    @property
    def failing_since(self) -> datetime | None:
        """Since when it fails."""

    @property
    def behind_since(self) -> datetime | None:
        """Since when it has not given what it announced."""

    @property
    def error(self) -> str:
        """Why it fails."""

    @property
    def rests(self) -> str:
        """Why nothing is expected of it now."""

    @property
    def next_at(self) -> datetime | None:
        """When it is asked next."""


def standing(state: State, zone: str, now: datetime) -> str:
    """Say in one line how a source does: "fresh, 10:02; next 11:02". Times are those of a zone."""

    def at(time: datetime) -> str:
        return moment(time, zone, now)

    after = f"; next try {at(state.next_at)}" if state.next_at else ""
    if state.asked_at is None:
        return "not asked yet"
    if state.failing_since:
        because = f" ({clip(plain(state.error), 160).rstrip('.')})" if state.error else ""
        return f"failing since {at(state.failing_since)}{because}{after}"
    if state.answered_at is None:
        return f"asked at {at(state.asked_at)}, and not read to the end yet"
    if state.next_at and now - state.next_at > LATE:
        return f"not asked since {at(state.asked_at)}, and due since {at(state.next_at)}"
    if state.behind_since:
        return f"behind since {at(state.behind_since)}{after}"
    rests = f"; {clip(plain(state.rests), 160).rstrip('.')}" if state.rests else ""
    return f"fresh, {at(state.answered_at)}{rests}" + after.replace("next try", "next")


def called(name: str, specs: Iterable[str]) -> str:
    """Name a source as people do, with what was chosen of it: "arXiv cs.CL, cs.LG"."""
    what = [part for kind, part in map(parts, specs) if kind == name and part]
    return f"{spoken(name)} {', '.join(map(plain, what))}".rstrip()


def waiting(specs: Sequence[str], states: Sequence[State]) -> list[str]:
    """Return the specs of whose kind nothing was ever asked: what is added to others is asked within a minute."""
    asked = {parts(state.name)[0] for state in states if state.asked_at}
    return [spec for spec in specs if parts(spec)[0] not in asked]

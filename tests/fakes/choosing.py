"""Kinds of sources that need no network: one source of all that is chosen, one of each, and some of which none is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.core.ports import Cursor, Source
from bot.errors import SettingsError, SourceError, UsageError
from recommender.types import Paper


@dataclass
class Quiet:
    """A source without papers."""

    name: str
    every: timedelta = timedelta(hours=1)

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield nothing."""
        nothing: tuple[Paper, ...] = ()
        for paper in nothing:
            yield paper


@dataclass
class Lists(Quiet):
    """A kind that is asked for everything that was chosen of it at once, and looks whether it is there."""

    name: str = "lists"
    about: str = "lists of papers: lists:a"

    def pick(self, chosen: Sequence[str], settings: Any) -> Sequence[Source]:
        """Make one source of all."""
        if "bad" in chosen:
            raise SettingsError("lists:bad has a bad name.")
        return [Quiet("lists")]

    async def check(self, chosen: str, http: Any) -> str:
        """Say how a list is called."""
        if chosen == "missing":
            raise UsageError("There is no such list.")
        if chosen == "away":
            raise SourceError("lists.example answered 503.")
        return f"List {chosen.upper()}"


@dataclass
class Feed(Quiet):
    """A kind that is a source for each that was chosen."""

    name: str = "feed"

    def pick(self, chosen: Sequence[str], settings: Any) -> Sequence[Source]:
        """Make a source of each, which is called without what stands behind the question mark."""
        return [Quiet(f"feed:{one.partition('?')[0]}") for one in chosen]


@dataclass
class Index(Quiet):
    """A kind in which papers are looked up."""

    name: str = "index"
    finds: frozenset[str] = frozenset({"doi"})


KINDS = {"always": Quiet("always"), "feed": Feed(), "index": Index(), "lists": Lists(), "local": Quiet("local")}

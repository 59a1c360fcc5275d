"""OpenReview: the accepted papers of a venue, one paper by its forum's id, and search by words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources._openreview_api import Api
from bot.sources._openreview_notes import ACCEPTED, Note, Page, parse_notes, state_of
from bot.sources._openreview_pages import group_of, pages, place_of
from bot.sources._text import tidy
from recommender.types import Paper

_VENUE = re.compile(r"[A-Za-z0-9][\w.+&-]{0,99}(?:/[\w.+&-]{1,100}){0,7}", re.ASCII)
_EXAMPLE = "as in openreview:ICLR.cc/2026/Conference"


@dataclass(slots=True)
class OpenReview:
    """The accepted papers of one venue. Without a venue it is the kind, of which venues are picked.

    A venue that ends in /Rejected_Submission, /Withdrawn_Submission or /Submission gives those of its papers instead.
    """

    venue: str = ""
    api: Api = field(default_factory=Api)
    every: timedelta = timedelta(days=1)
    about: str = "OpenReview, one venue: openreview:ICLR.cc/2026/Conference"
    needs: str = "an account, from most machines: PAPERROUND_OPENREVIEW_USER and PAPERROUND_OPENREVIEW_PASSWORD"
    finds: frozenset[str] = frozenset({"openreview"})
    name: str = field(init=False)

    def __post_init__(self) -> None:
        """Be called as an administrator chose it."""
        self.name = f"openreview:{self.venue}" if self.venue else "openreview"

    def pick(self, chosen: Sequence[str], settings: Any) -> Sequence[OpenReview]:
        """Make a source of each venue. Raises SettingsError."""
        keyed = self.keyed(settings)
        return [replace(keyed, venue=venue) for venue in dict.fromkeys(map(_venue, chosen))]

    def keyed(self, settings: Any) -> OpenReview:
        """Return the same with the account of the settings."""
        user, password = (_secret(getattr(settings, f"openreview_{name}", "")) for name in ("user", "password"))
        return replace(self, api=replace(self.api, user=user, password=password))

    async def check(self, chosen: str, http: Any) -> str:
        """Ask OpenReview whether there is such a venue, and say how it is called. Raises UsageError and SourceError."""
        try:
            venue = _venue(chosen)
        except SettingsError as error:
            raise UsageError(str(error)) from error
        group = await group_of(self.api, http, _group(venue))
        if group is None:
            raise UsageError(
                f"OpenReview has no venue called {_group(venue)}. Its name stands in the address of the venue's page, "
                "after “id=”."
            )
        content = group.get("content")
        title = content.get("title") if isinstance(content, dict) else None
        title = title.get("value") if isinstance(title, dict) else title
        name = tidy(title)[:200] if isinstance(title, str) else ""
        state = state_of(venue)
        return f"OpenReview {name or _group(venue)}{'' if state == ACCEPTED else f' ({state})'}"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:  # noqa: ARG002 - the cursor knows better
        """Yield the accepted papers of the venue, page by page; once all are read, those that changed since.

        Raises SourceError.
        """
        if not self.venue:
            return
        async for notes, place in pages(self.api, http, self.venue, place_of(cursor)):
            for note in notes:
                if note.paper is not None and self._wanted(note):
                    yield note.paper
            yield place.cursor()

    def _wanted(self, note: Note) -> bool:
        """Say whether a note is what the venue's id stands for; old notes do not tell their venue."""
        return note.venue in ("", self.venue) and note.state == state_of(self.venue)

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - the port's word
        """Return the paper of a forum, `openreview:ID`, whatever became of it; None if there is none in public.

        Raises SourceError.
        """
        value = id.removeprefix("openreview:")
        for old in (False, True):
            body = await self.api.get(http, "/notes", {"id": value}, old=old)
            page = await asyncio.to_thread(parse_notes, body) if body is not None else Page(())
            for note in page.notes:
                if note.id == value and note.paper is not None:
                    return note.paper
        return None

    async def look(self, words: str, most: int, http: Any) -> list[Paper]:
        """Return up to `most` papers that OpenReview finds by words, the best first. Raises SourceError."""
        words = " ".join(words.split())[:300]
        if not words or most < 1:
            return []
        asked = {"term": words, "content": "all", "group": "all", "source": "forum", "limit": str(min(most, 100))}
        body = await self.api.get(http, "/notes/search", asked)
        if body is None:
            raise SourceError("OpenReview does not let this machine search.")
        page = await asyncio.to_thread(parse_notes, body)
        found = {note.paper.id: note.paper for note in page.notes if note.paper is not None}
        return list(found.values())[:most]


source = OpenReview()


def _venue(text: str) -> str:
    """Return the id of a venue, of which the address of its page is taken too. Raises SettingsError."""
    text = text.strip()
    if text.startswith(("https://openreview.net/", "http://openreview.net/")):
        text = parse_qs(urlsplit(text).query).get("id", [""])[0]
    text = text.rstrip("/")
    if not text:
        raise SettingsError(f"openreview: name a venue, {_EXAMPLE}.")
    if not _VENUE.fullmatch(text):
        raise SettingsError(f"openreview: “{tidy(text)[:80]}” is no venue's name. Write it {_EXAMPLE}.")
    return text


def _group(venue: str) -> str:
    """Return the venue itself, of what is only a part of its papers."""
    return venue if state_of(venue) == ACCEPTED else venue.rpartition("/")[0] or venue


def _secret(value: Any) -> str:
    return str(value.get_secret_value() if hasattr(value, "get_secret_value") else value or "")

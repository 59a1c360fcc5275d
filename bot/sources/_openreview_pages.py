"""Page through the notes of a venue so that nothing is lost: on from the last note, and again if a page comes short."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from bot.core.ports import Cursor
from bot.errors import SourceError
from bot.sources._openreview_api import Api
from bot.sources._openreview_notes import Note, Page, loaded, parse_notes

PAGE = 1000  # notes; more are never given at once
_DAY = 86_400_000  # ms by which what was changed is read again, for indexes lag


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask for the notes of a venue."""

    old: bool
    params: tuple[tuple[str, str], ...]
    most: int = PAGE


_REPLIES = ("details", "directReplies")  # old decisions are replies
WAYS = (
    Way(False, (("content.venueid", "{venue}"),)),
    Way(True, (("content.venueid", "{venue}"),)),
    Way(True, (("invitation", "{venue}/-/Blind_Submission"), _REPLIES), 100),
    Way(True, (("invitation", "{venue}/-/Submission"), _REPLIES), 100),
    Way(True, (("invitation", "{venue}/-/submission"), _REPLIES), 100),
)


@dataclass(frozen=True, slots=True)
class Place:
    """How far a venue's list was read.

    `way`: which of WAYS found it, -1 before; `after`: the last note's id, empty at the beginning and the end; `seen`:
    notes read of `of`, 0 if it is not known; `newest`: when the newest of them changed (ms since 1970); `whole`: the
    list was read to its end, so that only changes are asked for; `skips`: it goes on by number, not by the last id.
    """

    way: int = -1
    after: str = ""
    seen: int = 0
    of: int = 0
    newest: int = 0
    whole: bool = False
    skips: bool = False

    def cursor(self) -> Cursor:
        """Write it down."""
        return Cursor(json.dumps(asdict(self), separators=(",", ":")))


def place_of(text: str) -> Place:
    """Read what `cursor` wrote. Anything else is the beginning."""
    try:
        said = loaded(text.encode())
    except (SourceError, UnicodeEncodeError):
        return Place()
    start = Place()
    values = {name: said.get(name) for name in asdict(start)}
    good = all(type(value) is type(getattr(start, name)) for name, value in values.items())
    place = Place(**values) if good else start  # type: ignore[arg-type]  # each type was just compared
    return place if -1 <= place.way < len(WAYS) else start


Read = tuple[tuple[Note, ...], Place]  # some notes, and the place after them


async def pages(api: Api, http: Any, venue: str, place: Place) -> AsyncIterator[Read]:
    """Yield the notes of a venue, with the place after them: all of them, or of a whole list what changed since.

    Raises SourceError, for a list that is shorter than OpenReview says too: what was yielded stays good.
    """
    async for read in (_changed if place.whole else _listed)(api, http, venue, place):
        yield read


async def _listed(api: Api, http: Any, venue: str, place: Place) -> AsyncIterator[Read]:
    resumed = bool(place.after)
    page, place = (None, place) if resumed else await _first(api, http, venue)
    while place.way >= 0:
        if page is None:
            page, place = await _more(api, http, venue, place)
        if not page.notes and resumed and place.seen < place.of:  # not even the second time: the list has changed
            page, place = await _first(api, http, venue)
            resumed = False
            continue
        if not page.notes:
            break
        place, resumed = _moved(place, page), False
        yield page.notes, place
        if len(page.notes) < WAYS[place.way].most and place.seen >= place.of:
            break
        page = None
    if place.way < 0:
        return
    if place.seen < place.of:
        raise SourceError(
            f"OpenReview gave {place.seen:,} of {place.of:,} papers of {venue}, then none. The rest comes next time."
        )
    yield (), Place(way=place.way, newest=place.newest, whole=True)


def _moved(place: Place, page: Page) -> Place:
    newest = max(place.newest, *(note.changed for note in page.notes))
    return replace(place, after=page.notes[-1].id, seen=place.seen + len(page.notes), newest=newest)


async def _first(api: Api, http: Any, venue: str) -> tuple[Page | None, Place]:
    """Find the way that gives the notes of a venue; none if it has none yet. Raises SourceError if it is no venue."""
    page = await _page(api, http, venue, WAYS[0], {"sort": "id"})
    if page.notes:
        return page, Place(way=0, of=page.count or 0)
    known = await group_of(api, http, venue)
    for number, way in enumerate(WAYS):
        if way.old and not (known and known.get("domain")):
            page = await _page(api, http, venue, way, {"sort": "id"})
            if page.notes:
                return page, Place(way=number, of=page.count or 0)
    if known is None:
        raise SourceError(f"OpenReview has no venue called {venue}.")
    return None, Place()


async def group_of(api: Api, http: Any, venue: str) -> dict[str, Any] | None:
    """Return what OpenReview knows of a venue: a `domain` if it is of the second interface. None: there is no such."""
    for old in (False, True):
        body = await api.get(http, "/groups", {"id": venue}, old=old)
        groups = (await asyncio.to_thread(loaded, body)).get("groups") if body is not None else None
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict) and group.get("id") == venue:
                return group
    return None


async def _more(api: Api, http: Any, venue: str, place: Place) -> tuple[Page, Place]:
    """Read the next page; one that comes empty, though there should be more, a second time. Raises SourceError."""
    way = WAYS[place.way]
    for _ in range(3):
        on = {"offset": str(place.seen)} if place.skips else {"after": place.after}
        page = await _page(api, http, venue, way, {"sort": "id", **on})
        if any(note.id == place.after for note in page.notes):
            if place.skips:
                raise SourceError(f"OpenReview gave the same papers of {venue} twice.")
            place = replace(place, skips=True)  # whoever answers here knows no `after`
        elif page.notes or place.seen >= place.of:
            break
    return page, place


async def _changed(api: Api, http: Any, venue: str, place: Place) -> AsyncIterator[Read]:
    """Yield what changed since the list was read, the newest first, until what is known already."""
    way, seen, newest, known = WAYS[place.way], 0, place.newest, place.newest - _DAY
    last, of = "", 1
    while True:
        page = await _page(api, http, venue, way, {"sort": "tmdate:desc", "offset": str(seen)})
        if not page.notes and seen < of:
            raise SourceError(f"OpenReview gave {seen:,} papers of {venue}, and then none, though there are more.")
        if not page.notes or any(note.id == last for note in page.notes):
            break
        last, of = page.notes[-1].id, page.count or 0
        seen += len(page.notes)
        newest = max(newest, *(note.changed for note in page.notes))
        yield tuple(note for note in page.notes if not note.changed or note.changed >= known), place
        if len(page.notes) < way.most or page.notes[-1].changed < known:
            break
    yield (), replace(place, newest=newest)


async def _page(api: Api, http: Any, venue: str, way: Way, more: dict[str, str]) -> Page:
    params = {name: value.replace("{venue}", venue) for name, value in way.params}
    body = await api.get(http, "/notes", {**params, "limit": str(way.most), **more}, old=way.old)
    return Page(()) if body is None else await asyncio.to_thread(parse_notes, body)

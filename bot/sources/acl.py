"""The ACL Anthology: a collection or a volume by the editors' XML, and one paper by its id."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from bot.core.card import count
from bot.core.ids import normalise
from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources._acl_xml import parse_collection, parse_mods
from bot.sources._text import tidy
from recommender.types import Paper

_FILES = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml"
_SITE = "https://aclanthology.org"
_CHOSEN = re.compile(r"(\d{4}\.[a-z0-9_]{1,30}|[a-z]\d{2})(?:-([a-z0-9_]{1,30}))?", re.ASCII | re.IGNORECASE)
_PAGE = re.compile(r"https?://(?:www\.)?aclanthology\.org/volumes/([^/?#]+)/?")
_DOI = re.compile(r"^doi:10\.(?:18653|3115)/v1/")  # in which an id follows
_LONGEST = 60_000_000  # bytes: the largest collections have some ten million


@dataclass(slots=True)
class Acl:
    """A collection, such as 2025.acl or P19, or one volume of it. Without one it is the kind, of which they are picked.

    `files` is where the collections' XML lies, `site` where single papers' records do.
    """

    collection: str = ""
    volume: str = ""
    files: str = _FILES
    site: str = _SITE
    every: timedelta = timedelta(days=1)
    about: str = "ACL Anthology, a collection or a volume: acl:2025.acl, acl:2025.emnlp-main"
    needs: str = "nothing"
    finds: frozenset[str] = frozenset({"acl", "doi"})
    name: str = field(init=False)
    _last: str = field(default="", init=False)  # of the body that came last

    def __post_init__(self) -> None:
        """Be called as an administrator chose it."""
        self.name = f"acl:{self._chosen}" if self.collection else "acl"

    @property
    def _chosen(self) -> str:
        return f"{self.collection}-{self.volume}" if self.volume else self.collection

    def pick(self, chosen: Sequence[str], settings: Any) -> Sequence[Acl]:  # noqa: ARG002 - the port's shape
        """Make a source of each collection or volume. Raises SettingsError."""
        return [replace(self, collection=name, volume=part) for name, part in dict.fromkeys(map(_split, chosen))]

    async def check(self, chosen: str, http: Any) -> str:
        """Fetch it once, and say how many papers it has. Raises UsageError and SourceError."""
        try:
            collection, volume = _split(chosen)
        except SettingsError as error:
            raise UsageError(str(error)) from error
        asked = replace(self, collection=collection, volume=volume)
        body = await asked._body(http)
        if body is None:
            raise UsageError(
                f"The ACL Anthology has no collection {collection}. Their names stand in the addresses of its volumes, "
                "as in aclanthology.org/volumes/2025.acl-long."
            )
        try:
            papers = await asyncio.to_thread(parse_collection, body, volume)
        except SourceError as error:
            raise UsageError(str(error)) from error
        return f"ACL Anthology {asked._chosen}, {count(len(papers), 'paper')} so far"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:  # noqa: ARG002 - the file is all or nothing
        """Yield all papers of the collection, unless its file is the one the cursor tells of. Raises SourceError."""
        if not self.collection:
            return
        # Only what was stored may be left out: a body that came but was lost on the way is asked for again.
        body = await self._body(http, fresh=bool(cursor) and cursor == self._last)
        if body is None:
            raise SourceError(f"The ACL Anthology has no collection {self.collection}.")
        digest = sha256(body).hexdigest()[:32]
        if not body or digest == cursor:
            return
        self._last = digest
        for paper in await asyncio.to_thread(parse_collection, body, self.volume):
            yield paper
        yield Cursor(digest)

    async def _body(self, http: Any, fresh: bool = False) -> bytes | None:
        """Return the collection's file; empty if it is the same as the last time, None if there is none."""
        url = f"{self.files}/{self.collection}.xml"
        answer = await http.get(url, limit=_LONGEST, within=120.0, fresh=fresh, missing=(404,))
        if answer.status == 404:
            return None
        if not answer.same and not answer.body:
            raise SourceError(f"The ACL Anthology gave an empty file for {self.collection}.")
        return b"" if answer.same else bytes(answer.body)

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - the port's word
        """Return the paper of an id, as `acl:2020.acl-main.1`, or of a DOI that holds one; None if there is none.

        Raises SourceError.
        """
        own = normalise(f"acl:{_DOI.sub('', id).removeprefix('acl:')}")
        if own is None:
            return None
        answer = await http.get(f"{self.site}/{own.removeprefix('acl:')}.xml", missing=(404,))
        paper = await asyncio.to_thread(parse_mods, answer.body) if answer.status != 404 else None
        if paper is None or paper.id != own:
            return None
        return replace(paper, ids=tuple(dict.fromkeys((*paper.ids, id)))) if id != own else paper


source = Acl()


def _split(text: str) -> tuple[str, str]:
    """Return a collection and its volume, of which the address of a page is taken too. Raises SettingsError."""
    text = text.strip()
    page = _PAGE.fullmatch(text)
    found = _CHOSEN.fullmatch(page[1] if page else text)
    if found is None:
        said = f"“{tidy(text)[:80]}” is neither a collection nor a volume" if text else "name a collection or a volume"
        raise SettingsError(f"acl: {said}. Write it as in acl:2025.acl or acl:2025.acl-long.")
    collection = found[1].lower() if "." in found[1] else found[1].upper()
    return collection, (found[2] or "").lower()

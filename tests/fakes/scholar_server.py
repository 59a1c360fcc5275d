"""A stand-in for Semantic Scholar, OpenAlex and Crossref: the entries of a test, found, filtered and paged as there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from aiohttp import web

from bot.errors import SourceError

Entry = dict[str, Any]
Said = tuple[int, Any]  # a status and a body: JSON, or a text as it is


@dataclass
class Asked:
    """One request."""

    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any = None


@dataclass
class Scholars:
    """What the three know; `first` are answers that are given before any other, one to each request.

    Pages have `a_page` entries at most; whatever the words are, all entries are found.
    """

    s2: list[Entry] = field(default_factory=list)
    openalex: list[Entry] = field(default_factory=list)
    crossref: list[Entry] = field(default_factory=list)
    first: list[Said] = field(default_factory=list)
    a_page: int = 1000
    key: str = ""
    asked: list[Asked] = field(default_factory=list)

    def answer(self, path: str, params: Mapping[str, str], headers: Mapping[str, str], body: Any = None) -> Said:
        """Answer one request."""
        self.asked.append(Asked(path, dict(params), dict(headers), body))
        if self.first:
            return self.first.pop(0)
        if path.startswith(("/graph/", "/recommendations/")):
            return self._s2(path, params, headers, body)
        if "query.bibliographic" in params or (path.startswith("/works/10.")):
            return self._crossref(path, params)
        return self._openalex(path, params)

    def _s2(self, path: str, params: Mapping[str, str], headers: Mapping[str, str], body: Any) -> Said:
        if self.key and headers.get("x-api-key") not in (None, self.key):
            return 403, {"message": "Forbidden"}
        if path == "/graph/v1/paper/search/bulk":
            day = params.get("publicationDateOrYear", "").rstrip(":")
            found = [each for each in self.s2 if _s2_day(each) >= day]
            found.sort(key=_s2_day)
            start = int(params.get("token", "t0").removeprefix("t"))
            page: dict[str, Any] = {"total": len(found), "token": None, "data": found[start : start + self.a_page]}
            if start + self.a_page < len(found):
                page["token"] = f"t{start + self.a_page}"
            return 200, page
        if path == "/graph/v1/paper/search":
            return 200, {"total": len(self.s2), "offset": 0, "data": self.s2[: int(params["limit"])]}
        if path == "/graph/v1/paper/batch":
            return 200, [self._s2_by(each) for each in body["ids"]]
        if path == "/recommendations/v1/papers":
            return 200, {"recommendedPapers": self.s2[: int(params["limit"])]}
        if path == "/graph/v1/author/search":
            return 200, {"total": 1, "offset": 0, "data": [{"authorId": "7", "name": params["query"]}]}
        if path == "/graph/v1/author/7/papers":
            return 200, {"offset": 0, "data": self.s2[: int(params["limit"])]}
        wanted = path.removeprefix("/graph/v1/paper/")
        found_one = self._s2_by(wanted)
        return (200, found_one) if found_one else (404, {"error": f"Paper with id {wanted} not found"})

    def _s2_by(self, wanted: str) -> Entry | None:
        names = {"ARXIV": "ArXiv", "DOI": "DOI", "ACL": "ACL", "PMID": "PubMed", "CorpusId": "CorpusId"}
        kind, colon, value = wanted.partition(":")
        for each in self.s2:
            if each["paperId"] == wanted or (colon and str(each["externalIds"].get(names[kind])) == value):
                return each
        return None

    def _openalex(self, path: str, params: Mapping[str, str]) -> Said:
        if path != "/works":
            wanted = path.removeprefix("/works/").removeprefix("doi:")
            found = [each for each in self.openalex if str(each["doi"]).endswith(wanted) or each["id"].endswith(wanted)]
            return (200, found[0]) if found else (404, "<!doctype html><title>404 Not Found</title>")
        filters = dict(part.split(":") for part in params.get("filter", "").split(",") if part)
        works = [each for each in self.openalex if each["publication_date"] >= filters.get("from_publication_date", "")]
        works.sort(key=lambda each: each["publication_date"])
        start = int(params.get("cursor", "*").removeprefix("c").replace("*", "0"))
        end = start + min(int(params["per_page"]), self.a_page)
        following = f"c{end}" if start < len(works) else None  # the last page there is an empty one
        return 200, {"meta": {"count": len(works), "next_cursor": following}, "results": works[start:end]}

    def _crossref(self, path: str, params: Mapping[str, str]) -> Said:
        if path != "/works":
            doi = path.removeprefix("/works/")
            found = [each for each in self.crossref if each["DOI"].lower() == doi]
            whole = {"status": "ok", "message-type": "work", "message": found[0]} if found else None
            return (200, whole) if whole else (404, "Resource not found.")
        items = self.crossref[: int(params["rows"])]
        return 200, {
            "status": "ok",
            "message-type": "work-list",
            "message": {"total-results": len(self.crossref), "items": items},
        }


def _s2_day(entry: Entry) -> str:
    return str(entry.get("publicationDate") or f"{entry.get('year')}-01-01")


@dataclass
class Told:
    """An answer, as the client of the bot gives it."""

    status: int
    body: bytes
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    same: bool = False

    def text(self) -> str:
        """Return the body as text."""
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        """Return the body as JSON. Raises SourceError."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise SourceError("127.0.0.1 answered what is no JSON.") from error


@dataclass
class Direct:
    """A client without a network: it asks the stand-in in the same process, once."""

    scholars: Scholars

    async def get(self, url: str, *, params: Any = None, headers: Any = None, missing: Collection[int] = ()) -> Told:
        """Ask for what is at a URL."""
        return self._told(url, params, headers, None, missing)

    async def post(
        self, url: str, *, json: Any, params: Any = None, headers: Any = None, missing: Collection[int] = ()
    ) -> Told:
        """Send JSON to a URL."""
        return self._told(url, params, headers, json, missing)

    def _told(self, url: str, params: Any, headers: Any, body: Any, missing: Collection[int]) -> Told:
        parts = urlsplit(url)
        status, said = self.scholars.answer(unquote(parts.path), params or {}, headers or {}, body)
        if status >= 400 and status not in missing:
            raise SourceError(f"{parts.hostname} answered {status}.")
        return Told(status, _bytes(said), url)


def _bytes(said: Any) -> bytes:
    return said.encode() if isinstance(said, str) else json.dumps(said).encode()


@asynccontextmanager
async def serving(scholars: Scholars) -> AsyncIterator[str]:
    """Serve the stand-in on a free port of this machine; gives the address to put before paths."""

    async def handle(request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        status, said = scholars.answer(request.path, dict(request.query), request.headers, body)
        kind = "text/html" if isinstance(said, str) else "application/json"
        return web.Response(status=status, body=_bytes(said), content_type=kind)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()

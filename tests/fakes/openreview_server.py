"""OpenReview in small: both interfaces over notes in memory, as a server or as an HTTP client that needs none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from bot.errors import SourceError

VENUE = "ICLR.cc/2026/Conference"
ADMITTED = "Bearer good"
CHALLENGE = {"name": "ChallengeRequiredError", "message": "Challenge required", "status": 403}
MISSING = {"name": "NotFoundError", "message": "Not found", "status": 404}


def note(
    number: int, title: str = "", *, venue: str = VENUE, said: str = "ICLR 2026 Poster", **more: Any
) -> dict[str, Any]:
    """Make a note of the second interface."""
    content = {"title": title or f"Paper number {number} of many", "abstract": f"What paper {number} is about."}
    content |= {"venueid": venue, "venue": said, **more.pop("content", {})}
    identifier = f"note{number:06d}"
    return {
        "id": identifier,
        "forum": identifier,
        "number": number,
        "cdate": 1_758_000_000_000 + number,
        "pdate": 1_769_400_000_000 + number,
        "tmdate": 1_770_000_000_000 + number,
        "content": {name: {"value": value} for name, value in content.items()},
    } | more


@dataclass
class OpenReviewWorld:
    """What there is, and what it does to those who ask: `faults` are answers that come first, one a request."""

    notes: list[dict[str, Any]] = field(default_factory=list)
    old_notes: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[tuple[int, bytes] | None] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    logins: int = 0
    closed: bool = False
    password: str = ""
    knows_after: bool = True
    counts: bool = True

    def answer(self, path: str, params: Mapping[str, str], authorization: str = "") -> tuple[int, bytes]:
        """Answer one GET. Paths of the old interface begin with /old."""
        self.asked.append((path, dict(params)))
        if self.faults and (fault := self.faults.pop(0)) is not None:
            return fault
        if self.closed and authorization != ADMITTED:
            return 403, json.dumps(CHALLENGE).encode()
        old, path = path.startswith("/old/"), path.removeprefix("/old")
        if path == "/groups":
            group = self.groups.get(params["id"])
            group = None if group is None or (old and "domain" in group) else group
            return (
                (404, json.dumps(MISSING).encode())
                if group is None
                else (200, json.dumps({"groups": [group]}).encode())
            )
        found = self._found(self.old_notes if old else self.notes, path, params)
        if not found and "id" in params:
            return 404, json.dumps(MISSING).encode()
        start, most = int(params.get("offset", 0)), int(params.get("limit", 1000))
        said = {"notes": found[start : start + most]} | ({"count": len(found)} if self.counts else {})
        return 200, json.dumps(said).encode()

    def _found(self, notes: list[dict[str, Any]], path: str, params: Mapping[str, str]) -> list[dict[str, Any]]:
        if "id" in params:
            return [each for each in notes if each["id"] == params["id"]]
        if path == "/notes/search":
            return [each for each in notes if params["term"].lower() in json.dumps(each["content"]).lower()]
        if "invitation" in params:
            notes = [each for each in notes if each.get("invitation") == params["invitation"]]
        else:
            notes = [each for each in notes if _value(each["content"].get("venueid")) == params["content.venueid"]]
        if params.get("sort") == "tmdate:desc":
            return sorted(notes, key=lambda each: -int(each["tmdate"]))
        notes = sorted(notes, key=lambda each: str(each["id"]))
        after = params.get("after", "") if self.knows_after else ""
        return [each for each in notes if each["id"] > after]

    def login(self, said: Mapping[str, Any]) -> tuple[int, bytes]:
        """Answer one sign-in."""
        self.logins += 1
        good = self.password and said.get("password") == self.password
        return (200, b'{"token": "good", "user": {}}') if good else (400, b'{"name": "Error", "message": "Invalid"}')


def _value(field: Any) -> Any:
    return field.get("value") if isinstance(field, dict) else field


class MemoryHttp:
    """An HTTP client for sources that asks a world in memory."""

    def __init__(self, world: OpenReviewWorld) -> None:
        self.world = world

    async def get(self, url: str, *, params: Any = None, headers: Any = None, missing: Any = (), **_: Any) -> Any:
        """Ask. Raises SourceError for a status that is not among `missing`."""
        parts = urlsplit(url)
        path = f"/old{parts.path}" if parts.hostname == "api.openreview.net" else parts.path
        status, body = self.world.answer(path, params or {}, (headers or {}).get("Authorization", ""))
        if status != 200 and status not in missing:
            raise SourceError(f"{parts.hostname} answered {status}.")
        return SimpleNamespace(status=status, body=body, headers={}, url=url, same=False)

    async def post(self, url: str, *, json: Any, missing: Any = (), **_: Any) -> Any:
        """Sign in."""
        status, body = self.world.login(json)
        return SimpleNamespace(status=status, body=body, headers={}, url=url, same=False)


@asynccontextmanager
async def openreview_server(world: OpenReviewWorld) -> AsyncIterator[str]:
    """Serve a world on a free port; the old interface is below /old. Yields its address."""

    async def get(request: web.Request) -> web.Response:
        status, body = world.answer(request.path, dict(request.query), request.headers.get("Authorization", ""))
        return web.Response(status=status, body=body, content_type="application/json")

    async def post(request: web.Request) -> web.Response:
        status, body = world.login(await request.json())
        return web.Response(status=status, body=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/{tail:.*}", post)
    app.router.add_get("/{tail:.*}", get)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()

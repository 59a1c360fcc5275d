"""Every kind of source as a server in small: the same papers, told by one or by several of them, as time goes by."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

from bot.core.ports import Source
from bot.sources import biorxiv, medrxiv
from bot.sources._arxiv_ask import Places
from bot.sources._arxiv_calendar import today
from bot.sources._openreview_api import Api
from bot.sources.acl import Acl
from bot.sources.arxiv import Arxiv
from bot.sources.crossref import Crossref
from bot.sources.huggingface import HuggingFace
from bot.sources.openalex import OpenAlex
from bot.sources.openreview import OpenReview
from bot.sources.rss import Feed
from bot.sources.semanticscholar import SemanticScholar
from tests.fakes.arxiv_server import ArxivWorld, Made
from tests.fakes.feeds_server import daily, rss_of, rxiv_entry, rxiv_page
from tests.fakes.odd_http import Asked
from tests.fakes.openreview_server import VENUE, OpenReviewWorld, note
from tests.fakes.scholar_server import Scholars
from tests.fakes.source_crossref import entry as work
from tests.fakes.source_openalex import entry as alex
from tests.fakes.source_semanticscholar import entry as scholar

FIRST_NAME, LAST_NAME = "Grace", "Windowmaker"
WHO = f"{FIRST_NAME} {LAST_NAME}"
PAGE = 4  # entries, so that there are pages
# Who tells a paper, and by how many days later than it came out.
TOLD: tuple[Mapping[str, int], ...] = (
    {"arxiv": 0, "huggingface": 1, "semanticscholar": 1},
    {"biorxiv": 0, "rss": 1, "crossref": 1, "openalex": 2},
    {"openreview": 0},
    {"crossref": 0, "openalex": 0, "semanticscholar": 1},
    {"medrxiv": 0, "quiet": 1},
    {"acl": 0, "semanticscholar": 1},
    {"rss": 0},
    {"arxiv": 0, "rss": 1, "openreview": 1},
    {"semanticscholar": 0},
    {"quiet": 0},
)
SPARE = "étude à côté"  # characters that a wrong charset spoils


class Together:
    """Time that passes only when all `parties` sleep; those who wake at the same moment go on at once."""

    def __init__(self, start: datetime, parties: int) -> None:
        self.time = start.timestamp()
        self.parties = parties
        self._asleep: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = count()

    def now(self) -> float:
        """Seconds since 1970."""
        return self.time

    def at(self) -> datetime:
        """The same in UTC."""
        return datetime.fromtimestamp(self.time, UTC)

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._asleep, (self.time + max(seconds, 0.0), next(self._count), waking))
        self._pass()
        await waking

    def leave(self) -> None:
        """One party less is waited for."""
        self.parties -= 1
        self._pass()

    def _pass(self) -> None:
        if not self._asleep or len(self._asleep) < self.parties:
            return
        self.time = max(self.time, self._asleep[0][0])
        while self._asleep and self._asleep[0][0] <= self.time:
            heappop(self._asleep)[2].set_result(None)


@dataclass(frozen=True, slots=True)
class Item:
    """One paper: its number, when it came out, and by how many days later who tells it."""

    number: int
    out: datetime
    told: Mapping[str, int]

    @property
    def title(self) -> str:
        return f"Sliding windows {SPARE} of house {self.number}"

    @property
    def abstract(self) -> str:
        return f"We study {SPARE} in house{self.number} by street{self.number % 7} and town{self.number % 11}."

    @property
    def arxiv(self) -> str:
        return f"{self.out:%y%m}.{10000 + self.number}" if "arxiv" in self.told else ""

    @property
    def doi(self) -> str:
        if "biorxiv" in self.told or "medrxiv" in self.told:
            return f"10.64898/{self.out:%Y.%m.%d}.{700000 + self.number}"
        return f"10.1234/sea.{self.number}" if "crossref" in self.told else ""

    def stands(self, name: str, now: datetime) -> bool:
        """Say whether somebody tells it by now."""
        return name in self.told and self.out + timedelta(days=self.told[name]) <= now


@dataclass
class Servers:
    """What each of them answers at a time (`now`)."""

    items: list[Item]
    now: Callable[[], datetime]
    notes: OpenReviewWorld = field(
        default_factory=lambda: OpenReviewWorld(groups={VENUE: {"id": VENUE, "domain": "x"}})
    )

    def body(self, name: str, asked: Asked) -> tuple[int, bytes]:
        """Return a status and a body."""
        parts = urlsplit(asked.path)
        path, params = unquote(parts.path), dict(parse_qsl(parts.query))
        there = [item for item in self.items if item.stands(name, self.now())]
        found: tuple[int, Any] = getattr(self, f"_{name}")(path, params, there)
        status, said = found
        if not isinstance(said, bytes):
            said = said.encode() if isinstance(said, str) else json.dumps(said, ensure_ascii=False).encode()
        return status, said

    def _arxiv(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, bytes]:
        made = [
            Made(one.arxiv, today(one.out + timedelta(days=1)), one.title, abstract=one.abstract, authors=(WHO,))
            for one in self.items
            if one.arxiv
        ]
        status, _, body = ArxivWorld(made, now=self.now).answer(path, params)
        return status, body

    def _openreview(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, bytes]:
        self.notes.notes = [
            note(one.number, one.title, content={"authors": [WHO], "abstract": one.abstract}, **_times(one))
            for one in there
        ]
        return self.notes.answer(path, params)

    def _acl(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, str]:
        said = "".join(
            f'<paper id="{one.number}"><title>{one.title}</title><abstract>{one.abstract}</abstract>'
            f"<author><first>{FIRST_NAME}</first><last>{LAST_NAME}</last></author></paper>"
            for one in there
        )
        meta = "<meta><booktitle>Proceedings</booktitle><year>2026</year></meta>"
        volume = f'<volume id="long" ingest-date="2026-11-30">{meta}{said}</volume>'
        return 200, f'<?xml version="1.0" encoding="UTF-8"?><collection id="2026.acl">{volume}</collection>'

    def _biorxiv(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, Any]:
        _, _, _, first, last, at, _ = path.split("/")
        others = [rxiv_entry("Not asked for", 0, date=f"{self.now():%Y-%m-%d}", category="zoology")]
        found = others + [
            rxiv_entry(
                one.title,
                doi=one.doi,
                date=f"{one.out:%Y-%m-%d}",
                authors=f"{LAST_NAME}, {FIRST_NAME}",
                abstract=one.abstract,
                category="ecology",
            )
            for one in there
            if first <= f"{one.out:%Y-%m-%d}" <= last
        ]
        return 200, rxiv_page(found[int(at) : int(at) + PAGE], len(found))

    _medrxiv = _biorxiv

    def _huggingface(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, Any]:
        days = [one.out + timedelta(days=one.told["huggingface"]) for one in there]
        return 200, [
            daily(
                one.title,
                id=one.arxiv,
                summary=one.abstract,
                authors=[{"name": WHO}],
                publishedAt=one.out.isoformat(),
            )
            for one, day in zip(there, days, strict=True)
            if f"{day:%Y-%m-%d}" == params["date"]
        ]

    def _rss(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, str]:
        return 200, rss_of("".join(map(_item, there)))

    _quiet = _rss

    def _semanticscholar(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, Any]:
        s2 = []
        for one in there:
            ids = {"CorpusId": one.number} | ({"ArXiv": one.arxiv} if one.arxiv else {})
            ids |= ({"DOI": one.doi} if one.doi else {}) | (
                {"ACL": f"2026.acl-long.{one.number}"} if "acl" in one.told else {}
            )
            s2.append(
                scholar(
                    one.title, f"{one.out:%Y-%m-%d}", externalIds=ids, abstract=one.abstract, authors=[{"name": WHO}]
                )
            )
        return Scholars(s2=s2, a_page=PAGE).answer(path, params, {})

    def _openalex(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, Any]:
        works = [
            alex(
                one.title,
                one.number,
                f"{one.out:%Y-%m-%d}",
                doi=f"https://doi.org/{one.doi}",
                authorships=[{"author": {"display_name": WHO}}],
                abstract_inverted_index={word: [at] for at, word in enumerate(one.abstract.split())},
            )
            for one in there
        ]
        return Scholars(openalex=works, a_page=PAGE).answer(path, params, {})

    def _crossref(self, path: str, params: Mapping[str, str], there: list[Item]) -> tuple[int, Any]:
        works = [
            work(
                one.title,
                one.number,
                DOI=one.doi,
                abstract=f"<jats:p>{one.abstract}</jats:p>",
                author=[{"given": FIRST_NAME, "family": LAST_NAME}],
                posted={"date-parts": [[one.out.year, one.out.month, one.out.day]]},
            )
            for one in there
        ]
        return Scholars(crossref=works).answer(path, params, {})


def tag_of(body: bytes) -> str:
    """Return the ETag of a body."""
    return f'"{hashlib.sha1(body).hexdigest()}"'


def sources_at(urls: Mapping[str, str], now: Callable[[], datetime], every: timedelta) -> dict[str, Source]:
    """Return a source for each of them, by the name under which it is asked."""
    arxiv = urls["arxiv"]
    days: dict[str, Any] = {"every": every, "today": lambda: now().date()}
    times: dict[str, Any] = {"every": every, "now": now}
    made: dict[str, Any] = {
        "arxiv": Arxiv(("cs.CL",), at=Places(f"{arxiv}/api/query", f"{arxiv}/rss", f"{arxiv}/oai"), **times),
        "openreview": OpenReview(VENUE, Api(urls["openreview"], f"{urls['openreview']}/old"), every),
        "acl": Acl("2026.acl", files=urls["acl"], every=every),
        "biorxiv": replace(biorxiv.source, picked=True, categories=("ecology",), base=urls["biorxiv"], **days),
        "medrxiv": replace(medrxiv.source, picked=True, categories=("ecology",), base=urls["medrxiv"], **days),
        "huggingface": HuggingFace(picked=True, base=urls["huggingface"], **days),
        "rss": Feed(f"{urls['rss']}/feed", "rss:one", every),
        "quiet": Feed(f"{urls['quiet']}/feed", "rss:two", every),
        "semanticscholar": SemanticScholar("windows", base=urls["semanticscholar"], **times),
        "openalex": OpenAlex("windows", base=urls["openalex"], **times),
        "crossref": Crossref("windows", base=urls["crossref"], **times),
    }
    return made


def _item(one: Item) -> str:
    link = f"https://lab.example/{one.number}"
    link = f"https://doi.org/{one.doi}" if one.doi else f"https://arxiv.org/abs/{one.arxiv}" if one.arxiv else link
    return (
        f"<item><title>{escape(one.title)}</title><link>{link}</link><guid>{link}</guid>"
        f"<description>{escape(one.abstract)}</description><dc:creator>{WHO}</dc:creator>"
        f"<pubDate>{one.out:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
    )


def _times(one: Item) -> dict[str, Any]:
    return dict.fromkeys(("cdate", "pdate", "tmdate"), int(one.out.timestamp() * 1000))

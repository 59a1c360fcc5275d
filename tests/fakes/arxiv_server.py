"""arXiv in small: daily lists, the API and OAI-PMH over papers in memory, as a server or as an HTTP client."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

from aiohttp import web

from bot.errors import SourceError
from bot.sources._arxiv_ask import Places
from bot.sources._arxiv_calendar import EASTERN, announced, today
from bot.sources._arxiv_categories import KNOWN, covers, set_of

ATOM = (
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" '
    'xmlns="http://www.w3.org/2005/Atom"><title>arXiv Query</title>'
)
RSS = (
    '<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'version="2.0"><channel>'
)
SKIPPED = "<skipDays><day>Saturday</day><day>Sunday</day></skipDays>"
OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-04-27T00:00:00Z</responseDate>'
HTML = b"<!DOCTYPE html><html><body>Sorry, we are busy</body></html>"


@dataclass
class Made:
    """One announcement of a paper, on the daily list of `listed`."""

    id: str
    listed: date
    title: str = ""
    categories: tuple[str, ...] = ("cs.CL",)
    kind: str = "new"
    version: int = 1
    submitted: datetime | None = None
    abstract: str = ""
    authors: tuple[str, ...] = ("Ada Byron", "Blaise Pascal")
    comment: str = ""
    doi: str = ""
    changed: date | None = None

    def __post_init__(self) -> None:
        """Fill in what was left out: it was submitted half a day before it was announced."""
        self.title = self.title or f"Paper number {self.id}"
        self.abstract = self.abstract or f"What the paper {self.id} is about."
        self.submitted = self.submitted or announced(self.listed) - timedelta(hours=12)
        self.changed = self.changed or self.listed


@dataclass
class ArxivWorld:
    """What there is, and what it does to those who ask.

    `lag`: by how much the API's index is behind. `stale`: serve the list of this date under today's. `old`: serve it as
    it was on this date. `bare`: lists come empty. `hollow`: by the `start` of a page, how often it comes empty.
    `faults`: answers that come first, by the beginning of a path. `cut`: entries of a list at most. `batch`: records of
    a part of the list of OAI-PMH; `dead`: its tokens that are known no more; `shuffled`: it is in no order.
    """

    papers: list[Made] = field(default_factory=list)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    lag: timedelta = timedelta(0)
    stale: date | None = None
    old: date | None = None
    bare: bool = False
    cut: int = 2000
    hollow: dict[int, int] = field(default_factory=dict)
    faults: list[tuple[str, int, Mapping[str, str], bytes]] = field(default_factory=list)
    batch: int = 3
    dead: set[str] = field(default_factory=set)
    shuffled: bool = False
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def answer(self, path: str, params: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        """Answer one request: status, headers, body."""
        self.asked.append((path, dict(params)))
        for fault in self.faults:
            if path.startswith(fault[0]):
                self.faults.remove(fault)
                return fault[1], fault[2], fault[3]
        if path.startswith("/rss/"):
            status, text = self._list(unquote(path.removeprefix("/rss/")).split("+"))
        elif path == "/api/query":
            status, text = self._query(params)
        else:
            status, text = 200, self._harvest(params)
        return status, {}, text.encode("utf-8", "surrogatepass")

    def lists(self) -> int:
        """Count how often a daily list was asked for."""
        return sum(path.startswith("/rss/") for path, _ in self.asked)

    def pages(self) -> list[int]:
        """Return the first entry of each page of the API that was asked for."""
        return [int(params["start"]) for path, params in self.asked if path == "/api/query" and "start" in params]

    def _list(self, names: list[str]) -> tuple[int, str]:
        if not set(names) <= set(KNOWN.values()):
            return (
                400,
                f"{RSS}<title>Feed error for query: x</title><description>Bad archive.</description></channel></rss>",
            )
        day = self.old or today(self.now())
        midnight = datetime(day.year, day.month, day.day, tzinfo=EASTERN)
        stamp = f"{midnight:%a, %d %b %Y %H:%M:%S %z}"
        shown = [] if self.bare else [each for each in self.papers if each.listed == (self.stale or day)]
        items = [_item(each, names, stamp) for each in shown if any(covers(names, name) for name in each.categories)]
        head = f"<title>{', '.join(names)} updates on arXiv.org</title><pubDate>{stamp}</pubDate>{SKIPPED}"
        return 200, f"<?xml version='1.0' encoding='UTF-8'?>{RSS}{head}{''.join(items[: self.cut])}</channel></rss>"

    def _query(self, params: Mapping[str, str]) -> tuple[int, str]:
        there: dict[str, Made] = {}
        for each in self.papers:
            if announced(each.listed) + self.lag <= self.now():
                first = there.get(each.id, each)
                there[each.id] = SimpleNamespace(**{**vars(each), "submitted": first.submitted})  # type: ignore[assignment]
        if "id_list" in params:
            found = [there[one] for one in params["id_list"].split(",") if one in there]
        else:
            found = _searched(list(there.values()), params["search_query"])
        start, most = int(params.get("start", 0)), int(params.get("max_results", 10))
        part = found[start : start + most]
        if self.hollow.get(start, 0) > 0:
            self.hollow[start] -= 1
            part = []
        total = f"<opensearch:totalResults>{len(found)}</opensearch:totalResults>"
        return 200, f"{ATOM}{total}{''.join(map(_entry, part))}</feed>"

    def _harvest(self, params: Mapping[str, str]) -> str:
        """Answer as arXiv does: a token tells a day, and how many records of it or after it were given."""
        token = params.get("resumptionToken", "")
        if token in self.dead:
            return f'{OAI}<error code="badResumptionToken">It expired.</error></OAI-PMH>'
        name, first, skip = (token or f"{params.get('set', '')}|{params.get('from', '')}|0").split("|")
        if name.endswith(":NA"):
            return f'{OAI}<error code="badArgument">Set does not exist</error></OAI-PMH>'
        of = [each for each in self.papers if not name or name in map(set_of, each.categories)]
        of = [each for each in of if f"{each.changed}" >= first]
        if not self.shuffled:
            of.sort(key=lambda each: (str(each.changed), each.id))
        part, rest = of[int(skip) : int(skip) + self.batch], of[int(skip) + self.batch :]
        if not part:
            return f'{OAI}<error code="noRecordsMatch">None.</error></OAI-PMH>'
        on = f"{name}|{first}|{int(skip) + self.batch}"
        if not self.shuffled and part[-1].changed != part[0].changed:
            on = f"{name}|{part[-1].changed}|{sum(each.changed == part[-1].changed for each in part)}"
        after = f"<resumptionToken>{on if rest else ''}</resumptionToken>"
        return f"{OAI}<ListRecords>{''.join(map(_record, part))}{after}</ListRecords></OAI-PMH>"


def _searched(papers: list[Made], query: str) -> list[Made]:
    names = re.findall(r"cat:([a-zA-Z.-]+[a-zA-Z])", query)
    papers = [each for each in papers if not names or any(covers(names, name) for name in each.categories)]
    if stretch := re.search(r"submittedDate:\[(\d+) TO (\d+)\]", query):
        papers = [each for each in papers if stretch[1] <= f"{each.submitted:%Y%m%d%H%M}" <= stretch[2]]
    for word in re.findall(r'all:"([^"]*)"', query):
        papers = [each for each in papers if word.lower() in f"{each.title} {each.abstract}".lower()]
    return sorted(papers, key=lambda each: (str(each.submitted), each.id))


def _item(made: Made, names: list[str], stamp: str) -> str:
    kind = made.kind
    if not covers(names, made.categories[0]):
        kind = {"new": "cross", "replace": "replace-cross"}.get(kind, kind)
    doi = f"<arxiv:DOI>{made.doi}</arxiv:DOI>" if made.doi else ""
    return (
        f"<item><title>{escape(made.title)}</title><link>https://arxiv.org/abs/{made.id}</link>"
        f"<description>arXiv:{made.id}v{made.version} Announce Type: {kind} \nAbstract: {escape(made.abstract)}"
        f'</description><guid isPermaLink="false">oai:arXiv.org:{made.id}v{made.version}</guid>'
        f"{''.join(f'<category>{name}</category>' for name in made.categories)}<pubDate>{stamp}</pubDate>"
        f"<arxiv:announce_type>{kind}</arxiv:announce_type>{doi}"
        f"<dc:creator>{escape(', '.join(made.authors))}</dc:creator></item>"
    )


def _entry(made: Made) -> str:
    people = "".join(f"<author><name>{escape(name)}</name></author>" for name in made.authors)
    terms = "".join(f'<category term="{name}"/>' for name in sorted(made.categories))
    return (
        f"<entry><id>http://arxiv.org/abs/{made.id}v{made.version}</id><title>{escape(made.title)}</title>"
        f"<published>{made.submitted:%Y-%m-%dT%H:%M:%SZ}</published><summary>{escape(made.abstract)}</summary>{terms}"
        f'<arxiv:primary_category term="{made.categories[0]}"/>{people}'
        f"<arxiv:comment>{escape(made.comment)}</arxiv:comment></entry>"
    )


def _record(made: Made) -> str:
    people = "".join(f"<author><keyname>{escape(name)}</keyname></author>" for name in made.authors)
    return (
        f"<record><header><identifier>oai:arXiv.org:{made.id}</identifier><datestamp>{made.changed}</datestamp></header>"
        "<metadata>"
        f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{made.id}</id><created>{made.submitted:%Y-%m-%d}</created>'
        f"<authors>{people}</authors><title>{escape(made.title)}</title><categories>{' '.join(made.categories)}"
        f"</categories><comments>{escape(made.comment)}</comments><abstract>{escape(made.abstract)}</abstract></arXiv>"
        "</metadata></record>"
    )


class MemoryHttp:
    """An HTTP client for sources that asks a world in memory."""

    def __init__(self, world: ArxivWorld) -> None:
        self.world = world
        self._before: dict[str, bytes] = {}

    async def get(self, url: str, *, params: Any = None, missing: Any = (), fresh: bool = False, **_: Any) -> Any:
        """Ask. Raises SourceError for a status that is not among `missing`."""
        parts = urlsplit(url)
        status, headers, body = self.world.answer(parts.path, params or {})
        if status != 200 and status not in missing:
            raise SourceError(f"{parts.hostname} answered {status}.")
        same = fresh and self._before.get(url) == body
        self._before[url] = body
        return SimpleNamespace(status=status, body=b"" if same else body, headers=headers, url=url, same=same)


@asynccontextmanager
async def arxiv_server(world: ArxivWorld) -> AsyncIterator[Places]:
    """Serve a world on a free port. Yields where its interfaces are."""

    async def get(request: web.Request) -> web.Response:
        status, headers, body = world.answer(request.path, dict(request.query))
        return web.Response(status=status, headers=dict(headers), body=body, content_type="application/xml")

    app = web.Application()
    app.router.add_get("/{tail:.*}", get)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield Places(f"{base}/api/query", f"{base}/rss", f"{base}/oai")
    finally:
        await runner.cleanup()

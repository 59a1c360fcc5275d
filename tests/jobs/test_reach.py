"""Papers that are not here are asked for where they are: by whom, how often, for how long, and what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.core.hurry import hurried
from bot.core.ids import normalise
from bot.core.reached import Reached, Wish, asked_too, named, not_found
from bot.errors import SourceError, StoreError
from bot.jobs.keeper import keeper
from bot.jobs.reach import AT_ONCE, IN_LINE, Reach
from bot.jobs.whom import in_order, whom
from bot.plugins import load
from bot.sources.acl import source as acl
from bot.sources.arxiv import Arxiv
from bot.store import catalogue, papers, records, sources
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import ranker
from recommender.types import Paper
from tests.fakes.arxiv_server import ArxivWorld, Made, MemoryHttp
from tests.fakes.kinds import Kind
from tests.fakes.source_acl import FileHttp

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)
OLD = Paper("arxiv:2401.01234", "Sliding windows", "On windows.", ("A. Author",), datetime(2024, 1, 2, tzinfo=UTC))
FIND = Wish("find", OLD.id)


@pytest.fixture
def library(memory_store: Store) -> Library:
    memory_store.clock = lambda conn: NOW
    return Library(memory_store, None, ranker)


def reach(library: Library, *kinds: Kind, **limits: float) -> Reach:
    return Reach({kind.name: kind for kind in kinds}, "http", keeper(library._store, library), **limits)


async def test_what_is_found_is_kept_and_can_be_searched(memory_store: Store, library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"}, {OLD.id: OLD})
    out = reach(library, arxiv)
    assert out.can(FIND)
    reached = await out.ask(FIND)
    with memory_store.reading() as conn:
        number = papers.by_id(conn, OLD.id) or 0
        assert sources.all(conn) == [], "a lookup says nothing of how fresh a source is"
    assert reached == Reached(("arXiv",), (), ((number,),))
    assert [hit.number for hit in await library.search("sliding windows", 5)] == [number]
    assert arxiv.https == ["http"]


async def test_who_is_asked_for_an_id_and_in_which_order(library: Library) -> None:
    kinds = [
        Kind("semanticscholar", {"doi", "arxiv", "s2", "corpusid", "pmid"}),
        Kind("openalex", {"doi"}),
        Kind("crossref", {"doi"}),
        Kind("biorxiv", {"doi"}),
        Kind("openreview", {"openreview"}),
        Kind("acl", {"acl"}),
        Kind("arxiv", {"arxiv"}),
        Kind("house", {"house", "doi"}),
        Kind("rss"),
    ]
    out = reach(library, *kinds)
    for id_, wanted in (
        ("arxiv:2401.01234", ["arXiv"]),
        ("doi:10.1145/1.2", ["Crossref", "OpenAlex", "Semantic Scholar", "house"]),
        ("doi:10.1101/2024.01.02.123456", ["bioRxiv", "Crossref", "OpenAlex", "Semantic Scholar", "house"]),
        ("doi:10.64898/2026.01.02.123456", ["bioRxiv", "Crossref", "OpenAlex", "Semantic Scholar", "house"]),
        ("openreview:abc123DEF0", ["OpenReview"]),
        ("acl:2025.acl-long.1", ["ACL Anthology"]),
        ("s2:" + "0" * 40, ["Semantic Scholar"]),
        ("pmid:12", ["Semantic Scholar"]),
        ("house:7", ["house"]),
    ):
        assert list((await out.ask(Wish("find", id_))).asked) == wanted
    assert not out.can(Wish("find", "local:0123"))
    assert not out.can(Wish("look", "windows")), "none of these looks for words"


COLLECTORS = ["crossref", "openalex", "semanticscholar"]
RXIV = ["biorxiv", "medrxiv", *COLLECTORS]


@pytest.mark.parametrize(
    ("pasted", "asked"),
    [
        ("10.48550/arXiv.2504.08385", ["arxiv", "semanticscholar"]),
        ("https://doi.org/10.48550/ARXIV.hep-th/9901001v2", ["arxiv", "semanticscholar"]),
        ("https://huggingface.co/papers/2504.08385", ["arxiv", "semanticscholar"]),
        ("10.1101/2024.01.02.123456v2", RXIV),
        ("https://www.medrxiv.org/content/10.64898/2026.01.02.24300001v1.full.pdf", RXIV),
        ("10.18653/v1/2020.acl-main.1", ["acl", *COLLECTORS]),
        ("https://doi.org/10.3115/v1/P14-1001", ["acl", *COLLECTORS]),
        ("10.1145/1.2", COLLECTORS),
        ("https://openreview.net/pdf?id=abc123DEF0", ["openreview"]),
        ("https://aclanthology.org/2025.acl-long.1.pdf", ["acl", "semanticscholar"]),
        ("https://pubmed.ncbi.nlm.nih.gov/12345678/", ["openalex", "semanticscholar"]),
        ("openalex:W12345", ["openalex"]),
        ("CorpusID:12345", ["semanticscholar"]),
        (f"https://www.semanticscholar.org/paper/A-title/{'0a' * 20}", ["semanticscholar"]),
        # Of two ids in one link, that of the page itself counts.
        (
            "https://doi.org/10.48550/arXiv.2504.08385?url=https://arxiv.org/abs/2401.01234",
            ["arxiv", "semanticscholar"],
        ),
        ("https://dl.acm.org/doi/10.1145/1.2?ref=https://arxiv.org/abs/2401.01234", COLLECTORS),
        ("https://www.biorxiv.org/content/10.1101/2024.01.02.123456v1?doi=10.1145/1.2", RXIV),
        ("https://openreview.net/forum?id=abc123DEF0&noteId=xyz9876543", ["openreview"]),
        ("https://arxiv.org/abs/2504.08385#doi:10.1145/1.2", ["arxiv", "semanticscholar"]),
        ("local:0123", []),
    ],
)
def test_every_kind_of_id_finds_its_sources(pasted: str, asked: list[str]) -> None:
    id_ = normalise(pasted)
    assert id_
    assert [name for name, _ in whom(in_order(load("bot.sources", "source")), Wish("find", id_))] == asked


async def test_the_anthology_knows_its_own_dois() -> None:
    url, doi = "https://aclanthology.org/2020.acl-main.1", "doi:10.18653/v1/2020.acl-main.1"
    record = f"<mods><titleInfo><title>Its title</title></titleInfo><location><url>{url}</url></location></mods>"
    body = record.replace("<mods>", '<mods xmlns="http://www.loc.gov/mods/v3">').encode()
    http = FileHttp({"2020.acl-main.1.xml": body})
    found = await acl.find(doi, http)
    assert found is not None
    assert (found.id, found.ids) == ("acl:2020.acl-main.1", (doi,)), "so that it is found here the next time"
    assert await acl.find("doi:10.18653/v1/2020.acl-main.2", http) is None
    assert await acl.find("doi:10.18653/v1/nothing-of-theirs", http) is None
    assert len(http.asked) == 2


async def test_a_lookup_goes_before_what_is_read_by_and_by(library: Library) -> None:
    class Waits(Kind):
        async def find(self, id: str, http: object) -> Paper | None:  # noqa: A002 - the port's word
            said.append(hurried())
            return None

        async def look(self, words: str, most: int, http: object) -> list[Paper]:
            said.append(hurried())
            return []

    said = list[bool]()
    out = reach(library, Waits("arxiv", {"arxiv"}))
    await asyncio.gather(out.ask(FIND), out.ask(Wish("look", "windows")))
    assert said == [True, True]
    assert not hurried()


async def test_the_next_one_is_asked_until_one_has_it(library: Library) -> None:
    doi = replace(OLD, id="doi:10.1145/1.2")
    none, down = Kind("crossref", {"doi"}), Kind("openalex", {"doi"}, fails=SourceError("It answered 503."))
    has, later = Kind("semanticscholar", {"doi"}, {doi.id: doi}), Kind("zzz", {"doi"})
    reached = await reach(library, none, down, has, later).ask(Wish("find", doi.id))
    assert (len(reached.lists), reached.failed, later.asked) == (1, (), [])


async def test_who_gave_the_id_has_the_last_word_and_others_stand_in(library: Library) -> None:
    arxiv, scholar = Kind("arxiv", {"arxiv"}), Kind("semanticscholar", {"arxiv"}, {OLD.id: OLD})
    out = reach(library, scholar, arxiv, remember=0.0)
    assert await out.ask(FIND) == Reached(("arXiv",))
    arxiv.fails = SourceError("It answered 503.")
    reached = await out.ask(FIND)
    assert (reached.asked, reached.failed, len(reached.lists)) == (("arXiv", "Semantic Scholar"), (), 1)


async def test_many_ask_for_one_paper_by_one_request(library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"}, {OLD.id: OLD}, slow=0.02)
    out = reach(library, arxiv)
    told = await asyncio.gather(*(out.ask(FIND) for _ in range(50)))
    assert (len(set(told)), arxiv.asked) == (1, [OLD.id])


async def test_whoever_gives_up_takes_nothing_from_the_others(library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"}, {OLD.id: OLD}, slow=0.05)
    out = reach(library, arxiv)
    gone, stays = asyncio.create_task(out.ask(FIND)), asyncio.create_task(out.ask(FIND))
    await asyncio.sleep(0.01)
    gone.cancel()
    assert (await stays).lists
    assert arxiv.asked == [OLD.id]


async def test_what_is_not_there_is_not_asked_for_again_for_a_while(library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"})
    out = reach(library, arxiv, remember=0.1)
    for _ in range(3):
        assert await out.ask(FIND) == Reached(("arXiv",))
    assert len(arxiv.asked) == 1
    await asyncio.sleep(0.12)
    arxiv.has[OLD.id] = OLD
    assert (await out.ask(FIND)).lists


async def test_whoever_did_not_answer_is_asked_again(library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"}, {OLD.id: OLD}, fails=SourceError("It answered 503."))
    out = reach(library, arxiv)
    assert (await out.ask(FIND)).failed == ("arXiv",)
    arxiv.fails = None
    assert (await out.ask(FIND)).lists


async def test_few_are_at_work_and_a_line_has_an_end(library: Library) -> None:
    arxiv = Kind("arxiv", {"arxiv"}, slow=0.02)
    out = reach(library, arxiv)
    told = await asyncio.gather(*(out.ask(Wish("find", f"arxiv:2401.{n:05}")) for n in range(IN_LINE + 5)))
    assert arxiv.most == AT_ONCE
    assert [one.busy for one in told] == [False] * IN_LINE + [True] * 5


@pytest.mark.parametrize("fault", [SourceError("No."), KeyError("title"), TimeoutError(), RuntimeError("x")])
async def test_any_failure_is_an_answer(library: Library, fault: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    down, slow = Kind("crossref", {"doi"}, fails=fault), Kind("openalex", {"doi"}, slow=30)
    out = reach(library, down, slow, each=0.05)
    wish = Wish("find", "doi:10.1145/1.2")
    assert await out.ask(wish) == Reached(("Crossref", "OpenAlex"), ("Crossref", "OpenAlex"))
    capsys.readouterr()


async def test_it_ends_in_time(library: Library) -> None:
    slow = [Kind(name, {"doi"}, slow=30) for name in ("crossref", "openalex", "semanticscholar")]
    reached = await reach(library, *slow, within=0.05).ask(Wish("find", "doi:10.1145/1.2"))
    assert reached.failed == reached.asked
    assert (reached.asked, [len(one.asked) for one in slow]) == (("Crossref",), [1, 0, 0])


async def test_words_are_looked_for_at_all_of_them_at_once(memory_store: Store, library: Library) -> None:
    same = Paper("s2:" + "1" * 40, "Sliding windows", "On windows.", ids=(OLD.id,))
    other = Paper("doi:10.1145/1.2", "Doors and windows of our time")
    arxiv, scholar = Kind("arxiv", looks=[OLD], slow=0.02), Kind("semanticscholar", looks=[same, other], slow=0.02)
    late = Kind("openalex", looks=[other], slow=30)
    deaf, rss = Kind("crossref", {"doi"}), Kind("rss", looks=[OLD])
    reached = await reach(library, arxiv, scholar, late, deaf, rss, within=0.3).ask(Wish("look", "windows"))
    assert (reached.asked, reached.failed) == (("arXiv", "OpenAlex", "Semantic Scholar"), ("OpenAlex",))
    with memory_store.reading() as conn:
        one, two = papers.by_id(conn, OLD.id), papers.by_id(conn, other.id)
    assert reached.lists == ((one,), (one, two))
    assert (arxiv.asked, rss.asked) == (["windows"], [])


async def test_a_database_that_is_away_is_told_to_all_who_wait(library: Library) -> None:
    async def keep(source: str, given: Sequence[Paper]) -> list[int]:
        raise StoreError("The database is away.")

    out = Reach({"arxiv": Kind("arxiv", {"arxiv"}, {OLD.id: OLD})}, None, keep)
    told = await asyncio.gather(out.ask(FIND), out.ask(FIND), return_exceptions=True)
    assert [type(one) for one in told] == [StoreError, StoreError]


async def test_it_can_be_closed_at_work(library: Library) -> None:
    out = reach(library, Kind("arxiv", {"arxiv"}, slow=30))
    waiting = asyncio.create_task(out.ask(FIND))
    await asyncio.sleep(0.01)
    await out.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting


# --- what was looked up is news only by the day it came out


def kept(store: Store, paper: Paper, *, asked: bool, at: datetime = NOW) -> int:
    with store.writing() as conn:
        records.add(conn, [paper], "acl", at, asked=asked)
        number = papers.by_id(conn, paper.id)
    assert number is not None
    return number


def is_news(store: Store, number: int) -> tuple[bool, bool, bool]:
    """In a scheduled digest, in one that is asked for, and in what `days=7` finds."""
    with store.reading() as conn:
        scheduled = catalogue.news(conn, 0).after(0, NOW, 7, cross_lists=False)
        seen = papers.seen_since(conn, NOW - 7 * DAY)
        return number in scheduled, number in catalogue.fresh(conn, NOW, 7), number in seen


@pytest.mark.parametrize(
    ("paper", "news"),
    [
        (OLD, False),
        (replace(OLD, published=NOW - DAY), True),
        (replace(OLD, published=None, year=2026), False),
        (replace(OLD, published=None), False),
    ],
    ids=["old", "new", "only the year", "undated"],
)
def test_what_is_looked_up_is_news_if_it_has_just_come_out(store: Store, paper: Paper, news: bool) -> None:
    assert is_news(store, kept(store, paper, asked=True)) == (news,) * 3


def test_what_a_source_brought_stays_news_when_somebody_looks_it_up(store: Store) -> None:
    undated = replace(OLD, published=None, year=2026)
    number = kept(store, undated, asked=False, at=NOW - DAY)
    assert kept(store, replace(undated, title="Sliding windows, again"), asked=True) == number
    assert is_news(store, number) == (True,) * 3


def test_what_was_looked_up_first_can_still_come_as_news(store: Store) -> None:
    undated = replace(OLD, published=None, year=2026)
    kept(store, undated, asked=True)
    number = kept(store, replace(undated, title="Sliding windows, again"), asked=False)
    assert is_news(store, number) == (True,) * 3


# --- the words


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (Reached(("arXiv",)), "arXiv knows no paper 2401.01234."),
        (Reached(("Crossref", "OpenAlex")), "Crossref and OpenAlex know no paper 2401.01234."),
        (Reached(("arXiv",), ("arXiv",)), "arXiv did not answer about 2401.01234. Try again later."),
        (
            Reached(("Crossref", "OpenAlex", "Semantic Scholar"), ("OpenAlex",)),
            "OpenAlex did not answer, and Crossref and Semantic Scholar know no paper 2401.01234. Try again later.",
        ),
        (Reached(busy=True), "Many papers are being looked up just now: please try again in a minute."),
    ],
)
def test_why_it_was_not_found(reached: Reached, said: str) -> None:
    assert not_found(FIND, reached) == said


def test_who_was_asked_too() -> None:
    assert asked_too(Reached(("arXiv", "OpenAlex"))) == "Also asked: arXiv and OpenAlex."
    assert asked_too(Reached(("arXiv", "OpenAlex"), ("arXiv",))) == "Also asked: OpenAlex. arXiv did not answer."
    assert asked_too(Reached(("arXiv",), ("arXiv",))) == "arXiv did not answer."
    assert asked_too(Reached(busy=True)).startswith("Only what is here.")
    assert (named([]), named(["a"]), named(["a", "b", "c"])) == ("", "a", "a, b and c")


# --- as sources really are


async def test_arxiv_finds_and_looks(memory_store: Store, library: Library) -> None:
    made = Made("2611.01234", date(2026, 11, 24), "Sliding windows of glass")
    http = MemoryHttp(ArxivWorld([made], now=lambda: NOW))
    out = Reach({"arxiv": Arxiv()}, http, keeper(memory_store, library))
    (numbers,) = (await out.ask(Wish("find", "arxiv:2611.01234"))).lists
    assert await out.ask(Wish("look", "windows")) == Reached(("arXiv",), (), (numbers,))
    assert await out.ask(Wish("find", "arxiv:2611.99999")) == Reached(("arXiv",))
    http.world.faults = [("/", 503, {}, b"")]
    assert (await out.ask(Wish("find", "arxiv:2611.99998"))).failed == ("arXiv",)

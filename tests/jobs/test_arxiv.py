"""arXiv as a source: days that are read once or were missed; lists that are empty, late or the same once more."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources._arxiv_ask import Places
from bot.sources._arxiv_calendar import feed_day
from bot.sources._arxiv_place import place_of
from bot.sources._http import Client
from bot.sources.arxiv import Arxiv, source
from recommender.types import Paper
from tests.fakes.arxiv_server import HTML, ArxivWorld, Made, MemoryHttp, arxiv_server

MONDAY = datetime(2026, 4, 27, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Reader:
    """Asks a source as the job does: keeps the cursor, drops what it knows, and notes what went wrong."""

    def __init__(self, world: ArxivWorld, categories: tuple[str, ...] = ("cs.CL",), http: Any = None) -> None:
        self.world = world
        self.time = MONDAY
        world.now = lambda: self.time
        self.source = Arxiv(categories, now=lambda: self.time)
        self.http = http or MemoryHttp(world)
        self.cursor = ""
        self.known: dict[str, Paper] = {}
        self.errors: list[str] = []

    async def ask(self, at: datetime | None = None) -> list[str]:
        """Return the ids of the papers that are new now."""
        self.time = at or self.time
        fresh: list[str] = []
        try:
            async for item in self.source.fetch(None, self.http, self.cursor):
                if isinstance(item, Cursor):
                    assert len(item.text) <= 2000
                    self.cursor = item.text
                elif item.id not in self.known:
                    self.known[item.id] = item
                    fresh.append(item.id.removeprefix("arxiv:"))
        except SourceError as error:
            self.errors.append(str(error))
        return fresh


def announced_daily(first: date, days: int, a_day: int = 2, **more: Any) -> list[Made]:
    """Make papers for each list of some days, in the order of their ids."""
    lists = [first + n * DAY for n in range(days) if feed_day(first + n * DAY)]
    return [
        Made(f"{day:%y%m}.{10000 + 100 * day.day + number}", day, **more) for day in lists for number in range(a_day)
    ]


async def test_a_first_start_reads_the_list_of_the_day_and_a_week_before() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 14), 14)))
    found = await reader.ask()
    assert found[:2] == ["2604.12700", "2604.12701"]  # the list comes first
    assert {name[5:8] for name in found} == {"127", "124", "123", "122", "121"}  # and no list is there for a weekend
    assert not reader.source.behind(MONDAY)
    assert reader.errors == []


async def test_a_list_is_asked_for_once() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 27), 2)))
    assert len(await reader.ask()) == 2
    asked = len(reader.world.asked)
    assert await reader.ask(MONDAY + timedelta(hours=3)) == []
    assert len(reader.world.asked) == asked
    assert await reader.ask(MONDAY + DAY) == ["2604.12800", "2604.12801"]


async def test_what_an_outage_of_two_days_kept_back_is_fetched() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 20), 14)))
    await reader.ask()
    found = await reader.ask(MONDAY + 3 * DAY)
    assert found[:2] == ["2604.13000", "2604.13001"]
    assert sorted(found[2:]) == ["2604.12800", "2604.12801", "2604.12900", "2604.12901"]
    assert place_of(reader.cursor).fill is None


async def test_an_index_that_lags_is_asked_again() -> None:
    world = ArxivWorld(announced_daily(date(2026, 4, 20), 21), lag=timedelta(hours=40))
    reader = Reader(world)
    await reader.ask()
    found = await reader.ask(MONDAY + 3 * DAY)
    assert "2604.12900" not in found
    found = await reader.ask(MONDAY + 4 * DAY)
    assert {"2604.12900", "2604.12901"} <= set(found)
    await reader.ask(MONDAY + 7 * DAY)
    before = len(world.pages())
    await reader.ask(MONDAY + 8 * DAY)
    assert len(world.pages()) == before  # it is not asked for ever


async def test_two_weeks_of_every_hour_bring_each_paper_once() -> None:
    """A weekend, Thanksgiving, a list that comes late, one that is stale for hours, and two days of an outage."""
    papers = announced_daily(date(2026, 11, 10), 21, 12, categories=("cs.CL", "cs.LG"))
    world = ArxivWorld(papers, lag=timedelta(hours=20))
    reader = Reader(world, ("cs.LG", "cs.CL"))
    start, arrived = datetime(2026, 11, 16, 12, tzinfo=UTC), dict[str, datetime]()
    for hour in range(24 * 14 + 1):
        now = start + timedelta(hours=hour)
        if date(2026, 11, 18) <= now.date() <= date(2026, 11, 19):
            continue
        late = datetime(2026, 11, 24, 5, tzinfo=UTC) <= now < datetime(2026, 11, 24, 11, tzinfo=UTC)
        world.old = date(2026, 11, 23) if late else None
        stale = datetime(2026, 11, 25, 5, tzinfo=UTC) <= now < datetime(2026, 11, 25, 15, tzinfo=UTC)
        world.stale = date(2026, 11, 24) if stale else None
        for name in await reader.ask(now):
            assert name not in arrived
            arrived[name] = now
        assert reader.source.behind(now) is (stale or (late and now >= datetime(2026, 11, 24, 7, tzinfo=UTC)))
    assert reader.errors == []
    assert sorted(arrived) == sorted(made.id for made in papers)
    assert arrived["2611.12500"] == datetime(2026, 11, 25, 15, tzinfo=UTC)
    assert arrived["2611.12400"] == datetime(2026, 11, 24, 11, tzinfo=UTC)
    assert arrived["2611.13000"] == datetime(2026, 11, 30, 5, tzinfo=UTC)
    assert world.lists() < 160  # of 289 hours: a list that was read is not asked for again on its day


async def test_a_page_that_comes_empty_is_asked_for_again() -> None:
    world = ArxivWorld(announced_daily(date(2026, 4, 21), 7, 60), hollow={100: 2})
    reader = Reader(world)
    assert len(await reader.ask()) == 300
    assert world.pages() == [0, 100, 100, 100, 200]


async def test_a_page_that_stays_empty_loses_nothing() -> None:
    world = ArxivWorld(announced_daily(date(2026, 4, 21), 7, 90), hollow={100: 3})
    reader = Reader(world)
    assert len(await reader.ask()) == 190
    assert reader.errors == ["arXiv's API gave 100 of 450 papers, and then none. The rest comes next time."]
    assert len(await reader.ask()) == 260
    assert world.pages() == [0, 100, 100, 100, 100, 200, 300, 400]


async def test_an_empty_list_on_a_working_day_is_a_failure_and_the_day_stays_open() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 21), 9, 12)))
    await reader.ask()
    reader.world.bare = True
    assert await reader.ask(MONDAY + DAY) == []
    assert reader.errors == ["arXiv's list of Tuesday, 28 April came empty, though there should be papers."]
    reader.world.bare = False
    assert len(await reader.ask(MONDAY + DAY)) == 12


async def test_an_empty_list_of_a_quiet_category_is_an_answer_if_there_is_nothing() -> None:
    reader = Reader(ArxivWorld([Made("2604.12701", date(2026, 4, 27)), Made("2604.12901", date(2026, 4, 29))]))
    await reader.ask()
    assert await reader.ask(MONDAY + DAY) == []
    assert reader.errors == []
    assert await reader.ask(MONDAY + 2 * DAY) == ["2604.12901"]


async def test_an_empty_list_is_a_failure_if_the_api_knows_papers() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 27), 2)))
    await reader.ask()
    reader.world.bare = True
    await reader.ask(MONDAY + DAY)
    assert "came empty" in reader.errors[0]


async def test_a_weekend_is_an_answer() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 20), 12, 12)))
    await reader.ask(datetime(2026, 5, 1, 12, tzinfo=UTC))
    for hours in range(24, 48, 6):
        assert await reader.ask(datetime(2026, 5, 1, 12, tzinfo=UTC) + timedelta(hours=hours)) == []
    assert reader.errors == []
    assert not reader.source.behind(reader.time)
    assert reader.source.rests(reader.time) == "arXiv announces nothing on Sundays before the evening."


async def test_yesterdays_list_under_todays_date_is_behind_and_no_quiet_day() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 27), 3)))
    await reader.ask()
    reader.world.stale = date(2026, 4, 27)
    assert await reader.ask(MONDAY + DAY) == []
    assert reader.source.behind(reader.time)
    assert reader.errors == []
    reader.world.stale = None
    assert await reader.ask(MONDAY + DAY + timedelta(hours=1)) == ["2604.12800", "2604.12801"]
    assert not reader.source.behind(reader.time)


async def test_a_list_that_was_stale_all_day_is_made_up_for() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 27), 3)))
    await reader.ask()
    reader.world.stale = date(2026, 4, 27)
    await reader.ask(MONDAY + DAY)
    reader.world.stale = None
    assert set(await reader.ask(MONDAY + 2 * DAY)) == {f"2604.{n}" for n in (12800, 12801, 12900, 12901)}


async def test_a_late_list_is_behind_from_two_hours_after_midnight_eastern() -> None:
    reader = Reader(ArxivWorld(announced_daily(date(2026, 4, 27), 3)))
    await reader.ask()
    reader.world.old = date(2026, 4, 27)
    midnight = datetime(2026, 4, 28, 4, tzinfo=UTC)
    assert await reader.ask(midnight + timedelta(hours=1)) == []
    assert not reader.source.behind(reader.time)
    assert await reader.ask(midnight + timedelta(hours=3)) == []
    assert reader.source.behind(reader.time)
    reader.world.old = None
    assert len(await reader.ask(midnight + timedelta(hours=4))) == 2
    assert not reader.source.behind(reader.time)


async def test_a_web_page_instead_of_a_list_is_a_failure_and_the_rest_goes_on() -> None:
    world = ArxivWorld(announced_daily(date(2026, 4, 21), 5), faults=[("/rss", 200, {}, HTML)])
    reader = Reader(world)
    assert len(await reader.ask()) == 8  # by the API
    assert reader.errors == ["arXiv's daily list is a web page, no XML."]


async def test_cross_lists_are_marked_and_revisions_are_no_news() -> None:
    listed = date(2026, 4, 27)
    world = ArxivWorld(
        [
            Made("2604.20001", listed, categories=("cs.CL", "cs.LG")),
            Made("2604.20002", listed, categories=("math.ST", "cs.CL")),
            Made("2401.00003", listed, kind="replace", version=2),
        ],
        lag=10 * DAY,
    )
    reader = Reader(world)
    await reader.ask()
    new, cross, old = (reader.known[f"arxiv:{name}"] for name in ("2604.20001", "2604.20002", "2401.00003"))
    assert (new.cross_listed, cross.cross_listed, old.cross_listed) == (False, True, False)
    assert new.published == datetime(2026, 4, 27, 4, tzinfo=UTC)
    assert old.published == datetime(2024, 1, 1, tzinfo=UTC)
    world.lag = timedelta(0)
    by_api = [item async for item in reader.source.fetch(None, reader.http) if isinstance(item, Paper)]
    assert [each.cross_listed for each in by_api if each.id == "arxiv:2604.20002"] == [True, True]


async def test_a_new_category_is_read_back_too() -> None:
    papers = [*announced_daily(date(2026, 4, 23), 5), Made("2604.15000", date(2026, 4, 24), categories=("cs.LG",))]
    reader = Reader(ArxivWorld(papers))
    await reader.ask()
    reader.source = Arxiv(("cs.CL", "cs.LG"), now=lambda: reader.time)
    assert await reader.ask(MONDAY + timedelta(hours=1)) == ["2604.15000"]


async def test_withdrawn_papers_are_left_out_of_what_the_api_gives() -> None:
    gone = Made("2604.12400", date(2026, 4, 24), comment="This paper has been withdrawn by the authors")
    reader = Reader(ArxivWorld([gone, Made("2604.12701", date(2026, 4, 27))]))
    assert await reader.ask() == ["2604.12701"]
    found = await reader.source.find("arxiv:2604.12400", reader.http)
    assert found is not None
    assert found.keywords == ("withdrawn",)


async def test_a_list_that_is_cut_off_is_asked_for_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.sources._arxiv_ask.LONGEST_LIST", 5)
    each = (("cs.CL", "cs.LG"), ("cs.CL",), ("cs.LG",))
    listed = [Made(f"2604.{10000 + n}", date(2026, 4, 27), categories=each[n % 3]) for n in range(6)]
    world = ArxivWorld(listed, cut=5, lag=90 * DAY)
    reader = Reader(world, ("cs.CL", "cs.LG"))
    await reader.ask()
    assert len(reader.known) == 6
    assert not any(paper.cross_listed for paper in reader.known.values())


async def test_everything_over_a_socket_with_the_client() -> None:
    world = ArxivWorld(
        announced_daily(date(2026, 4, 21), 7, 40),
        faults=[("/api", 503, {"Retry-After": "2"}, b""), ("/rss", 429, {}, b"Rate exceeded.")],
    )

    clock = [0.0]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        await asyncio.sleep(0)

    async with arxiv_server(world) as at:
        http = Client(private=True, pace={}, sleep=sleep, now=lambda: clock[0])
        reader = Reader(world, http=http)
        reader.source.at = at
        assert len(await reader.ask()) == 200
        assert reader.errors == []
        assert (await reader.source.check("cs.cl", http)) == "arXiv cs.CL"
        found = await reader.source.find("arxiv:2604.12701", http)
        assert found is not None
        assert found.id == "arxiv:2604.12701"
        assert await reader.source.find("arxiv:2604.99999", http) is None
        assert [each.id for each in await reader.source.look("paper 2604.12701", 5, http)] == ["arxiv:2604.12701"]
        await http.close()


def test_categories_are_picked_as_one_source() -> None:
    picked = source.pick(["cs.cl", "stat.ML", "cs.CL", "math", "math.AG"], None)
    assert [each.categories for each in picked] == [("cs.CL", "stat.ML", "math")]
    assert source.pick([], None) == []


@pytest.mark.parametrize("bad", ["cs.XX", "", "nonsense", "cs.CL;rm", "https://arxiv.org", "x" * 5000])
def test_what_is_no_category_is_refused_by_name(bad: str) -> None:
    with pytest.raises(SettingsError) as caught:
        source.pick([bad], None)
    assert bad[:20] in str(caught.value)
    assert len(str(caught.value)) < 250


async def test_a_category_that_does_not_exist_is_refused_when_it_is_added() -> None:
    http = MemoryHttp(ArxivWorld(faults=[("/rss", 400, {}, b"")]))
    with pytest.raises(UsageError, match=r"hep-tth.*Near it: hep-th"):
        await source.check("hep-tth", http)
    with pytest.raises(UsageError, match=r"no category cs\.CL any more"):
        await source.check("cs.CL", http)


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"fill": 3}', '{"day": "x"}', "\ud800", '{"categories": [[]]}'])
def test_a_cursor_that_is_none_is_the_beginning(text: str) -> None:
    assert place_of(text).categories == ()


def test_the_kind_by_itself_has_no_papers() -> None:
    assert source.categories == ()
    assert Places().api.startswith("https://")

"""Digests as they are planned: one a local date, over what came since the last, or the reason why there is none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bot.core.message import Message, from_json
from bot.core.timing import Timing
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.jobs.send import Sender
from bot.store import notes, outbox, records, sources, subscriptions, tables
from bot.store import papers as shelf
from bot.store.engine import Store
from recommender.types import Paper
from tests.fakes.bot import Bot, button, labels, make_bot, titles
from tests.fakes.post import Post

MEMORY = "We study the memory of language models and how attention keeps facts."
COOKING = "A robot learns cooking soup from demonstrations in a kitchen with tomatoes."


def papers(*numbers: int, about: str = MEMORY, **more: Any) -> list[Paper]:
    """Return papers about one thing, each with words of its own."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    return [
        Paper(
            f"t:{number}",
            f"{about.split()[2].title()} paper {words[number % 10]} {number} {words[number // 10 % 10]}",
            f"{about} Item{number} word{number} {words[number % 10]} thing{number % 7} other{number % 5}.",
            authors=(f"Ada Number{number}",),
            **more,
        )
        for number in numbers
    ]


@dataclass
class Desk:
    """A bot with a planner, and what it put into the outbox."""

    bot: Bot
    planner: Planner

    async def plan(self) -> list[Message]:
        """Plan what is due now, and return the new messages in order."""
        before = self._last()
        await self.planner.tick()
        query = select(tables.outbox.c.message).where(tables.outbox.c.id > before).order_by(tables.outbox.c.id)
        with self.bot.app.store.reading() as conn:
            return [from_json(content) for content in conn.execute(query).scalars()]

    def _last(self) -> int:
        with self.bot.app.store.reading() as conn:
            return int(conn.execute(select(func.coalesce(func.max(tables.outbox.c.id), 0))).scalar_one())

    def keys(self) -> list[str]:
        """Return the keys of all that was planned."""
        with self.bot.app.store.reading() as conn:
            return list(conn.execute(select(tables.outbox.c.key).order_by(tables.outbox.c.id)).scalars())

    def bring(self, some: list[Paper], source: str = "arxiv") -> None:
        """Let papers come in."""
        ingest(self.bot.app.store, some, source, self.bot.at)

    async def at(self, text: str) -> list[Message]:
        """Let it be that time (UTC), and plan."""
        self.bot.at = datetime.fromisoformat(text).replace(tzinfo=UTC)
        return await self.plan()


@pytest.fixture
def desk(store: Store) -> Desk:
    """A bot on each database with ten papers about cooking and two about memory, on Wednesday 2 December, 08:30."""
    return at_desk(store)


def at_desk(store: Store) -> Desk:
    bot = make_bot([*papers(*range(10), about=COOKING), *papers(50, 51)], store)
    store.clock = lambda conn: bot.at
    bot.app.library.update(learn=True)
    return Desk(bot, Planner(store, bot.app.library, bot.app.settings, ["test"]))


async def test_a_digest_comes_once_a_date_and_covers_what_came_since(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 tz=Europe/Berlin on=daily max=3")
    assert await desk.plan() == []
    desk.bring(papers(*range(60, 66)))
    (message,) = await desk.at("2026-12-03T08:00:30")  # 09:00:30 in Berlin
    assert message.text == "Good morning. 3 of 6 new papers for “memory of language models” · Thu 3 Dec"
    assert message.footer == "next: Fri 4 Dec 09:00 Berlin · /papers schedule memory of language models"
    assert len(message.cards) == 3
    assert await desk.plan() == []
    assert await desk.at("2026-12-03T23:30:00") == []
    desk.bring(papers(70))
    (message,) = await desk.at("2026-12-04T08:00:00")
    assert "1 of 1 new paper" in message.text
    assert desk.keys() == ["digest:1:2026-12-03", "digest:1:2026-12-04"]


async def test_its_buttons_work_and_count_for_its_interest(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    desk.bring(papers(*range(60, 68)))
    (message,) = await desk.at("2026-12-03T09:00:00")
    assert len(message.cards) == 5
    answer = await desk.bot.press(button(message, "More like this", 0))
    assert "memory of language models" in answer.text
    assert "expired" in (await desk.bot.press(button(message, "More like this", 0), user="bob")).text


async def test_a_weekly_digest_ranks_the_whole_week(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=mon max=4")
    for day in range(3, 7):
        desk.bot.at = datetime(2026, 12, day, 12, tzinfo=UTC)
        desk.bring(papers(60 + 2 * day, 61 + 2 * day))
        assert await desk.plan() == []
    (message,) = await desk.at("2026-12-07T09:00:00")
    assert "4 of 8 new papers" in message.text


async def test_what_was_shown_is_not_shown_again_even_in_another_digest(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=07:00 on=daily max=2")
    await desk.bot.ask("subscribe memory at=08:00 on=daily max=50 strictness=relaxed")
    desk.bring(papers(60, 61, 62))
    (first,) = await desk.at("2026-12-03T07:00:00")
    (second,) = await desk.at("2026-12-03T08:00:00")
    assert len(titles(first)) == 2
    assert titles(second)
    assert not set(titles(first)) & set(titles(second))
    desk.bring(papers(60, 61, 62, 63))
    (third,) = await desk.at("2026-12-04T07:00:00")
    assert "of 1 new paper" in third.text


async def test_a_machine_that_slept_sends_one_that_says_what_it_covers(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    desk.bring(papers(60, 61))
    assert len(await desk.at("2026-12-03T09:00:00")) == 1
    desk.bring(papers(62, 63))
    (message,) = await desk.at("2026-12-07T12:04:00")
    assert "This covers what came from Thu 3 Dec 09:00 to Mon 7 Dec 12:04." in message.text
    assert "next: Tue 8 Dec 09:00" in message.footer
    assert desk.keys()[-1] == "digest:1:2026-12-07"
    assert await desk.at("2026-12-07T12:05:00") == []


async def test_several_interests_come_as_one_message(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    await desk.bot.ask("subscribe robot cooking with=1 strictness=relaxed")
    desk.bring([*papers(60, 61, 62), *papers(30, 31, 32, about=COOKING)])
    (message,) = await desk.at("2026-12-03T09:00:00")
    assert "for “memory of language models” and “robot cooking”" in message.text
    kinds = [title.split()[0] for title in titles(message)]
    assert kinds.count("Learns") == kinds.count("The") == 2  # in turn
    assert message.topics == ("memory of language models", "robot cooking")


async def test_a_channels_digest_is_for_all_and_names_who_asked(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models in=reading at=09:00 on=daily", channel="reading")
    desk.bring(papers(60, 61))
    (message,) = await desk.at("2026-12-03T09:00:00")
    assert "asked for by ada" in message.footer
    with desk.bot.app.store.reading() as conn:
        row = conn.execute(select(tables.outbox)).mappings().one()
    assert (row["channel"], row["user"]) == ("reading", "")
    answer = await desk.bot.press(button(message, "More like this", 0), user="eve", channel="reading")
    assert "reading" in answer.text
    shown = await desk.bot.ask("show 1", user="eve", channel="reading")
    assert titles(message)[0] in (shown.text, *titles(shown))


async def test_a_change_of_time_or_zone_gives_no_second_digest_on_a_date(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 tz=UTC on=daily")
    desk.bring(papers(60))
    assert len(await desk.at("2026-12-03T09:00:00")) == 1
    await desk.bot.ask("schedule 1 at=15:00")
    assert await desk.at("2026-12-03T16:00:00") == []
    await desk.bot.ask("schedule 1 tz=Pacific/Honolulu")
    assert await desk.at("2026-12-04T09:00:00") == []  # still the 3rd there
    assert len(await desk.at("2026-12-05T01:00:00")) == 1  # 15:00 on the 4th
    assert desk.keys() == ["digest:1:2026-12-03", "digest:1:2026-12-04"]


class TestNothing:
    """A digest that is due and has nothing to show says why, truthfully."""

    async def test_no_paper_came(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert message.text == (
            "Nothing new for “memory of language models” today: no paper came since Wed 2 Dec 08:30."
        )
        assert message.cards == ()
        assert "next: Fri 4 Dec 09:00 UTC" in message.footer

    async def test_a_source_rests(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory at=09:00 on=daily")
        self.state(desk, rests="arXiv announces nothing on Saturdays")
        (message,) = await desk.at("2026-12-05T09:00:00")
        assert message.text.endswith(" today: arXiv announces nothing on Saturdays.")

    async def test_a_source_fails_or_is_behind(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory at=09:00 tz=Europe/Berlin on=daily")
        self.state(desk, failing_since=datetime(2026, 12, 3, 5, 10, tzinfo=UTC))
        (message,) = await desk.at("2026-12-03T08:00:00")
        assert "arXiv has not answered since 06:10." in message.text
        self.state(desk, failing_since=None, behind_since=datetime(2026, 12, 3, 19, 0, tzinfo=UTC))
        (message,) = await desk.at("2026-12-04T08:00:00")
        assert "arXiv is behind since Thu 3 Dec 20:00." in message.text
        desk.bring(papers(60))
        (message,) = await desk.at("2026-12-05T08:00:00")
        assert message.cards
        assert message.footer.startswith("arXiv is behind since Thu 3 Dec 20:00 · next: Sun 6 Dec")

    async def test_all_was_seen(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
        desk.bring(papers(60))
        await desk.bot.ask("save t:60")
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert message.text.endswith("1 paper came, and you have seen it already.")

    async def test_none_is_near_enough_and_the_closest_is_one_button_away(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily strictness=strict")
        desk.bring(papers(*range(30, 40), about=COOKING))
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert "10 papers came, and none is near enough. The closest: “Learns paper" in message.text
        assert labels(message) == ["Show it"]
        shown = await desk.bot.press(message.buttons[0])
        assert "Learns paper" in (titles(shown) or [shown.text])[0]

    async def test_no_paper_uses_these_words(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe zzzyq at=09:00 on=daily")
        desk.bring(papers(60, 61))
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert "No paper here uses “zzzyq”." in message.text
        assert message.cards == ()

    async def test_all_is_muted(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
        await desk.bot.ask("mute language models")
        desk.bring(papers(60, 61))
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert message.text.endswith("2 papers came, and all hold what you muted.")

    async def test_nothing_is_stored(self, memory_store: Store) -> None:
        bot = make_bot([], memory_store)
        memory_store.clock = lambda conn: bot.at
        desk = Desk(bot, Planner(memory_store, bot.app.library, bot.app.settings, ["test"]))
        await bot.ask("subscribe memory at=09:00 on=daily")
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert "no papers are stored yet" in message.text

    async def test_whoever_wants_silence_hears_of_it_after_a_week(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory at=09:00 on=daily quiet=yes")
        said = [await desk.at(f"2026-12-{day:02}T09:00:00") for day in range(3, 19)]
        spoken = [day for day, messages in zip(range(3, 19), said, strict=True) if messages]
        assert spoken == [8, 15]
        assert "after a week of it" in said[5][0].text

    async def test_a_weekly_silence_is_never_of_two_weeks(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory at=09:00 on=mon quiet=yes")
        late = ("02", "01", "03", "00")  # seconds: no two ticks come at the same moment
        said = [await desk.at(f"2026-12-{7 * week:02}T09:00:{second}") for week, second in enumerate(late, 1)]
        assert [len(messages) for messages in said] == [1, 1, 1, 1]

    def state(self, desk: Desk, **values: Any) -> None:
        with desk.bot.app.store.writing() as conn:
            sources.brought(conn, "arxiv", desk.bot.at)
            conn.execute(update(tables.sources).where(tables.sources.c.name == "arxiv").values(**values))


async def test_a_refused_digests_papers_come_again(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    desk.bring(papers(60, 61))
    (first,) = await desk.at("2026-12-03T09:00:00")
    with desk.bot.app.store.writing() as conn:
        (row,) = outbox.claim(conn, desk.bot.at, "mine", 120, 5, ["test"])
        assert outbox.dead(conn, row.number, "mine", desk.bot.at, "poison")
    (second,) = await desk.at("2026-12-04T09:00:00")
    assert titles(second) == titles(first)


async def test_planners_side_by_side_double_nothing(desk: Desk) -> None:
    for number in range(30):
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily", user=f"user{number}")
    desk.bring(papers(60, 61))
    desk.bot.at = datetime(2026, 12, 3, 9, tzinfo=UTC)
    app = desk.bot.app
    others = [Planner(app.store, app.library, app.settings, ["test"]) for _ in range(4)]
    assert sum(await asyncio.gather(*(each.tick() for each in others))) == 30
    assert len(set(desk.keys())) == 30


async def test_nothing_is_half_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    await desk.bot.ask("subscribe memory at=09:00 on=daily", user="bob")
    desk.bring(papers(60, 61))
    real = notes.add

    def broken(conn: Any, owner: int, *rest: Any) -> int:
        if owner == 1:
            raise RuntimeError("a fault of ours")
        return real(conn, owner, *rest)

    monkeypatch.setattr(notes, "add", broken)
    (message,) = await desk.at("2026-12-03T09:00:00")  # bob's, whom the fault does not keep waiting
    assert "memory" in message.text
    monkeypatch.setattr(notes, "add", real)
    assert await desk.at("2026-12-03T09:01:00") == []  # it is leased, as if a process had died
    assert len(await desk.at("2026-12-03T09:02:01")) == 1


async def test_paused_ones_are_not_planned_and_go_on_by_themselves(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    await desk.bot.ask("pause 1 until=2026-12-07")
    desk.bring(papers(60, 61))
    assert await desk.at("2026-12-05T09:00:00") == []
    (message,) = await desk.at("2026-12-07T09:00:00")
    assert "This covers what came from Wed 2 Dec 08:30 to Mon 7 Dec 09:00." in message.text
    with desk.bot.app.store.reading() as conn:
        (sub,) = subscriptions.of(conn, 1)
    assert (sub.paused_at, sub.paused_until) == (None, "")


async def test_an_unsubscribed_one_is_not_planned_and_undone_it_is(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    gone = await desk.bot.ask("unsubscribe 1")
    desk.bring(papers(60, 61))
    assert await desk.at("2026-12-03T09:00:00") == []
    await desk.bot.press(button(gone, "Undo"))
    assert len(await desk.plan()) == 1


async def test_cross_lists_come_only_where_they_are_wanted(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily crosslists=yes")
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily", user="bob")
    desk.bring(papers(60, cross_listed=True))
    messages = await desk.at("2026-12-03T09:00:00")
    assert sorted(len(message.cards) for message in messages) == [0, 1]


@pytest.mark.parametrize("venue", ["", "ICLR"], ids=["the same", "told otherwise"])
async def test_what_somebody_looked_up_is_news_once_a_source_brings_it(desk: Desk, venue: str) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    (paper,) = papers(60, year=2026)
    with desk.bot.app.store.writing() as conn:
        records.add(conn, [paper], "openreview", desk.bot.at, asked=True)
    assert "Saved" in (await desk.bot.ask("save t:60", user="bob")).text
    (message,) = await desk.at("2026-12-03T09:00:00")
    assert titles(message) == []
    desk.bring([replace(paper, venue=venue)], "openreview")
    (message,) = await desk.at("2026-12-04T09:00:00")
    assert titles(message) == [paper.title]
    assert paper.title in (await desk.bot.ask("saved", user="bob")).cards[0].title
    desk.bring([replace(paper, venue="ICLR 2026")], "openreview")
    (message,) = await desk.at("2026-12-05T09:00:00")
    assert titles(message) == []


async def test_old_papers_that_come_in_late_are_no_news(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    desk.bring(papers(60, published=datetime(2019, 5, 1, tzinfo=UTC)))
    desk.bring(papers(61, published=datetime(2026, 12, 1, tzinfo=UTC)))
    (message,) = await desk.at("2026-12-03T09:00:00")
    assert "1 of 1 new paper" in message.text


class TestAgain:
    """A paper that a second source brings, days after it was in a digest."""

    @pytest.fixture
    async def told(self, memory_store: Store) -> Desk:
        """A bot whose digest showed one paper, on Thursday 3 December, as a feed told it."""
        desk = at_desk(memory_store)
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily strictness=relaxed")
        desk.bring([self.as_told(id="rss:0123456789abcdef")], "rss:lab.example/feed")
        (message,) = await desk.at("2026-12-03T09:00:00")
        assert len(message.cards) == 1
        return desk

    def as_told(self, **said: Any) -> Paper:
        (paper,) = papers(60, published=datetime(2026, 12, 1, tzinfo=UTC), year=2026)
        return replace(paper, **said)

    def other(self, **said: Any) -> Paper:
        """Tell it by another title, so that only ids say what it is."""
        return self.as_told(title="How attention keeps its facts in mind", **said)

    async def days(self, desk: Desk, *days: int) -> None:
        """Let digests of these days be planned: none of them has anything to show."""
        for day in days:
            (message,) = await desk.at(f"2026-12-{day:02}T09:00:00")
            assert message.cards == (), titles(message)

    async def test_by_its_title(self, told: Desk) -> None:
        told.bring([self.as_told(id="arxiv:2612.00060", ids=("doi:10.1000/60",))])
        await self.days(told, 6, 7)

    @pytest.mark.parametrize("shared", ["doi:10.1000/60", "arxiv:2612.00060"])
    async def test_by_an_id(self, told: Desk, shared: str) -> None:
        told.bring([self.as_told(id="rss:0123456789abcdef", ids=(shared,))], "rss:lab.example/feed")
        await self.days(told, 4)
        told.bring([self.other(id="openreview:abc123DEF0", ids=(shared,))], "openreview")
        await self.days(told, 7, 8)

    @pytest.mark.parametrize("first", ["before", "after"])
    async def test_when_a_third_source_says_that_both_are_one(self, told: Desk, first: str) -> None:
        if first == "after":
            await self.days(told, 5)
        told.bring([self.other(id="arxiv:2612.00060")])
        told.bring([self.as_told(id="openreview:abc123DEF0", ids=("arxiv:2612.00060",))], "openreview")
        await self.days(told, 7, 8)

    async def test_and_is_parted_from_it_later(self, told: Desk) -> None:
        told.bring([self.as_told(id="arxiv:2612.00060")])
        await self.days(told, 7)
        with told.bot.app.store.writing() as conn:
            whole = shelf.by_id(conn, "arxiv:2612.00060")
            assert whole is not None
            feed, other = records.of(conn, [whole])
            assert feed.number is not None
            assert other.number is not None
            assert records.unmerge(conn, [other.number], told.bot.at) != whole
        await self.days(told, 8, 9)
        told.bring([self.as_told(id="arxiv:2612.00060", abstract=f"Revised. {MEMORY}")])
        await self.days(told, 10)

    async def test_and_was_two_papers_until_it_was_merged_by_hand_and_parted_again(self, told: Desk) -> None:
        told.bring([self.other(id="openreview:abc123DEF0")], "openreview")
        with told.bot.app.store.writing() as conn:
            one, two = (shelf.by_id(conn, each) for each in ("rss:0123456789abcdef", "openreview:abc123DEF0"))
            assert one is not None
            assert two is not None
            records.merge(conn, two, one, told.bot.at)
        await self.days(told, 7)
        with told.bot.app.store.writing() as conn:
            (number,) = [each.number for each in records.of(conn, [two]) if each.source == "openreview"]
            assert number is not None
            records.unmerge(conn, [number], told.bot.at)
        await self.days(told, 8)

    async def test_and_what_comes_later_shows_that_they_were_two(self, told: Desk) -> None:
        told.bring([self.as_told(id="arxiv:2612.00060")])
        await self.days(told, 4)
        told.bring([self.as_told(id="rss:0123456789abcdef", ids=("arxiv:2612.00061",))], "rss:lab.example/feed")
        with told.bot.app.store.reading() as conn:
            assert shelf.by_id(conn, "arxiv:2612.00060") != shelf.by_id(conn, "arxiv:2612.00061")
        await self.days(told, 7, 8)


async def test_workspaces_that_are_not_allowed_get_nothing(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    settings = desk.bot.app.settings.model_copy(update={"allowed": "test:other"})
    planner = Planner(desk.bot.app.store, desk.bot.app.library, settings, ["test"])
    desk.bot.at = datetime(2026, 12, 3, 9, tzinfo=UTC)
    await planner.tick()
    assert desk.keys() == []
    desk.bot.app.settings = settings
    assert "not for this workspace" in (await desk.bot.ask("help")).text


async def test_a_test_bot_beside_the_real_one_calls_its_command(desk: Desk) -> None:
    desk.bot.app.settings = desk.bot.app.settings.model_copy(update={"command": "papers-test"})
    answer = await desk.bot.ask("/papers-test help")
    assert "/papers-test" in answer.text
    assert "/papers " not in answer.text
    await desk.bot.ask("/papers-test subscribe memory at=08:00 on=daily")
    await desk.at("2026-12-03T08:00:00")
    post = Post("test", now=lambda: desk.bot.at)
    sender = Sender(desk.bot.app.store, {"test": post}, Timing(), "one", command="papers-test")
    await sender.tick()
    await sender.idle()
    await sender.drain(1)
    (message,) = post.messages.values()
    assert "· /papers-test schedule memory" in message.footer

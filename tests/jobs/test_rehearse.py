"""The dry run: what a digest would be, what it leaves out and why, and that nothing of it is stored."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import func, select

from bot.errors import UsageError
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.jobs.rehearse import Rehearsal, as_json, rehearse
from bot.store import tables
from bot.store.engine import Store
from tests.fakes.bot import Bot, make_bot, titles
from tests.jobs.test_plan import COOKING, papers

TOPIC = "memory of language models"


@pytest.fixture
async def bot(store: Store) -> Bot:
    """A bot with a subscription of two papers a day, and five papers that came since."""
    made = make_bot(papers(*range(10), about=COOKING), store)
    store.clock = lambda conn: made.at
    await made.ask(f"subscribe {TOPIC} at=09:00 on=weekdays max=2")
    await made.ask("mute kitchen")
    made.pass_(hours=1)
    ingest(store, [*papers(60, 61, 62), *papers(30, about=COOKING)], "arxiv", made.at)
    return made


def rehearsed(bot: Bot, number: int = 1, day: date | None = None) -> Rehearsal:
    return rehearse(bot.app.store, bot.app.library, bot.app.settings, number, day)


def rows(store: Store) -> list[int]:
    """Return how many rows the tables have that a digest writes."""
    with store.reading() as conn:
        return [
            conn.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (tables.outbox, tables.notes)
        ]


def test_it_says_what_would_be_sent_and_what_is_left_out_and_stores_nothing(bot: Bot) -> None:
    before = rows(bot.app.store)
    made = rehearsed(bot, day=date(2026, 12, 3))
    (page,) = made.pages
    assert page.text == f"Good morning. 2 of 4 new papers for “{TOPIC}” · Thu 3 Dec\n" + page.text.partition("\n")[2]
    assert len(page.cards) == 2
    assert page.buttons == page.cards[0].buttons == ()
    reasons = [reason for _, reason in made.left_out]
    assert "muted: kitchen" in reasons
    assert len(reasons) == 2
    assert rows(bot.app.store) == before
    told = as_json(made)
    assert [one["title"] for one in told["papers"]] == titles(page)
    assert len(told["left out"]) == 2


async def test_what_was_planned_is_shown_as_it_was(bot: Bot) -> None:
    bot.at = datetime(2026, 12, 3, 9, tzinfo=UTC)
    await Planner(bot.app.store, bot.app.library, bot.app.settings, ["test"]).tick()
    made = rehearsed(bot, day=date(2026, 12, 3))
    assert made.remarks == ["planned on Thu 3 Dec 09:00; pending"]
    assert len(made.pages[0].cards) == 2
    with pytest.raises(UsageError, match="2026-12-02 is over, and no digest of it is kept"):
        rehearsed(bot, day=date(2026, 12, 2))
    assert rehearsed(bot).date == date(2026, 12, 4)


async def test_a_date_that_was_silent_is_said_to_be_planned_already(bot: Bot) -> None:
    planner = Planner(bot.app.store, bot.app.library, bot.app.settings, ["test"])
    await bot.ask("schedule 1 quiet=yes")
    for day in (3, 4):
        bot.at = datetime(2026, 12, day, 9, tzinfo=UTC)
        await planner.tick()
    assert "planned already, and there was nothing to send" in rehearsed(bot, day=date(2026, 12, 4)).remarks[0]


async def test_remarks_on_days_that_are_not_chosen_and_pauses(bot: Bot) -> None:
    assert "this is not one of its days: weekdays" in rehearsed(bot, day=date(2026, 12, 5)).remarks
    await bot.ask("pause 1")
    assert "it is paused" in rehearsed(bot).remarks


def test_what_is_not_there_is_refused_by_name(bot: Bot) -> None:
    for number in (7, 0, -1, 10**20):
        with pytest.raises(UsageError, match=f"no subscription {number}"):
            rehearsed(bot, number)
    with pytest.raises(UsageError, match="9999-12-31 is too far ahead"):
        rehearsed(bot, day=date(9999, 12, 31))
    with pytest.raises(UsageError, match=r"2020-12-04 is over, and no digest of it is kept"):
        rehearsed(bot, day=date(2020, 12, 4))

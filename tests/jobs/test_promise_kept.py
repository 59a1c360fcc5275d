"""Strictness as readers live it: what they press moves the threshold, what they never press does not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from bot.core.message import Message, from_json
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.store import promises, ratings, tables
from bot.store.engine import Store
from recommender.bar import THRESHOLDS
from recommender.calibrate import PRIOR, TOLD
from recommender.promise import ALPHA, ETA, LOOSEST, PLAIN, bound
from recommender.types import Paper
from tests.fakes.bot import Bot, button, make_bot

MEMORY = "We study the memory of language models and how attention keeps facts."
COOKING = "A robot learns cooking soup from demonstrations in a kitchen with tomatoes."
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def papers(*numbers: int, about: str = MEMORY) -> list[Paper]:
    return [
        Paper(
            f"t:{n}",
            f"{about.split()[2].title()} paper {WORDS[n % 10]} {n} {WORDS[n // 10 % 10]}",
            f"{about} Item{n} word{n} {WORDS[n % 10]} thing{n % 7} other{n % 5}.",
        )
        for n in numbers
    ]


@dataclass
class Desk:
    bot: Bot
    planner: Planner
    store: Store

    async def day(self, *some: Paper) -> Message | None:
        """Let a day go by with these papers, plan, and let what was planned arrive."""
        self.bot.at += timedelta(days=1)
        ingest(self.store, list(some), "arxiv", self.bot.at - timedelta(minutes=5))
        await self.planner.tick()
        with self.store.writing() as conn:
            made = conn.execute(
                update(tables.outbox)
                .where(tables.outbox.c.state == "pending")
                .values(state="sent")
                .returning(tables.outbox.c.message)
            ).scalars()
            messages = [from_json(one) for one in made]
        return messages[0] if messages else None

    def promise(self, number: int = 1) -> Any:
        with self.store.reading() as conn:
            return (
                conn.execute(select(tables.subscriptions).where(tables.subscriptions.c.id == number)).mappings().one()
            )

    def shown(self) -> list[Any]:
        with self.store.reading() as conn:
            rows = select(tables.shown).order_by(tables.shown.c.outbox_id, tables.shown.c.place)
            return list(conn.execute(rows).mappings())


@pytest.fixture
def desk(store: Store) -> Desk:
    bot = make_bot([*papers(*range(10), about=COOKING), *papers(50, 51)], store)
    bot.at = datetime(2026, 12, 2, 9, tzinfo=UTC)
    store.clock = lambda conn: bot.at
    bot.app.library.update(learn=True)
    return Desk(bot, Planner(store, bot.app.library, bot.app.settings, ["test"]), store)


async def test_what_was_shown_is_logged_with_how_it_came_there(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=3")
    await desk.day(*papers(60, 61, 62, 63))
    rows = desk.shown()
    assert [row["place"] for row in rows] == [1, 2, 3]
    assert all(row["score"] >= THRESHOLDS["normal"] for row in rows)
    assert {(row["interest_id"], row["chance"], row["aside"]) for row in rows} == {(1, 1.0, False)}
    assert {row["tau"] for row in rows} == {PLAIN["normal"]}
    assert {row["generation"] for row in rows} == {desk.bot.app.library.index.generation}


async def test_the_threshold_follows_what_is_pressed(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    first = await desk.day(*papers(60, 61, 62, 63))
    assert first is not None
    await desk.bot.press(button(first, "Less", 0))
    await desk.bot.press(button(first, "Less", 1))
    for line in ("profile", "schedule 1"):
        said = (await desk.bot.ask(line)).text
        assert "So far 50 % of the places did, over 1 digest that counts. A paper has to fit 63 %" in said
    await desk.day()
    row = desk.promise()
    assert (row["counted"], row["wasted"], row["tau_first"]) == (1, 0.5, PLAIN["normal"])
    assert row["tau"] == pytest.approx(PLAIN["normal"] + ETA * (0.5 - ALPHA["normal"]))
    await desk.bot.press(button(first, "Less", 2))  # too late for the threshold
    await desk.day()
    assert desk.promise()["counted"] == 1


async def test_a_paper_that_was_saved_counts_as_pressed(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    first = await desk.day(*papers(60, 61))
    assert first is not None
    await desk.bot.press(button(first, "Save", 0))
    await desk.day(*papers(62))
    row = desk.promise()
    assert (row["counted"], row["wasted"]) == (1, 0.0)
    assert row["tau"] == pytest.approx(PLAIN["normal"] - ETA * ALPHA["normal"])


async def test_a_day_on_which_nothing_is_near_enough_wastes_no_place(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    nothing = await desk.day(*papers(30, 31, about=COOKING))
    assert nothing is not None
    assert "none is near enough" in nothing.text
    assert desk.promise()["counted"] == 1
    await desk.day()
    assert desk.promise()["counted"] == 1, "a day without papers says nothing of the threshold"


async def test_whoever_wants_nothing_is_soon_left_alone_and_the_bound_holds(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    lost = []
    for day in range(12):
        message = await desk.day(*papers(*range(100 + 6 * day, 106 + 6 * day)))
        assert message is not None
        for at in range(len(message.cards)):
            await desk.bot.press(button(message, "Less", at))
        lost.append(len(message.cards) / 4)
    row = desk.promise()
    assert row["wasted"] <= row["counted"] * bound(row["tau_first"], row["counted"], "normal")
    assert row["tau"] >= LOOSEST["normal"]
    assert sum(lost[-4:]) < sum(lost[:4])


async def test_a_followed_authors_paper_below_the_threshold_is_outside_the_promise(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    await desk.bot.ask("follow Grace Windowmaker")
    (soup,) = papers(30, about=COOKING)
    message = await desk.day(replace(soup, authors=("Grace Windowmaker",)))
    assert message is not None
    assert len(message.cards) == 1
    assert [row["aside"] for row in desk.shown()] == [True]
    await desk.bot.press(button(message, "Less", 0))
    await desk.day()
    assert (desk.promise()["counted"], desk.promise()["wasted"]) == (1, 0.0)


async def test_another_strictness_begins_anew(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily")
    await desk.day(*papers(60))
    assert desk.promise()["tau"] is not None
    await desk.bot.ask("schedule 1 strictness=strict")
    assert desk.promise()["tau"] is None
    await desk.day(*papers(61))
    assert desk.promise()["tau_first"] == PLAIN["strict"]


async def test_probabilities_are_told_once_they_are_facts(desk: Desk) -> None:
    await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    for day in range(TOLD // 4 + 1):
        message = await desk.day(*papers(*range(100 + 4 * day, 104 + 4 * day)))
        assert message is not None
        assert not any("fits" in line for card in message.cards for line in card.lines)
        for at in range(len(message.cards)):
            await desk.bot.press(button(message, "More like this", at))
        with desk.store.reading() as conn:
            if ratings.count(conn) >= TOLD:
                break
    desk.bot.at += timedelta(hours=1)
    message = await desk.day(*papers(300, 301))
    assert message is not None
    assert all("fits " in card.lines[0] and card.lines[0].endswith(" %") for card in message.cards)
    shown = await desk.bot.ask("show t:100")
    assert "for you: you marked it more" in "\n".join(shown.cards[0].lines)
    ingest(desk.store, papers(310), "arxiv", desk.bot.at)
    shown = await desk.bot.ask("show t:310")
    assert re.search(r"it fits “memory of language models” \(\d+ %, ", "\n".join(shown.cards[0].lines))


async def test_nobody_has_said_anything_yet(desk: Desk) -> None:
    with desk.store.reading() as conn:
        crowd = promises.crowd(conn)
    assert crowd.calibration is PRIOR
    assert crowd.starts == PLAIN


async def test_a_crowd_that_is_displeased_makes_new_ones_start_higher(desk: Desk) -> None:
    people = [f"p{n}" for n in range(12)]
    for user in people:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=1", user=user)
    desk.bot.at += timedelta(days=1)
    ingest(desk.store, papers(60), "arxiv", desk.bot.at - timedelta(minutes=5))
    await desk.planner.tick()
    with desk.store.writing() as conn:
        rows = conn.execute(update(tables.outbox).values(state="sent").returning(tables.outbox.c.message)).scalars()
        messages = [from_json(one) for one in rows]
    assert len(messages) == len(people)
    for user, message in zip(people, messages, strict=True):
        await desk.bot.press(button(message, "Less", 0), user=user)
    with desk.store.reading() as conn:
        crowd = promises.crowd(conn)
    assert crowd.calibration.probability(2.0) < PRIOR.probability(2.0)
    assert crowd.starts["normal"] >= PLAIN["normal"]
    assert crowd.starts["strict"] == PLAIN["strict"], "of strict digests nothing is known"


class TestAside:
    async def test_the_last_of_five_is_a_step_aside_and_outside_the_promise(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=5")
        message = await desk.day(*papers(*range(60, 68)), *papers(*range(30, 38), about=COOKING))
        assert message is not None
        assert len(message.cards) == 5
        *usual, last = message.cards
        assert "a step aside: outside your usual" in last.why or any("a step aside" in line for line in last.lines)
        assert not any("a step aside" in line for card in usual for line in card.lines)
        rows = desk.shown()
        assert [row["aside"] for row in rows] == [False] * 4 + [True]
        assert rows[-1]["chance"] == pytest.approx(1 / 5)
        assert rows[-1]["score"] < THRESHOLDS["normal"]
        await desk.bot.press(button(message, "Less", 4))
        await desk.day(*papers(90))
        assert (desk.promise()["counted"], desk.promise()["wasted"]) == (1, 0.0)

    async def test_a_short_digest_has_none(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
        await desk.day(*papers(*range(60, 68)), *papers(*range(30, 38), about=COOKING))
        assert not any(row["aside"] for row in desk.shown())

    async def test_where_none_falls_short_the_place_is_for_one_that_fits(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=5 strictness=relaxed")
        await desk.day(*papers(*range(60, 67)))
        assert [row["aside"] for row in desk.shown()] == [False] * 5

    async def test_it_never_comes_alone(self, desk: Desk) -> None:
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=5")
        message = await desk.day(*papers(*range(30, 38), about=COOKING))
        assert message is not None
        assert message.cards == ()

    async def test_an_administrator_may_do_without(self, desk: Desk) -> None:
        desk.planner._settings = desk.planner._settings.model_copy(update={"wildcard": False})
        await desk.bot.ask("subscribe memory of language models at=09:00 on=daily max=5")
        await desk.day(*papers(*range(60, 68)), *papers(*range(30, 38), about=COOKING))
        assert [row["aside"] for row in desk.shown()] == [False] * 5

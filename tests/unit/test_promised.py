"""What a strictness promises, as people read it, and where that stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from bot.core.promised import promised
from bot.store import promises
from bot.store.everybody import Everybody
from bot.store.promises import Crowd
from recommender.calibrate import PRIOR, TOLD
from recommender.promise import ALPHA, PLAIN
from tests.fakes.bot import START, make_bot
from tests.fakes.stores import in_memory

PLAINLY = (
    "strictness normal: in the long run, at most 1 in 5 places go to papers marked less. Too little has been pressed "
    "yet, so a plain threshold holds: a paper has to fit 60 %, as I guess it."
)


@pytest.mark.parametrize("strictness", list(ALPHA))
def test_each_strictness_says_its_own_share(strictness: str) -> None:
    said = promised(strictness, PLAIN[strictness], 0, 0.0, begun=False, guess=True)
    most, places = said.partition("at most ")[2].split(" places")[0].split(" in ")
    assert int(most) / int(places) == ALPHA[strictness]
    assert "a plain threshold holds" in said


def test_it_says_where_it_stands() -> None:
    assert promised("normal", 0.6, 0, 0.0, begun=False, guess=True) == PLAINLY
    said = promised("normal", 0.655, 12, 0.6, begun=True, guess=False)
    assert said.endswith("So far 5 % of the places did, over 12 digests that count. A paper has to fit 66 %, now.")
    assert "what others pressed, a paper has to fit 64 %." in promised("strict", 0.64, 0, 0.0, begun=True, guess=False)
    assert "Nothing passes for now" in promised("normal", 1.04, 30, 9.0, begun=False, guess=True)


async def test_profile_and_schedule_say_it_and_count_what_is_pressed() -> None:
    bot = make_bot()
    await bot.ask("subscribe long context language models at=09:00")
    for line in ("profile", "schedule 1"):
        assert PLAINLY in (await bot.ask(line)).text
    await bot.ask("schedule 1 strictness=strict")
    assert "at most 1 in 10 places" in (await bot.ask("schedule 1")).text
    assert "strictness" not in (await bot.ask("profile", user="bob")).text


def test_what_everybody_said_is_read_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Everybody()
    counted: list[Connection] = []
    fresh = Crowd(replace(PRIOR, n=TOLD), PLAIN)

    def read(conn: Connection) -> Crowd:
        counted.append(conn)
        return fresh

    monkeypatch.setattr(promises, "crowd", read)
    with in_memory().reading() as conn:
        for minutes in (0, 59, 61, 70, -60):
            assert known.crowd(conn, START + timedelta(minutes=minutes)) is fresh
        assert len(counted) == 3
        known.forget()
        assert known.crowd(conn, START) is fresh
    assert len(counted) == 4


def test_of_nobody_there_is_not_enough() -> None:
    with in_memory().reading() as conn:
        assert promises.crowd(conn).enough == frozenset()

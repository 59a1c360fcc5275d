from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from bot.sources import _arxiv_calendar as calendar
from bot.sources._arxiv_categories import KNOWN, asked, category, covers, parts_of, set_of
from bot.sources._arxiv_holidays import holidays


@pytest.mark.parametrize(
    ("day", "papers"),
    [
        ("2026-04-27", True),  # Monday: announced on Sunday evening
        ("2026-05-01", True),  # Friday
        ("2026-05-02", False),  # Saturday
        ("2026-05-03", False),  # Sunday
        ("2026-11-26", True),  # Thanksgiving: announced the evening before
        ("2026-11-27", False),  # nothing on Thanksgiving evening
        ("2026-11-30", True),
        ("2026-07-03", True),
        ("2026-07-06", False),  # Friday the 3rd had no deadline, so Sunday has no announcement
        ("2026-12-28", False),
        ("2026-12-30", False),
        ("2026-12-31", True),
        ("2027-01-01", False),
        ("2025-12-31", False),
        ("2025-07-07", False),
    ],
)
def test_days_with_papers(day: str, papers: bool) -> None:
    assert calendar.feed_day(date.fromisoformat(day)) is papers


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-03-06T04:59", "2026-03-05"),  # EST
        ("2026-03-06T05:00", "2026-03-06"),
        ("2026-03-09T03:59", "2026-03-08"),  # EDT since Sunday 2026-03-08
        ("2026-03-09T04:00", "2026-03-09"),
        ("2026-10-30T04:00", "2026-10-30"),  # EDT
        ("2026-11-02T04:59", "2026-11-01"),  # EST since Sunday 2026-11-01
        ("2026-11-02T05:00", "2026-11-02"),
    ],
)
def test_a_list_stands_from_midnight_in_new_york(at: str, day: str) -> None:
    assert calendar.today(datetime.fromisoformat(at).replace(tzinfo=UTC)) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("day", "evening"),
    [
        ("2026-03-06", "2026-03-06T01:00"),
        ("2026-03-09", "2026-03-09T00:00"),  # the evening of the day on which clocks went forward
        ("2026-10-30", "2026-10-30T00:00"),
        ("2026-11-02", "2026-11-02T01:00"),  # … and back
    ],
)
def test_announcements_come_at_eight_in_the_evening(day: str, evening: str) -> None:
    assert calendar.announced(date.fromisoformat(day)) == datetime.fromisoformat(evening).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-03-09T05:59", "2026-03-06"),  # Monday 01:59 EDT: Friday's is the newest that must be there
        ("2026-03-09T06:00", "2026-03-09"),
        ("2026-11-02T06:59", "2026-10-30"),
        ("2026-11-02T07:00", "2026-11-02"),
        ("2026-11-28T12:00", "2026-11-26"),
    ],
)
def test_a_list_is_late_two_hours_after_midnight(at: str, day: str) -> None:
    assert calendar.due(datetime.fromisoformat(at).replace(tzinfo=UTC)) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("2026-05-02T09:00", "arXiv announces nothing on Saturdays."),
        ("2026-05-03T09:00", "arXiv announces nothing on Sundays before the evening."),
        ("2026-05-04T02:00", "arXiv announces nothing on Sundays before the evening."),  # still Sunday in New York
        ("2026-05-04T09:00", ""),
        ("2026-11-27T12:00", "arXiv announces nothing over Thanksgiving."),
        ("2026-07-06T12:00", "arXiv announces nothing over Independence Day."),
        ("2026-12-30T12:00", "arXiv announces nothing over the winter break."),
    ],
)
def test_it_says_why_there_is_nothing(at: str, why: str) -> None:
    assert calendar.rests(datetime.fromisoformat(at).replace(tzinfo=UTC)) == why


def test_holidays_of_years_that_are_not_published_are_those_of_every_year() -> None:
    names = {name: day for day, name in holidays(2031).items()}
    assert names["Thanksgiving"] == date(2031, 11, 27)
    assert names["Labor Day"] == date(2031, 9, 1)
    assert names["Martin Luther King Day"] == date(2031, 1, 20)
    assert calendar.unsure(date(2031, 12, 30))
    assert not calendar.unsure(date(2031, 12, 23))


def test_no_week_of_ten_years_is_without_a_list() -> None:
    day = date(2025, 1, 6)
    while day < date(2035, 1, 1):
        assert sum(calendar.feed_day(day + timedelta(days=n)) for n in range(7)) >= 2
        day += timedelta(days=7)


def test_categories_in_all_their_forms() -> None:
    assert len(KNOWN) == 166  # 155 categories, and 11 archives that are none themselves
    assert category(" CS.cl ") == "cs.CL"
    assert category("arxiv:astro-ph.co") == "astro-ph.CO"
    assert asked(["cs.CL"]) == "cat:cs.CL"
    assert asked(["math", "hep-th"]) == "(cat:math OR cat:math.* OR cat:hep-th)"
    assert [set_of(name) for name in ("cs.AI", "hep-th", "astro-ph.CO", "cs", "physics", "physics.optics")] == [
        "cs:cs:AI",
        "physics:hep-th",
        "physics:astro-ph:CO",
        "cs",
        "physics:physics",
        "physics:physics:optics",
    ]
    assert covers(["cs"], "cs.CL")
    assert not covers(["cs.CL"], "cs")
    assert parts_of(["hep-th"]) == ()
    assert sum(map(len, parts_of(["cs"]))) == 40

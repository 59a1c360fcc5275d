"""Dates and gaps as people type them."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.day import Day
from bot.core.typed import Gap

MONDAY = date(2026, 12, 7)


@pytest.mark.parametrize(
    ("typed", "canonical", "meant"),
    [
        ("2026-12-24", "2026-12-24", "2026-12-24"),
        ("2026/12/24", "2026-12-24", "2026-12-24"),
        *((f"2026{dash}12{dash}24", "2026-12-24", "2026-12-24") for dash in "‐‑‒–—―−"),
        ("٢٠٢٦-١٢-٢٤", "2026-12-24", "2026-12-24"),
        ("２４．１２．２０２６", "2026-12-24", "2026-12-24"),
        ("24 Dec", "24 Dec", "2026-12-24"),
        ("24th of December", "24 Dec", "2026-12-24"),
        ("24. Dec", "24 Dec", "2026-12-24"),
        ("24 Dec 2026", "2026-12-24", "2026-12-24"),
        ("24-Dec-2026", "2026-12-24", "2026-12-24"),
        ("Dec 24", "24 Dec", "2026-12-24"),
        ("DEC. 24th, 2026", "2026-12-24", "2026-12-24"),
        ("until December 24", "24 Dec", "2026-12-24"),
        ("sept 3", "3 Sep", "2027-09-03"),
        ("1 may", "1 May", "2027-05-01"),
        ("24.12.2026", "2026-12-24", "2026-12-24"),
        ("24.12.26", "2026-12-24", "2026-12-24"),
        ("24. 12. 2026", "2026-12-24", "2026-12-24"),
        ("24.12.", "24 Dec", "2026-12-24"),
        ("24.12", "24 Dec", "2026-12-24"),
        ("03.04.2027", "2027-04-03", "2027-04-03"),
        ("24/12/2026", "2026-12-24", "2026-12-24"),
        ("12/24/2026", "2026-12-24", "2026-12-24"),
        ("12/24", "24 Dec", "2026-12-24"),
        ("5/5", "5 May", "2027-05-05"),
        ("7 Dec", "7 Dec", "2027-12-07"),
        ("6 Dec", "6 Dec", "2027-12-06"),
        ("29 Feb", "29 Feb", "2028-02-29"),
        ("monday", "monday", "2026-12-14"),
        ("next monday", "monday", "2026-12-14"),
        ("Tue", "tuesday", "2026-12-08"),
        ("on Sunday", "sunday", "2026-12-13"),
        ("tomorrow", "1 day", "2026-12-08"),
        ("2 weeks", "14 days", "2026-12-21"),
        ("in 2 weeks", "14 days", "2026-12-21"),
        ("a week", "7 days", "2026-12-14"),
        ("10 days", "10 days", "2026-12-17"),
        ("3d", "3 days", "2026-12-10"),
        ("٣ days", "3 days", "2026-12-10"),
        ("2031-12-07", "2031-12-07", "2031-12-07"),
    ],
)
def test_days(typed: str, canonical: str, meant: str) -> None:
    day = Day.read(typed)
    assert day == canonical
    assert Day.read(canonical) == day
    assert day.after(MONDAY).isoformat() == meant


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("31 Feb", "“31 Feb” is no date of the calendar"),
        ("31.11.", "is no date of the calendar"),
        ("2027-02-29", "is no date of the calendar"),
        ("0000-01-01", "is no date of the calendar"),
        ("0 Dec", "is no date of the calendar"),
        ("13/13/2026", "“13/13/2026” is no date of the calendar"),
        ("03/04/2026", "“03/04/2026” may be two dates; type 2026-04-03 or 2026-03-04"),
        ("3-4", "may be two dates; type 3 Apr or 4 Mar"),
        ("feb", "“feb” is no date; type it as 24 Dec"),
        ("today", "is no later date; type tomorrow"),
        ("0 days", "is no later date"),
        ("", "nothing is no date"),
        ("3", "“3” is no date"),
        ("26-12-24", "is no date;"),
        ("yesterday", "is no later date;"),
        ("-3 days", "is no date;"),
        ("next", "is no date;"),
        ("24 Foo", "is no date;"),
        ("24 Decembers", "is no date;"),
        ("NaN", "is no date;"),
        ("9" * 5000, "…” is no date;"),
        ("99999999 days", "is no date;"),
    ],
)
def test_no_days(typed: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        Day.read(typed)
    assert "type" in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("2026-12-06", "2026-12-06 is over; type a later date"),
        ("7 Dec 2026", "2026-12-07 is today; type a later date"),
        ("2031-12-08", "2031-12-08 is more than five years ahead"),
        ("300 weeks", "2100 days is more than five years ahead"),
        ("999999 days", "999999 days is more than five years ahead"),
    ],
)
def test_days_that_are_not_to_come(typed: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        Day.read(typed).after(MONDAY)


def test_the_29th_of_february_that_no_near_year_has() -> None:
    with pytest.raises(ValueError, match="29 Feb is more than five years ahead"):
        Day.read("29 Feb").after(date(2097, 3, 1))


@settings(deadline=None)
@given(st.text(), st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_any_text_is_a_later_date_or_refused(text: str, today: date) -> None:
    try:
        day = Day.read(text)
        assert Day.read(str(day)) == day
        found = day.after(today)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert today < found


@settings(deadline=None)
@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)), st.integers(1, 1700))
def test_every_later_date_reads_however_it_is_written(today: date, ahead: int) -> None:
    day = today + timedelta(days=ahead)
    for typed in (day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%d %B %Y}", f"{day:%b %d, %Y}", f"{ahead} days"):
        assert Day.read(typed).after(today) == day


@pytest.mark.parametrize(
    ("typed", "days"),
    [
        ("3", 3),
        ("3 days", 3),
        ("3d", 3),
        ("every 3 days", 3),
        ("1 day", 1),
        ("1 week", 7),
        ("a week", 7),
        ("2w", 14),
        ("4 weeks", 28),
        ("weekly", 7),
        ("none", 0),
        ("None", 0),
        ("0", 0),
        ("31", 31),
        ("٣", 3),
    ],
)
def test_gaps(typed: str, days: int) -> None:
    gap = Gap.read(typed)
    assert gap == days
    assert Gap.read(str(gap)) == gap


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("32", "“32” is too long; type 31 days at most, or none"),
        ("5 weeks", "“5 weeks” is too long"),
        ("999999999", "is too long"),
        ("-1", "“-1” is no number of days; type 3, 1 week or none"),
        ("−1", "is no number of days"),
        ("10^9", "“10^9” is no number of days"),
        ("NaN", "is no number of days"),
        ("feb", "is no number of days"),
        ("a", "is no number of days"),
        ("week", "is no number of days"),
        ("2.5 days", "is no number of days"),
        ("", "nothing is no number of days"),
    ],
)
def test_no_gaps(typed: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        Gap.read(typed)

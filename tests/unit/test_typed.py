"""Times, weekdays, zones and counts as people type them."""

import re
from zoneinfo import available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.typed import COUNT_LIMIT, Count, Gap, Strictness, Time, Weekdays, Zone, short_zone, words_for_weekdays


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("9", "09:00"),
        ("9am", "09:00"),
        ("9 AM", "09:00"),
        ("9:30 pm", "21:30"),
        ("9:30 p.m.", "21:30"),
        ("09:00", "09:00"),
        ("٠٩:٠٠", "09:00"),
        ("０９：３０", "09:30"),
        ("9h", "09:00"),
        ("9h30", "09:30"),
        ("9.30", "09:30"),
        ("12am", "00:00"),
        ("12 pm", "12:00"),
        ("12:30am", "00:30"),
        ("0", "00:00"),
        ("23:59", "23:59"),
        ("noon", "12:00"),
        ("Midnight", "00:00"),
        ("\u200f9:00 ", "09:00"),
    ],
)
def test_times(typed: str, right: str) -> None:
    assert Time.read(typed) == right


@pytest.mark.parametrize(
    "typed",
    [
        "25:00",
        "24:00",
        "24",
        "9:60",
        "9:5",
        "13pm",
        "0am",
        "scale",
        "-9",
        "",
        "9:30:10",
        "0900",
        "NaN",
        "½",
        "9 9",
    ],
)
def test_no_times(typed: str) -> None:
    with pytest.raises(ValueError, match="is no time of day; type it as 09:00") as caught:
        Time.read(typed)
    assert (typed or "nothing") in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "digits", "words"),
    [
        ("weekdays", "12345", "weekdays"),
        ("Weekdays", "12345", "weekdays"),
        ("daily", "1234567", "every day"),
        ("every day", "1234567", "every day"),
        ("Every  Day", "1234567", "every day"),
        *((f"Mon{dash}Fri", "12345", "weekdays") for dash in "-‐‑‒–—―−"),
        ("Mon – Fri", "12345", "weekdays"),
        ("1-5", "12345", "weekdays"),
        ("12345", "12345", "weekdays"),
        ("١-٥", "12345", "weekdays"),
        ("1", "1", "Mon"),
        ("7", "7", "Sun"),
        ("mon,wed", "13", "Mon, Wed"),
        ("wed, MON", "13", "Mon, Wed"),
        ("mon wed", "13", "Mon, Wed"),
        ("mon and wed", "13", "Mon, Wed"),
        ("Mondays & Thursdays", "14", "Mon, Thu"),
        ("tue/thurs", "24", "Tue, Thu"),
        ("mo, we-fr", "1345", "Mon, Wed, Thu, Fri"),
        ("fri-mon", "1567", "Mon, Fri, Sat, Sun"),
        ("weekend", "67", "weekend"),
        ("weekdays and sat", "123456", "Mon–Sat"),
        ("sat", "6", "Sat"),
        ("Sunday", "7", "Sun"),
        ("mon,mon", "1", "Mon"),
    ],
)
def test_weekdays(typed: str, digits: str, words: str) -> None:
    days = Weekdays.read(typed)
    assert days == digits
    assert days.words == words


@pytest.mark.parametrize(
    "typed",
    [
        "feb",
        "0",
        "8",
        "0-5",
        "1-8",
        "m",
        "t",
        "s",
        "",
        ",",
        "mon-",
        "-fri",
        "mon-wed-fri",
        "monkey",
        "2026",
        "📅",
        "12:00",
    ],
)
def test_no_weekdays(typed: str) -> None:
    with pytest.raises(ValueError, match="is no day of the week; type weekdays") as caught:
        Weekdays.read(typed)
    assert (typed or "nothing") in str(caught.value)


@settings(deadline=None)
@given(st.sets(st.integers(1, 7), min_size=1))
def test_words_for_weekdays_are_understood(days: set[int]) -> None:
    digits = "".join(map(str, sorted(days)))
    assert Weekdays.read(words_for_weekdays(digits)) == digits
    assert Weekdays.read(digits) == digits


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("BERLIN", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("São Paulo", "America/Sao_Paulo"),
        ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("UTC", "UTC"),
        ("utc", "UTC"),
        ("Singapore", "Singapore"),
        ("Etc/GMT+5", "Etc/GMT+5"),
        ("US/Pacific", "US/Pacific"),
        ("Australia/Lord_Howe", "Australia/Lord_Howe"),
    ],
)
def test_zones(typed: str, right: str) -> None:
    assert Zone.read(typed) == right


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("EST5", "EST5EDT"),
        ("Mars/Base", "type a city, such as Europe/Berlin"),
        ("Berln", "did you mean Europe/Berlin?"),
        ("Europe/Berln", "did you mean Europe/Berlin"),
        ("Asia/Berlin", "Europe/Berlin"),
        ("Istanbul", "Asia/Istanbul or Europe/Istanbul"),
        ("−04:00", "does not follow summer time; type a city"),
        ("-04:00", "does not follow summer time; type a city"),
        ("+0530", "does not follow summer time"),
        ("UTC+2", "does not follow summer time"),
        ("GMT+5", "does not follow summer time"),
        ("", "nothing"),
        ("localtime", "no time zone I know"),
        ("Factory", "no time zone I know"),
        ("../../etc/passwd", "no time zone I know"),
        ("x" * 5000, "…”"),
        ("\x00", "no time zone I know"),
    ],
)
def test_no_zones(typed: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        Zone.read(typed)
    assert len(str(caught.value)) < 200


def test_every_zone_reads_as_itself() -> None:
    names = available_timezones() - {"Factory", "localtime", "posixrules"}
    assert {name: str(Zone.read(name)) for name in names} == {name: name for name in names}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Europe/Berlin", "Berlin"),
        ("America/Argentina/Buenos_Aires", "Buenos Aires"),
        ("UTC", "UTC"),
        ("Etc/GMT+5", "Etc/GMT+5"),
    ],
)
def test_short_zone(name: str, short: str) -> None:
    assert short_zone(name) == short


@pytest.mark.parametrize("typed", ["1", "50", " 7 ", "+5", "٥", "５", "007"])
def test_counts(typed: str) -> None:
    assert 1 <= Count.read(typed) <= COUNT_LIMIT


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("0", "“0” is too few"),
        ("-1", "“-1” is too few"),
        ("−1", "“−1” is too few"),
        ("51", "“51” is too many"),
        ("1000000000", "“1000000000” is too many"),
        ("9" * 5000, "is too many"),
        ("10^9", "“10^9” is no whole number"),
        ("1e9", "is no whole number"),
        ("2.5", "“2.5” is no whole number"),
        ("1_0", "is no whole number"),
        ("NaN", "“NaN” is no whole number"),
        ("five", "is no whole number"),
        ("", "nothing is no whole number"),
    ],
)
def test_no_counts(typed: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        Count.read(typed)
    assert "from 1 to 50" in str(caught.value)


def test_strictness() -> None:
    assert [Strictness.read(word) for word in ("relaxed", " Normal", "STRICT")] == ["relaxed", "normal", "strict"]
    assert f"{Strictness.read('normal')}" == "normal"


@pytest.mark.parametrize("typed", ["NaN", "", "1", "very strict", "inf", "RELAX"])
def test_no_strictness(typed: str) -> None:
    with pytest.raises(ValueError, match="is no strictness; type relaxed, normal or strict") as caught:
        Strictness.read(typed)
    assert (typed or "nothing") in str(caught.value)


@settings(deadline=None)
@given(st.text(), st.sampled_from([Time, Weekdays, Zone, Count, Gap, Strictness]))
def test_any_text_is_read_or_refused_by_value_error(text: str, kind: type) -> None:
    try:
        value = kind.read(text)  # type: ignore[attr-defined]
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert kind.read(str(value)) == value  # type: ignore[attr-defined]

"""When a digest is due: examples of every kind of clock change, and lives of subscriptions in all zones."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.due import Schedule, after_change, due_on, latest_due, next_due

DAY, HOUR, MINUTE, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
ZONES = sorted(available_timezones() - {"Factory", "localtime", "posixrules"})
EVERY = "1234567"
TIMES = ["00:00", "00:30", "01:30", "02:00", "02:30", "03:00"]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def offset(zone: str, instant: datetime) -> timedelta:
    found = instant.astimezone(ZoneInfo(zone)).utcoffset()
    assert found is not None
    return found


@cache
def changes(zone: str) -> list[datetime]:
    """Return the instants from 1840 to 2040 at which a zone's offset changes, no two within three days."""
    found, start = [], at("1840-01-01")
    while start < at("2040-01-01"):
        before, after = start, start + 3 * DAY
        start = after
        if offset(zone, before) != offset(zone, after):
            while after - before > SECOND:
                middle = before + (after - before) // 2 // SECOND * SECOND
                same = offset(zone, middle) == offset(zone, before)
                before, after = (middle, after) if same else (before, middle)
            found.append(after)
    return found


def spans(zone: str, day: date) -> list[tuple[datetime, datetime, timedelta]]:
    """Return the stretches of one offset around a date: from, to, offset."""
    noon = datetime.combine(day, time(12), UTC)
    marks = [noon - 4 * DAY, *(c for c in changes(zone) if abs(c - noon) < 4 * DAY), noon + 4 * DAY]
    return [(start, end, offset(zone, start)) for start, end in pairwise(marks)]


def expected(schedule: Schedule, day: date) -> datetime | None:
    """Find by going through the stretches what due_on should say."""
    start = datetime.combine(day, time.min, UTC)
    parts = spans(schedule.time_zone, day)
    if not any(a + o < start + DAY and b + o > start for a, b, o in parts):
        return None
    wall = datetime.combine(day, time.fromisoformat(schedule.at), UTC)
    first = next(max(a, wall - o) for a, b, o in parts if b + o > wall)
    if (first + offset(schedule.time_zone, first)).date() == day:
        return first
    minutes = (wall - step * MINUTE for step in range(24 * 60))
    return next(minute - o for minute in minutes for a, b, o in parts if a + o <= minute < b + o)


def run(schedule: Schedule, start: datetime, end: datetime) -> list[tuple[date, datetime]]:
    """Return what successive calls of next_due give."""
    found: list[tuple[date, datetime]] = []
    upcoming = next_due(schedule, start)
    while upcoming[1] <= end:
        found.append(upcoming)
        upcoming = next_due(schedule, upcoming[1], upcoming[0])
    return found


def local(zone: str, day: date, clock: str) -> str:
    due = due_on(Schedule(clock, EVERY, zone), day)
    return due.astimezone(ZoneInfo(zone)).strftime("%d %H:%M %z") if due else "none"


@pytest.mark.parametrize("clock", TIMES)
@pytest.mark.parametrize(
    ("zone", "spring", "autumn"),
    [
        ("Europe/Berlin", "2026-03-29", "2026-10-25"),
        ("US/Pacific", "2026-03-08", "2026-11-01"),
        ("Australia/Lord_Howe", "2026-10-04", "2026-04-05"),
        ("Africa/Cairo", "2026-04-24", "2026-10-30"),
        ("America/St_Johns", "2026-03-08", "2026-11-01"),
        ("America/St_Johns", "2010-03-14", "2010-11-07"),
        ("America/Nuuk", "2026-03-29", "2026-10-25"),
        ("Africa/Casablanca", "2026-03-22", "2026-02-15"),
        ("Asia/Beirut", "2026-03-29", "2026-10-25"),
        ("Antarctica/Troll", "2026-03-29", "2026-10-25"),
        ("Asia/Tehran", "2022-03-22", "2022-09-22"),
        ("America/Havana", "2026-03-08", "2026-11-01"),
    ],
)
def test_one_digest_a_date_over_both_changes(zone: str, spring: str, autumn: str, clock: str) -> None:
    for day in (date.fromisoformat(spring), date.fromisoformat(autumn)):
        noon = datetime.combine(day, time(12), UTC)
        assert any(abs(change - noon) < 2 * DAY for change in changes(zone)), "the example has no change of clocks"
        schedule = Schedule(clock, EVERY, zone)
        dates = [day for day, _ in run(schedule, noon - 5 * DAY, noon + 5 * DAY)]
        assert [(b - a).days for a, b in pairwise(dates)] == [1] * (len(dates) - 1)
        assert len(dates) in (10, 11)


@pytest.mark.parametrize(
    ("zone", "day", "clock", "right"),
    [
        ("Europe/Berlin", "2026-03-29", "01:30", "29 01:30 +0100"),
        ("Europe/Berlin", "2026-03-29", "02:00", "29 03:00 +0200"),
        ("Europe/Berlin", "2026-03-29", "02:30", "29 03:00 +0200"),
        ("Europe/Berlin", "2026-03-29", "03:00", "29 03:00 +0200"),
        ("Europe/Berlin", "2026-10-25", "02:30", "25 02:30 +0200"),
        ("Europe/Berlin", "2026-10-25", "03:00", "25 03:00 +0100"),
        ("US/Pacific", "2026-11-01", "01:30", "01 01:30 -0700"),
        ("Australia/Lord_Howe", "2026-10-04", "02:00", "04 02:30 +1100"),
        ("Australia/Lord_Howe", "2026-04-05", "01:30", "05 01:30 +1100"),
        ("Africa/Cairo", "2026-04-24", "00:00", "24 01:00 +0300"),
        ("Africa/Cairo", "2026-04-24", "00:30", "24 01:00 +0300"),
        ("Africa/Cairo", "2026-10-29", "23:30", "29 23:30 +0300"),
        ("Asia/Beirut", "2026-03-29", "00:00", "29 01:00 +0300"),
        ("America/St_Johns", "2010-03-14", "00:30", "14 01:01 -0230"),
        ("America/St_Johns", "2010-11-07", "00:00", "07 00:00 -0230"),
        ("America/Nuuk", "2026-03-28", "23:30", "28 22:59 -0200"),
        ("America/Nuuk", "2026-03-29", "00:00", "29 00:00 -0100"),
        ("Antarctica/Troll", "2026-03-29", "01:30", "29 03:00 +0200"),
        ("Antarctica/Troll", "2026-10-25", "01:30", "25 01:30 +0200"),
        ("Pacific/Apia", "2011-12-29", "23:59", "29 23:59 -1000"),
        ("Pacific/Apia", "2011-12-30", "09:00", "none"),
        ("Pacific/Apia", "2011-12-31", "00:00", "31 00:00 +1400"),
        ("Pacific/Kwajalein", "1993-08-21", "09:00", "none"),
        ("Pacific/Kiritimati", "1994-12-31", "00:00", "none"),
        ("Pacific/Kiritimati", "1995-01-01", "00:00", "01 00:00 +1400"),
        ("Asia/Manila", "1844-12-31", "09:00", "none"),
        ("Pacific/Kwajalein", "1969-09-30", "12:00", "30 12:00 +1100"),
    ],
)
def test_due_on(zone: str, day: str, clock: str, right: str) -> None:
    assert local(zone, date.fromisoformat(day), clock) == right


def test_weekdays_and_gap() -> None:
    start = at("2026-12-02T12:00")  # a Wednesday
    days = [day.isoformat()[5:] for day, _ in run(Schedule("09:00", "15", "UTC"), start, start + 12 * DAY)]
    assert days == ["12-04", "12-07", "12-11", "12-14"]
    days = [day.isoformat()[5:] for day, _ in run(Schedule("09:00", "15", "UTC", gap=4), start, start + 12 * DAY)]
    assert days == ["12-04", "12-11"]
    days = [day.isoformat()[5:] for day, _ in run(Schedule("09:00", EVERY, "UTC", gap=3), start, start + 12 * DAY)]
    assert days == ["12-03", "12-06", "12-09", "12-12"]


def test_a_chosen_date_that_is_skipped_waits_for_the_next_week() -> None:
    friday = Schedule("09:00", "5", "Pacific/Apia")
    dates = [day for day, _ in run(friday, at("2011-12-20"), at("2012-01-08"))]
    assert dates == [date(2011, 12, 23), date(2012, 1, 6)]


def test_bounds() -> None:
    daily = Schedule("09:00", EVERY, "UTC")
    now = at("2026-12-02T12:00")
    assert next_due(daily, now, not_before=date(2026, 12, 24)) == (date(2026, 12, 24), at("2026-12-24T09:00"))
    assert next_due(daily, now, last=date(2026, 12, 9))[0] == date(2026, 12, 10)
    assert next_due(daily, at("2026-12-02T09:00"))[0] == date(2026, 12, 3), "it is due later than `after`"
    assert latest_due(daily, at("2026-12-02T09:00")) == date(2026, 12, 2)
    assert latest_due(daily, at("2026-12-02T08:59")) == date(2026, 12, 1)
    assert latest_due(daily, now, last=date(2026, 12, 2)) is None
    assert latest_due(daily, now, not_before=date(2026, 12, 3)) is None
    assert latest_due(replace(daily, gap=5), now, last=date(2026, 11, 28)) is None
    assert latest_due(replace(daily, weekdays="1"), now) == date(2026, 11, 30)


def test_the_ends_of_the_calendar() -> None:
    daily = Schedule("23:30", EVERY, "US/Pacific")
    assert due_on(daily, date.max) is None
    assert due_on(Schedule("00:00", EVERY, "Asia/Tokyo"), date.min) is None
    assert next_due(daily, at("9999-12-30T12:00"))[0] == date(9999, 12, 30)
    for last in (date(9999, 12, 30), date.max):
        with pytest.raises(ValueError, match="no date is left"):
            next_due(daily, at("9999-12-31"), last)
        assert latest_due(replace(daily, gap=31), at("9999-12-31T12:00"), last) is None
    assert latest_due(Schedule("09:00", EVERY, "UTC"), at("9999-12-31T12:00")) == date.max
    with pytest.raises(ValueError, match="no date is left"):
        next_due(replace(daily, weekdays=""), at("2026-12-02"))
    assert latest_due(replace(daily, weekdays=""), at("2026-12-02")) is None


def test_a_machine_that_slept_catches_up_once() -> None:
    daily = Schedule("09:00", "12345", "Europe/Berlin")
    woke = at("2026-12-07T06:00")  # Monday morning; last sent on Tuesday
    assert latest_due(daily, woke, date(2026, 12, 1)) == date(2026, 12, 4)
    assert next_due(daily, woke, date(2026, 12, 4))[0] == date(2026, 12, 7)


NINE = Schedule("09:00", EVERY, "Europe/Berlin")
CHANGED = at("2026-12-02T12:00")  # 13:00 in Berlin


@pytest.mark.parametrize(
    ("new", "old_due", "now", "last", "right"),
    [
        # made at noon, so tomorrow is the first: an earlier time gives none today, a later time gives it today
        (replace(NINE, at="12:30"), "2026-12-03T08:00", CHANGED, None, "2026-12-03T11:30"),
        (replace(NINE, at="14:00"), "2026-12-03T08:00", CHANGED, None, "2026-12-02T13:00"),
        # had today's: none again, whatever the time or zone
        (replace(NINE, at="18:00"), "2026-12-03T08:00", CHANGED, "2026-12-02", "2026-12-03T17:00"),
        (replace(NINE, time_zone="US/Hawaii"), "2026-12-03T08:00", CHANGED, "2026-12-02", "2026-12-03T19:00"),
        (replace(NINE, time_zone="Pacific/Auckland"), "2026-12-03T08:00", CHANGED, "2026-12-02", "2026-12-02T20:00"),
        # today's is still owed: at once if its new time has passed
        (replace(NINE, at="07:00"), "2026-12-02T08:00", at("2026-12-02T07:00"), "2026-12-01", "2026-12-02T06:00"),
        (replace(NINE, at="11:00"), "2026-12-02T08:00", at("2026-12-02T07:00"), "2026-12-01", "2026-12-02T10:00"),
        (
            replace(NINE, time_zone="Pacific/Kiritimati"),
            "2026-12-02T08:00",
            at("2026-12-02T07:00"),
            "2026-12-01",
            "2026-12-01T19:00",
        ),
        # no longer chosen, or too soon
        (replace(NINE, weekdays="5"), "2026-12-02T08:00", at("2026-12-02T07:00"), "2026-12-01", "2026-12-04T08:00"),
        (replace(NINE, gap=7), "2026-12-02T08:00", at("2026-12-02T07:00"), "2026-12-01", "2026-12-08T08:00"),
        # was paused
        (NINE, None, CHANGED, "2026-11-01", "2026-12-03T08:00"),
    ],
)
def test_after_change(new: Schedule, old_due: str | None, now: datetime, last: str | None, right: str) -> None:
    old_instant = at(old_due) if old_due else None
    day, due = after_change(NINE, new, old_instant, now, date.fromisoformat(last) if last else None)
    assert due == at(right)
    assert due_on(new, day) == due


def test_a_change_of_one_date_that_its_new_zone_skips() -> None:
    old = Schedule("09:00", EVERY, "Pacific/Pago_Pago")
    now = at("2011-12-30T12:00")
    day, _ = after_change(old, replace(old, time_zone="Pacific/Apia"), at("2011-12-30T20:00"), now, date(2011, 12, 29))
    assert day == date(2011, 12, 31)


clocks = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
near_midnight = st.sampled_from(["00:00", "00:01", "00:30", "23:00", "23:30", "23:59"])
weekdays = st.one_of(
    st.just(EVERY), st.sets(st.integers(1, 7), min_size=1).map(lambda days: "".join(map(str, sorted(days))))
)


@st.composite
def moments(draw: st.DrawFn, zone: str) -> datetime:
    """Draw an instant near a change of a zone's clocks, or any one where they never change."""
    known = changes(zone)
    base = draw(st.sampled_from(known[::-1])) if known else at("2026-01-01")
    return base + draw(st.integers(-4 * 24 * 60, 4 * 24 * 60)) * MINUTE


@st.composite
def schedules(draw: st.DrawFn, gap: int = 0) -> tuple[Schedule, datetime]:
    """Draw a schedule, often at a time that a change touches, and an instant near that change."""
    zone = draw(st.sampled_from(ZONES))
    moment = draw(moments(zone))
    known = [change for change in changes(zone) if abs(change - moment) <= 4 * DAY]
    touched = [clocks, near_midnight]
    if known:
        walls = [(known[0] + side).astimezone(ZoneInfo(zone)) for side in (-SECOND, SECOND)]
        touched.append(
            st.builds(
                lambda wall, minutes: (wall + minutes * MINUTE).strftime("%H:%M"),
                st.sampled_from(walls),
                st.integers(-70, 70),
            )
        )
    return Schedule(draw(st.one_of(*touched[::-1])), draw(weekdays), zone, gap), moment


@settings(deadline=None, max_examples=250)
@given(schedules())
def test_due_on_in_every_zone(drawn: tuple[Schedule, datetime]) -> None:
    schedule, moment = drawn
    days = [moment.date() + step * DAY for step in range(-2, 3)]
    assert [due_on(schedule, day) for day in days] == [expected(schedule, day) for day in days]


@settings(deadline=None, max_examples=150)
@given(schedules(), st.integers(0, 9))
def test_every_chosen_date_comes_once_and_in_order(drawn: tuple[Schedule, datetime], gap: int) -> None:
    schedule, start = drawn
    schedule = replace(schedule, gap=gap)
    given_dates = run(schedule, start, start + 40 * DAY)
    assert all(a[1] < b[1] and a[0] < b[0] for a, b in pairwise(given_dates))
    right: list[date] = []
    for day in (start.date() + step * DAY for step in range(-2, 45)):
        due = expected(schedule, day)
        chosen = str(day.isoweekday()) in schedule.weekdays
        late_enough = not right or (day - right[-1]).days >= gap
        if chosen and due is not None and start < due <= start + 40 * DAY and late_enough:
            right.append(day)
    assert [day for day, _ in given_dates] == right


@settings(deadline=None, max_examples=150)
@given(schedules(), st.integers(0, 60 * 24 * 30))
def test_one_catch_up_takes_all_that_was_missed(drawn: tuple[Schedule, datetime], minutes: int) -> None:
    schedule, start = drawn
    woke = start + minutes * MINUTE
    first, due = next_due(schedule, start)
    missed = run(schedule, start, woke)
    assert latest_due(schedule, woke, first - DAY) == (missed[-1][0] if missed else None)
    assert (due <= woke) == bool(missed)
    if missed:
        day, due = next_due(schedule, woke, missed[-1][0])
        assert due > woke
        assert next_due(schedule, missed[-1][1], missed[-1][0]) == (day, due), "none is left out after a catch-up"


@dataclass
class Life:
    """A subscription and its planner, whose clock the test moves."""

    schedule: Schedule
    now: datetime
    last: date | None = None
    sent: list[tuple[date, datetime]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.day, self.due = next_due(self.schedule, self.now)

    def tick(self) -> None:
        """Plan as the planner does, once."""
        if self.due > self.now:
            return
        day = latest_due(self.schedule, self.now, self.last)
        assert day is not None
        assert day >= self.day, "what was owed is in the catch-up"
        self.sent.append((day, self.now))
        self.last = day
        self.day, self.due = next_due(self.schedule, self.now, day)
        assert self.due > self.now
        assert self.day > day

    def awake(self, hours: int) -> None:
        end = self.now + hours * HOUR
        self.tick()
        while self.due <= end:
            self.now = self.due
            self.tick()
        self.now = end

    def sleep(self, hours: int) -> None:
        self.now += hours * HOUR
        self.tick()
        self.tick()  # a restart just after plans nothing more

    def change(self, new: Schedule) -> None:
        self.day, self.due = after_change(self.schedule, new, self.due, self.now, self.last)
        self.schedule = new
        assert self.last is None or self.day > self.last
        assert due_on(new, self.day) == self.due


hours = st.integers(1, 50)
zone_or_clock = st.one_of(
    st.builds(lambda at: {"at": at}, clocks), st.builds(lambda z: {"time_zone": z}, st.sampled_from(ZONES))
)
any_change = st.one_of(
    zone_or_clock,
    st.builds(lambda days: {"weekdays": days}, weekdays),
    st.builds(lambda gap: {"gap": gap}, st.integers(0, 9)),
)


def live(drawn: tuple[Schedule, datetime], events: list[tuple[str, object]]) -> Life:
    life = Life(*drawn)
    for kind, value in events:
        if kind == "change":
            life.change(replace(life.schedule, **value))  # type: ignore[arg-type]
            life.tick()
        else:
            getattr(life, kind)(value)
    return life


@settings(deadline=None, max_examples=150)
@given(
    schedules(),
    st.lists(
        st.one_of(
            st.tuples(st.just("awake"), hours),
            st.tuples(st.just("sleep"), st.integers(1, 24 * 20)),
            st.tuples(st.just("change"), any_change),
        ),
        max_size=12,
    ),
)
def test_no_date_comes_twice_in_a_whole_life(
    drawn: tuple[Schedule, datetime], events: list[tuple[str, object]]
) -> None:
    life = live(drawn, events)
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(life.sent))


@settings(deadline=None, max_examples=150)
@given(
    schedules(),
    st.lists(st.one_of(st.tuples(st.just("awake"), hours), st.tuples(st.just("change"), zone_or_clock)), max_size=12),
)
def test_a_change_of_time_or_zone_loses_no_date(
    drawn: tuple[Schedule, datetime], events: list[tuple[str, object]]
) -> None:
    schedule, start = drawn
    life = live((replace(schedule, weekdays=EVERY), start), events)
    zones = {
        schedule.time_zone,
        *(value["time_zone"] for _, value in events if isinstance(value, dict) and "time_zone" in value),
    }
    for (before, _), (after, _) in pairwise(life.sent):
        between = [before + step * DAY for step in range(1, (after - before).days)]
        for day in between:
            assert any(expected(Schedule("12:00", EVERY, zone), day) is None for zone in zones)


@settings(deadline=None, max_examples=100)
@given(schedules(), st.lists(hours, max_size=12))
def test_awake_and_unchanged_each_date_comes_on_time(drawn: tuple[Schedule, datetime], stretches: list[int]) -> None:
    schedule, start = drawn
    life = live(drawn, [("awake", stretch) for stretch in stretches])
    assert life.sent == run(schedule, start, life.now)

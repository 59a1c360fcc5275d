"""How fast messages go out: limits hold, bulk uses them up, answers find room, and nothing is remembered for long."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.limits import IDLE_KEPT, Limiter, place_of
from bot.core.ports import Limits
from bot.core.request import Address

RATES = st.floats(0.2, 200)


def to(channel: str, workspace: str = "lab") -> Address:
    return Address("post", workspace, "ada", channel)


def send_all(limiter: Limiter, addresses: list[Address], *, now: float = 0.0) -> list[float]:
    """Send one after another, each as soon as it may be, and return when each went out."""
    times = []
    for address in addresses:
        while (wait := limiter.reserve(address, now)) > 0:
            now += wait
        times.append(now)
    return times


def test_a_place_is_a_channel_or_a_person() -> None:
    assert place_of(Address("post", "lab", "ada", "c1")) == place_of(Address("post", "lab", "bob", "c1"))
    assert place_of(Address("post", "lab", "ada")) != place_of(Address("post", "lab", "bob"))
    assert place_of(Address("post", "lab", "ada")) != place_of(Address("post", "lab", "", "ada"))
    assert place_of(Address("post", "one", "", "c")) != place_of(Address("post", "two", "", "c"))


@settings(deadline=None)
@given(
    rate=RATES,
    share=st.sampled_from([1.0, 0.5, 1 / 3]),
    steps=st.lists(st.tuples(st.floats(0, 2), st.integers(0, 5)), min_size=1, max_size=120),
)
def test_no_second_holds_more_than_the_rate(rate: float, share: float, steps: list[tuple[float, int]]) -> None:
    limiter = Limiter(Limits(a_second=rate, to_one=math.inf), share)
    now, taken = 0.0, []
    for wait, channel in steps:
        now += wait
        taken += [now] * (limiter.reserve(to(str(channel)), now) == 0)
    most = max(1, math.ceil(rate * share))
    for first, start in enumerate(taken):
        assert sum(time < start + 1.0 for time in taken[first:]) <= most


def test_a_rest_is_no_reason_to_send_more() -> None:
    limiter = Limiter(Limits(a_second=50))
    times = send_all(limiter, [to(str(number)) for number in range(200)], now=1000.0)
    assert max(sum(start <= time < start + 1 for time in times) for start in times) == 50


@settings(deadline=None)
@given(rate=RATES, one=st.floats(0.1, 5), count=st.integers(2, 60), share=st.sampled_from([1.0, 0.5]))
def test_one_destination_gets_its_own_pace(rate: float, one: float, count: int, share: float) -> None:
    limiter = Limiter(Limits(a_second=rate, to_one=one), share)
    times = send_all(limiter, [to("c")] * count)
    burst = max(1.0, one * share * 0.4)
    for first in range(count):
        for last in range(first, count):
            assert last - first + 1 <= one * share * (times[last] - times[first]) + burst + 1e-6


@settings(max_examples=40, deadline=None)
@given(rate=RATES)
@example(rate=0.2)
@example(rate=200)
def test_the_rate_is_reached(rate: float) -> None:
    times = send_all(Limiter(Limits(a_second=rate)), [to(str(number)) for number in range(2000)])
    assert 1999 / (times[-1] - times[0]) >= 0.96 * rate


@settings(max_examples=20, deadline=None)  # each is a minute of sending
@given(late=st.floats(0, 0.015))
@example(late=0.0)
@example(late=0.015)
def test_47_of_50_are_reached_though_every_timer_is_late(late: float) -> None:
    limiter, now, sent = Limiter(Limits(a_second=50)), 0.0, 0
    while now < 60:
        wait = limiter.reserve(to(str(sent)), now)
        sent += wait == 0
        now += wait + late if wait else 0.0
    assert sent >= 0.95 * 50 * 60


def test_workspaces_have_limits_of_their_own_where_the_platform_says_so() -> None:
    limiter = Limiter(Limits(a_second=1, per_workspace=True))
    assert limiter.can(1, 0.0) > 100  # it is not known how many workspaces there are
    assert limiter.reserve(to("a", "one"), 0.0) == 0
    assert limiter.reserve(to("b", "one"), 0.0) > 0
    assert limiter.reserve(to("a", "two"), 0.0) == 0
    limiter.told(to("a", "one"), 60, True, 0.0)
    assert limiter.reserve(to("c", "one"), 30.0) > 29
    assert limiter.reserve(to("c", "two"), 30.0) == 0


def test_what_the_platform_told_holds_for_a_destination() -> None:
    limiter = Limiter(Limits())
    limiter.told(to("c"), 60, False, 0.0)
    assert limiter.pause(to("c"), 0.0) >= 60
    assert limiter.reserve(to("c"), 59.0) >= 1
    assert limiter.reserve(to("d"), 59.0) == 0
    limiter.told(to("c"), 1, False, 0.0)  # an older and shorter word changes nothing
    assert limiter.reserve(to("c"), 59.0) >= 1
    assert limiter.reserve(to("c"), 61.0) == 0


def test_what_the_platform_told_holds_everywhere() -> None:
    limiter = Limiter(Limits(a_second=10))
    assert limiter.can(30, 0.0) == 304  # three hundred less a little, and what a rest has left
    limiter.told(to("c"), 20, True, 0.0)
    limiter.told(to("c"), 1, True, 0.0)  # a shorter word changes nothing
    assert limiter.reserve(to("d"), 1.0) >= 19
    assert (limiter.can(30, 0.0), limiter.can(30, 10.0), limiter.can(10, 0.0)) == (108, 206, 0)
    times = send_all(limiter, [to(str(number)) for number in range(20)], now=1.0)
    assert times[0] >= 20
    assert times[-1] - times[0] >= 1


@pytest.mark.parametrize("after", [0.0, -5.0, math.nan])
def test_a_word_that_says_nothing_is_not_heard(after: float) -> None:
    limiter = Limiter(Limits())
    limiter.told(to("c"), after, False, 0.0)
    limiter.told(to("c"), after, True, 0.0)
    limiter.told_left(to("c"), 0, after, 0.0)
    limiter.told_left(to("c"), 3, 60, 0.0)
    assert limiter.reserve(to("c"), 0.0) == 0


def test_a_bucket_that_is_used_up_waits_for_its_reset() -> None:
    limiter = Limiter(Limits())
    limiter.told_left(to("c"), 0, 5.0, 0.0)
    assert limiter.reserve(to("c"), 4.0) >= 1
    assert limiter.reserve(to("d"), 4.0) == 0


@pytest.mark.parametrize("limits", [Limits(math.inf, math.inf), Limits(1e9, 1e9)])
def test_no_limit_is_no_limit(limits: Limits) -> None:
    times = send_all(Limiter(limits), [to("c")] * 1000)
    assert times[-1] < 0.01


def test_a_limit_of_nothing_lets_nothing_pass_for_days() -> None:
    limiter = Limiter(Limits(a_second=0.0, to_one=0.0))
    send_all(limiter, [to("c")])
    assert limiter.reserve(to("d"), 86400.0) > 86400


def test_the_share_follows_the_processes() -> None:
    limiter = Limiter(Limits(a_second=30, to_one=math.inf))
    assert limiter.rate == 30
    limiter.share = 1 / 3
    assert limiter.rate == 10
    times = send_all(limiter, [to("c")] * 200)
    assert 199 / (times[-1] - times[0]) <= 10.5


def test_idle_destinations_are_forgotten() -> None:
    limiter = Limiter(Limits(a_second=math.inf))
    for number in range(20_000):
        limiter.reserve(to(str(number)), number / 1000)
    assert len(limiter._places) <= 3 * IDLE_KEPT


def test_a_closed_destination_is_not_forgotten() -> None:
    limiter = Limiter(Limits(a_second=math.inf))
    limiter.told(to("closed"), 1e6, False, 0.0)
    for number in range(5000):
        limiter.reserve(to(str(number)), number / 100)
    assert limiter.pause(to("closed"), 60.0) > 1e5

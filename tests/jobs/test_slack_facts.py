"""What Slack knows of people and channels, and getting into a channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.core.ports import Facts
from bot.core.request import HOME, Address
from bot.errors import Refused
from bot.platforms.slack import facts as module
from bot.platforms.slack.facts import Places, facts_of
from bot.platforms.slack.join import join
from tests.fakes.slack_lab import HELLO, Lab, opened


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


async def test_a_person_and_a_channel_are_known(lab: Lab) -> None:
    ada = lab.team.user("grace", tz="Europe/Berlin")
    channel = lab.team.channel("graphs", purpose="Graph learning", members=[ada, lab.team.bot_user])
    facts = await lab.places.about(Address("slack", lab.team.id, ada.id, channel.id))
    assert (facts.name, facts.purpose, facts.time_zone, facts.manages) == (
        "graphs",
        "Graph learning",
        "Europe/Berlin",
        False,
    )
    for alone in ("", HOME):
        facts = await lab.places.about(Address("slack", lab.team.id, ada.id, alone))
        assert (facts.name, facts.purpose, facts.time_zone) == ("grace", "", "Europe/Berlin")


PERSON = {"id": "U1", "team_id": "T1", "name": "ada", "tz": "Europe/London", "profile": {"display_name": "Ada"}}
CHANNEL = {"id": "C1", "name": "reading", "creator": "U2", "purpose": {"value": "a"}, "topic": {"value": "b"}}


@pytest.mark.parametrize(
    ("person", "channel", "manages"),
    [
        ({}, {}, False),
        ({"is_admin": True}, {}, True),
        ({"is_owner": True}, {}, True),
        ({"is_primary_owner": True}, {}, True),
        ({"is_admin": "yes"}, {}, False),
        ({}, {"creator": "U1"}, True),
        ({"is_admin": True, "team_id": "T2"}, {"creator": "U1"}, False),
        ({"is_admin": True, "team_id": None}, {}, False),
        ({"is_admin": True, "is_stranger": True}, {}, False),
        ({"is_admin": True, "deleted": True}, {}, False),
        ({"is_admin": True, "is_bot": True}, {}, False),
        ({"is_restricted": True}, {"creator": "U1"}, False),
        ({"is_ultra_restricted": True}, {"creator": "U1"}, False),
    ],
)
def test_who_manages(person: dict[str, Any], channel: dict[str, Any], manages: bool) -> None:
    facts = facts_of({**PERSON, **person}, {**CHANNEL, **channel}, Address("slack", "T1", "U1", "C1"))
    assert facts == Facts("reading", "a b", "Europe/London", manages)


def test_nothing_known_is_nothing_allowed() -> None:
    assert facts_of({}, {}, Address("slack", "T1", "", "C1")) == Facts()
    assert facts_of({}, {"creator": ""}, Address("slack", "T1", "", "C1")) == Facts()
    odd = {"team_id": "T1", "profile": 7, "tz": None, "name": 3, "real_name": "Ada L."}
    assert (
        facts_of(odd, {"name": None, "purpose": 7}, Address("slack", "T1", "U1", "C1")) == Facts()
    )  # a channel has no person's name


@pytest.mark.parametrize("fault", ["missing_scope", "ratelimited", 500, "drop", "garbage"])
async def test_what_slack_does_not_tell_is_empty_and_asked_again_soon(
    lab: Lab, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FAILED_FOR", 0.0)
    lab.slack.fail("users.info", fault)
    lab.slack.fail("conversations.info", fault)
    assert await lab.places.about(lab.here()) == Facts()
    assert (await lab.places.about(lab.here())).name == "reading"


async def test_a_workspace_without_the_app_is_empty(lab: Lab) -> None:
    assert await lab.places.about(Address("slack", "T0", lab.ada.id, lab.channel.id)) == Facts()


async def test_many_who_ask_at_once_are_one_call(lab: Lab) -> None:
    first = await asyncio.gather(*(lab.places.about(lab.here()) for _ in range(50)))
    assert len(set(first)) == 1
    await lab.places.about(lab.here())
    assert (len(lab.called("users.info")), len(lab.called("conversations.info"))) == (1, 1)


async def test_it_is_asked_again_after_a_while(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_FOR", -1.0)
    await lab.places.about(lab.direct)
    await lab.places.about(lab.direct)
    assert len(lab.called("users.info")) == 2


async def test_no_more_is_kept_than_makes_sense(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    people = [lab.team.user(f"u{n}") for n in range(5)]
    for one in (*people, people[0]):
        await lab.places.about(Address("slack", lab.team.id, one.id))
    assert len(lab.called("users.info")) == 6


async def test_whoever_stops_waiting_stops_nobody_else(lab: Lab) -> None:
    first, second = (asyncio.create_task(lab.places.about(lab.here())) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).name == "reading"
    await asyncio.gather(first, return_exceptions=True)


async def test_a_slack_that_hangs_holds_nobody_up(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    lab.slack.fail("users.info", "hang")
    places = Places(lab.calls)
    assert await places.about(lab.direct) == Facts()
    await places.close()


async def test_a_public_channel_is_joined_on_request(lab: Lab) -> None:
    channel = lab.team.channel("open", members=[lab.ada])
    await join(lab.calls, lab.places, lab.here(channel))
    await join(lab.calls, lab.places, lab.here(channel))
    assert len(lab.called("conversations.join")) == 1
    await lab.post.send(lab.here(channel), HELLO, "k")


async def test_where_it_is_already_or_needs_not_be_nothing_is_done(lab: Lab) -> None:
    for to in (lab.here(), lab.direct, Address("slack", lab.team.id, lab.ada.id, HOME)):
        await join(lab.calls, lab.places, to)
    assert not lab.called("conversations.join")


async def test_into_a_private_channel_it_has_to_be_invited(lab: Lab) -> None:
    secret = lab.team.channel("secret", members=[lab.ada], private=True)
    with pytest.raises(Refused, match=r"/invite @\w+ in that channel"):
        await join(lab.calls, lab.places, lab.here(secret))


async def test_an_archived_channel_is_named(lab: Lab) -> None:
    channel = lab.team.channel("old", members=[lab.ada])
    channel.archived = True
    with pytest.raises(Refused, match="#old is archived"):
        await join(lab.calls, lab.places, lab.here(channel))


@pytest.mark.parametrize(
    ("fault", "words"), [("missing_scope", "/invite"), ("too_many_members", "/invite"), (500, "Try again in a minute")]
)
async def test_what_cannot_be_joined_is_said_in_words(lab: Lab, fault: Any, words: str) -> None:
    channel = lab.team.channel("open", members=[lab.ada])
    lab.slack.fail("conversations.join", fault)
    with pytest.raises(Refused, match=words):
        await join(lab.calls, lab.places, lab.here(channel))

"""Nothing stays of what was sent, answered, asked in a form or pressed: discord.py keeps what has not been stopped."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import discord
import pytest

from bot.core.message import Button, Card, Form, Message
from bot.core.request import Address
from bot.errors import Unknown
from bot.platforms.discord import find, places, send
from tests.fakes.lab_discord import HELLO, opened
from tests.fakes.rig_discord import Rig

SENDS, OTHERS, AT_ONCE = 1000, 200, 20
FEW = 10  # things of a kind that come and go: connections and answers on their way
NEXT, LESS = Button("Next", "page:9c1:1"), Button("Less", "less:9c1:1")
LIST = Message("Two papers.", (Card("x:1", "A title", "https://a.example/1", 1, (), (LESS,)),), (NEXT,))
VIEWS = (discord.ui.View, discord.ui.LayoutView, discord.ui.Modal)


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    await made.open()
    made.fake.limits = False
    yield made
    await made.close()


def alive() -> Counter[type]:
    """Count what there is of discord.py and of the bot, by type."""
    gc.collect()
    kinds = Counter(type(one) for one in gc.get_objects())
    ours = ("discord.", "bot.")
    return Counter({kind: count for kind, count in kinds.items() if str(kind.__module__).startswith(ours)})


def views(there: Counter[type]) -> Counter[type]:
    """Return the views and modals among what there is."""
    return Counter({kind: count for kind, count in there.items() if issubclass(kind, VIEWS)})


def stored(client: discord.Client) -> int:
    """Count what discord.py keeps in order to call it when something is pressed."""
    store: Any = client._connection._view_store
    return sum(map(len, (store._views, store._synced_message_views, store._modals, store._dynamic_items)))


async def many(count: int, work: Callable[[int], Awaitable[object]]) -> None:
    """Do something so many times, some at once."""
    for first in range(0, count, AT_ONCE):
        await asyncio.gather(*(work(number) for number in range(first, first + AT_ONCE)))


async def nothing_stays(rig: Rig, work: Callable[[int], Awaitable[object]], count: int) -> None:
    """Do something often, and see that there is as much as after the first few times."""
    others = views(alive())
    await many(AT_ONCE, work)
    await rig.settled()
    rig.requests.clear()
    before, tasks = alive(), len(asyncio.all_tasks())
    await many(count, lambda number: work(number + AT_ONCE))
    await rig.settled()
    rig.requests.clear()
    after = alive()
    assert not {kind.__qualname__: more for kind, more in (after - before).items() if more > FEW}
    assert not views(after) - others
    assert not stored(rig.discord._link.client)
    assert not rig.discord._server._tasks
    assert len(asyncio.all_tasks()) <= tasks + FEW


async def test_of_a_thousand_digests_nothing_stays(rig: Rig) -> None:
    await nothing_stays(rig, lambda number: rig.discord.send(rig.here, LIST, f"digest:{number}"), SENDS)
    assert len(rig.channel.said) == SENDS + AT_ONCE
    # One for the channel, and one of its first request, when the name of its bucket was not known yet.
    assert len([key for key in rig.discord._link.client.http._buckets if rig.channel.id in key]) <= 2


async def test_of_answers_and_their_edits_nothing_stays(rig: Rig) -> None:
    rig.answers = lambda _request: (Message("Looking …", buttons=(NEXT,)), LIST)

    async def ask(number: int) -> None:
        seen = await rig.fake.slash(rig.ada, rig.channel, "search", {"words": f"x {number}"})
        await seen.until(lambda one: one.updates == 2)

    await nothing_stays(rig, ask, OTHERS)


async def test_of_forms_nothing_stays_whether_they_are_sent_or_not(rig: Rig) -> None:
    form = Message(form=Form("subscribe", {"topic": "robots"}, ("topic", "at")))
    rig.answers = lambda request: (LIST if request.values else form,)

    async def fill(number: int) -> None:
        seen = await rig.fake.slash(rig.ada, rig.channel, "subscribe")
        await seen.until()
        if number % 2:
            await (await rig.fake.submit(rig.ada, seen, {"topic": f"robots {number}"})).until()

    await nothing_stays(rig, fill, OTHERS)


async def test_of_presses_nothing_stays(rig: Rig) -> None:
    rig.answers = lambda _request: (LIST,)
    posted = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert posted.original is not None
    message = posted.original

    async def press(number: int) -> None:
        await (await rig.fake.press(rig.ada, message, ("Next", "Less")[number % 2])).until()

    await nothing_stays(rig, press, OTHERS)


async def test_a_view_that_is_not_stopped_stays(rig: Rig) -> None:
    others = views(alive())
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Next", custom_id=NEXT.action))
    channel = rig.discord._link.client.get_partial_messageable(int(rig.channel.id))
    await channel.send("A page.", view=view)
    assert stored(rig.discord._link.client) == 2
    assert views(alive()) - others == Counter({discord.ui.View: 1})
    view.stop()
    assert not stored(rig.discord._link.client)


async def test_what_is_remembered_of_people_and_looks_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "KEPT", 10)
    monkeypatch.setattr(send, "MOST_DIRECT", 10)
    monkeypatch.setattr(send, "OPENED_A_SECOND", 1e6)
    monkeypatch.setattr(find, "KEPT", 10)
    monkeypatch.setattr(find, "PAGE", 1)
    monkeypatch.setattr(find, "PAGES", 1)
    began = datetime.now(UTC)
    async with opened() as lab:
        lab.fake.limits = False
        for number in range(25):
            user = lab.fake.user(f"person {number}")
            lab.guild.join(user)
            await lab.post.send(Address("discord", "@me", user.id), HELLO, "a")
            await lab.places.about(lab.at(user=user))
            with pytest.raises(Unknown):
                await lab.post.find(Address("discord", "@me", user.id), "another", began)
            assert len(lab.post._direct) <= 10
            assert len(lab.places._kept) <= 10
            assert len(lab.post._looks._read) <= 10
        assert len(lab.post._looks._read) == len(lab.places._kept) == 10


async def test_limits_of_channels_are_forgotten_when_they_rest_five_minutes() -> None:
    """discord.py keeps a limit for each channel and, above 256, drops those that nothing used for five minutes."""
    async with opened() as lab:
        lab.fake.limits = False
        for number in range(300):
            await lab.post.send(lab.at(lab.guild.channel(f"room {number}")), HELLO, "a")
        kept = (await lab.link.ready()).http._buckets
        assert 300 <= len(kept) <= 310
        for limit in kept.values():
            limit._last_request -= 300
        await lab.post.send(lab.at(lab.guild.channel("another")), HELLO, "a")
        assert len(kept) <= 2

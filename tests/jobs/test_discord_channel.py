"""The digests of a channel on Discord, the whole way: who presses below them, and a forum that requires a tag."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import discord
import pytest
from sqlalchemy import select

from bot.core.timing import Timing
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.jobs.send import Sender
from bot.store import outbox, subscriptions, tables
from recommender.types import Paper
from tests.fakes.discord_wire.state import Message as Posted
from tests.fakes.rig_discord import shown
from tests.fakes.walk_discord import Walk, walking

DUE = datetime(2026, 12, 3, 9, 0, tzinfo=UTC)
NEW = [
    Paper(f"t:{number}", f"Attention number {number}", f"Attention keeps facts in model {number}.", ("Ada",))
    for number in range(5)
]


@pytest.fixture
async def walk() -> AsyncIterator[Walk]:
    async with walking() as made:
        made.bot.app.store.clock = lambda _conn: made.bot.at
        yield made


async def digest(walk: Walk) -> Posted:
    """Subscribe the channel, let papers come and the next digest be sent, and return it."""
    await planned(walk)
    await sent(walk)
    (posted,) = walk.rig.channel.said
    return posted


async def planned(walk: Walk) -> None:
    """Subscribe the channel, let papers come, and plan the next digest."""
    await walk.type("subscribe", topic="attention", into=walk.rig.channel, at="09:00", tz="UTC", on="daily")
    app = walk.bot.app
    ingest(app.store, NEW, "arxiv", walk.bot.at)
    walk.bot.at = DUE
    await Planner(app.store, app.library, app.settings, ["discord"]).tick()


async def sent(walk: Walk) -> None:
    """Send what is due, as a process does."""
    sender = Sender(walk.bot.app.store, {"discord": walk.rig.discord}, Timing(), "one")
    await sender.tick()
    await sender.drain(5)


def marks(walk: Walk) -> Sequence[tuple[str, str]]:
    """Return the name of each person who has marked a paper, and how, in order."""
    query = select(tables.owners.c.name, tables.marks.c.kind).order_by(tables.owners.c.name)
    with walk.bot.app.store.reading() as conn:
        rows = conn.execute(query.join(tables.marks, tables.marks.c.person_id == tables.owners.c.id))
        return [(name, kind) for name, kind in rows]


async def test_below_a_channels_digest_each_member_has_one_voice_after_a_restart_too(walk: Walk) -> None:
    posted = await digest(walk)
    said = posted.text
    assert "new papers for “attention”" in said
    await walk.restart()
    for user, label in (
        (walk.rig.bob, "More like this"),
        (walk.rig.bob, "More like this"),
        (walk.rig.ada, "More like this"),
        (walk.rig.bob, "Less"),
    ):
        seen = await walk.press(posted, label, user)
        assert seen.ephemeral
        assert "for #reading: “attention”" in shown(*seen.messages).text
    assert marks(walk) == [("Ada", "more"), ("Bob", "less")]
    assert seen.original is not None
    await walk.restart()
    undone = await walk.press(seen.original, "Undo", walk.rig.bob)
    assert "marked as before" in undone.text
    assert marks(walk) == [("Ada", "more"), ("Bob", "more")]
    assert [one.text for one in walk.rig.channel.said] == [said]
    assert not walk.rig.fake.pings


async def test_a_forum_that_requires_a_tag_is_subscribed_with_a_topic_that_is_one(walk: Walk) -> None:
    forum = walk.rig.guild.channel("papers", kind="forum")
    forum.set_tags(["Vision", "Attention"], required=True)
    refused = await walk.type("subscribe", topic="soup", into=forum)
    assert refused.ephemeral
    assert shown(*refused.messages).text.startswith(
        "The forum #papers requires a tag on each post, and none fits the topic. It has: Vision, Attention. "
        "Subscribe with one of them as a topic."
    )
    assert (await walk.type("subscriptions")).text.startswith("You follow nothing yet.")
    seen = await walk.type("subscribe", topic="attention", into=forum)
    assert "#papers follows “attention” now." in shown(*seen.messages).text


async def test_a_token_that_discord_does_not_know_holds_what_is_due_and_pauses_nobody(walk: Walk) -> None:
    await planned(walk)
    gateway = walk.rig.fake.gateway
    known, gateway.token = gateway.token, "another"
    gateway.drop(4004)
    with suppress(discord.ConnectionClosed):
        await walk.rig._running
    await sent(walk)
    store = walk.bot.app.store
    with store.reading() as conn:
        assert outbox.depth(conn, DUE).pending == 1
        assert [sub.paused_at for sub in subscriptions.everywhere(conn)] == [None]
    gateway.token = known
    await walk.restart()
    walk.bot.at += timedelta(hours=1)
    await sent(walk)
    assert [one.text.partition(" ")[0] for one in walk.rig.channel.said] == ["Good"]

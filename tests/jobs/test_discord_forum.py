"""Forums: a digest is a post with the forum's own tags, and a double of it does not stay."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import discord
import pytest

from bot.core.message import Message
from bot.errors import Refused, Retry, Uncertain, Unknown
from bot.platforms.discord import forum
from bot.platforms.discord.forum import tags_of
from bot.platforms.discord.marks import is_marked
from tests.fakes.discord_wire.state import Channel
from tests.fakes.lab_discord import HELLO, Lab, opened

THREADS = "/channels/*/threads"


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


@pytest.fixture
def papers(lab: Lab) -> Channel:
    return lab.guild.channel("papers", kind="forum")


def since() -> datetime:
    return datetime.now(UTC) - timedelta(minutes=5)


def tag(name: str, *, moderated: bool = False) -> discord.ForumTag:
    return discord.ForumTag(name=name, moderated=moderated)


@pytest.mark.parametrize(
    ("tags", "topics", "found"),
    [
        (["NLP", "Vision"], ["nlp"], ["NLP"]),
        (["Vision", "speculative  Decoding"], ["Speculative decoding"], ["speculative  Decoding"]),
        (["Decoding", "Vision"], ["speculative decoding"], ["Decoding"]),
        (["Graph Learning and more"], ["graph learning"], ["Graph Learning and more"]),
        (["Near decoding", "decoding"], ["decoding"], ["decoding", "Near decoding"]),
        (["a", "b", "c", "d", "e", "f"], ["a b c d e f"], ["a", "b", "c", "d", "e"]),
        (["Vision"], ["decoding"], []),
        (["Art"], ["smart cards"], []),
        (["Vision"], [], []),
        ([], ["vision"], []),
    ],
)
def test_tags_that_fit(tags: list[str], topics: list[str], found: list[str]) -> None:
    assert [one.name for one in tags_of(map(tag, tags), topics)] == found


def test_tags_of_moderators_are_left_out() -> None:
    assert tags_of([tag("nlp", moderated=True)], ["nlp"]) == []


async def test_a_digest_is_a_post_with_tags(lab: Lab, papers: Channel) -> None:
    papers.set_tags(["Vision", "Speculative Decoding"], required=True)
    taken = await lab.post.send(lab.at(papers), HELLO, "k")
    (post,) = papers.threads
    (shown,) = post.said
    assert taken.id == f"{post.id}:{shown.id}"
    assert post.name == "Good morning."
    assert post.applied == [papers.tags[1]["id"]]
    assert is_marked(shown["components"], "k")
    assert lab.fake.calls("POST", THREADS)[0].json["message"]["allowed_mentions"] == {"parse": []}
    await lab.post.send(lab.at(papers), HELLO, "l")
    assert len(lab.fake.calls("POST", "/channels/*/messages")) == 1  # it is known as a forum by now


async def test_a_required_tag_that_is_missing_is_refused(lab: Lab, papers: Channel) -> None:
    papers.set_tags(["Vision"], required=True)
    with pytest.raises(Refused, match="tag") as caught:
        await lab.post.send(lab.at(papers), HELLO, "k")
    assert caught.value.closed
    assert papers.threads == []


async def test_a_forum_where_nobody_may_post_is_refused(lab: Lab) -> None:
    mute = lab.guild.channel("mute", kind="forum", deny=["send_messages"])
    with pytest.raises(Refused, match="Create Posts"):
        await lab.post.send(lab.at(mute), HELLO, "k")


async def test_before_the_post_is_made_anything_may_be_tried_again(lab: Lab, papers: Channel) -> None:
    lab.fake.fail("GET", "/guilds/*", how="drop", times=2)
    with pytest.raises(Retry):
        await lab.post.send(lab.at(papers), HELLO, "k")
    assert not lab.fake.calls("POST", THREADS)
    await lab.post.send(lab.at(papers), HELLO, "k")


async def test_a_post_is_found(lab: Lab, papers: Channel) -> None:
    taken = await lab.post.send(lab.at(papers), HELLO, "k")
    await lab.post.send(lab.at(papers), Message("Another."), "l")
    assert await lab.post.find(lab.at(papers), "k", since()) == taken
    assert await lab.post.find(lab.at(papers), "m", since()) is None
    papers.threads[0].archived = True
    assert await lab.post.find(lab.at(papers), "k", since()) == taken


async def test_a_post_that_was_lost_is_uncertain_and_found(lab: Lab, papers: Channel) -> None:
    lab.fake.fail("POST", THREADS, how="reset", taken=True)
    with pytest.raises(Uncertain):
        await lab.post.send(lab.at(papers), HELLO, "k")
    assert await lab.post.find(lab.at(papers), "k", since()) is not None


@pytest.mark.parametrize("lack", ["read_message_history", "view_channel"])
async def test_nobody_can_tell_where_nobody_may_look(lab: Lab, papers: Channel, lack: str) -> None:
    await lab.post.send(lab.at(papers), HELLO, "k")
    papers.overwrite(lab.fake.bot, deny=[lack])
    lab.places._kept.clear()
    with pytest.raises(Unknown):
        await lab.post.find(lab.at(papers), "l", since())


@pytest.mark.parametrize("may", [True, False])
async def test_a_later_double_goes(lab: Lab, papers: Channel, may: bool) -> None:
    if may:
        papers.overwrite(lab.fake.bot, allow=["manage_threads"])
    first = await lab.post.send(lab.at(papers), HELLO, "k")
    await lab.post.send(lab.at(papers), HELLO, "k")
    assert await lab.post.find(lab.at(papers), "k", since()) == first
    shown = [one for post in papers.threads for one in post.said]
    assert [one.id for one in shown] == [first.id.partition(":")[2]]
    assert len(papers.threads) == (1 if may else 2)


async def test_a_double_that_discord_py_made_itself_goes_at_once(lab: Lab, papers: Channel) -> None:
    lab.fake.fail("POST", THREADS, status=500, taken=True)
    taken = await lab.post.send(lab.at(papers), HELLO, "k")
    shown = [one for post in papers.threads for one in post.said]
    assert [f"{one.id}:{one.id}" for one in shown] == [taken.id]


async def test_a_look_after_a_slow_post_may_fail(lab: Lab, papers: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forum, "REPEATED", 0.0)
    lab.fake.fail("GET", "/guilds/*/threads/active", how="drop")
    taken = await lab.post.send(lab.at(papers), HELLO, "k")
    assert taken.id.startswith(papers.threads[0].id)
    await asyncio.sleep(0)


async def test_posts_of_others_stay(lab: Lab, papers: Channel) -> None:
    await lab.post.send(lab.at(papers), HELLO, "k")
    papers.thread("of Ada", lab.ada)
    papers.thread("without words")
    assert await lab.post.find(lab.at(papers), "k", since()) is not None
    assert len(papers.threads) == 3

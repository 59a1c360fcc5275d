"""What is offered while somebody types: of what there is, nobody else's, and nobody is met by it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, text

from bot.core.message import Message
from bot.core.request import Address, Request
from bot.jobs.ingest import ingest
from bot.store import tables
from recommender.types import Paper
from tests.fakes.bot import HOSTILE, make_bot
from tests.fakes.guilds import DIRECT, Town, make_town

PAPERS = [
    Paper("arxiv:2401.00001", "Speculative decoding for large models", "A", ("Ada",), categories=("Language, NLP",)),
    Paper("arxiv:2401.00002", "Decoding speech from the brain", "B", ("Bo",), categories=("Neuroscience",)),
    Paper("x:" + "y" * 150, "Robots that cook soup", "C", ("Cy",), keywords=("robots", "cooking")),
    Paper("arxiv:2401.00004", "Café robots", "D", ("Di",), keywords=("robots",), source="arxiv"),
]


@pytest.fixture
def town() -> Iterator[Town]:
    made = make_town(PAPERS)
    yield made
    made.bot.app.close()


def values(pairs: list[tuple[str, str]]) -> list[str]:
    return [value for _, value in pairs]


async def test_titles_go_on_as_one_types(town: Town) -> None:
    assert await town.offers("show", "paper", "spec deco") == [(PAPERS[0].title, "arxiv:2401.00001")]
    assert values(await town.offers("show", "paper", "decoding")) == ["arxiv:2401.00001", "arxiv:2401.00002"]
    assert values(await town.offers("save", "paper", "cafe")) == ["arxiv:2401.00004"]
    assert values(await town.offers("more", "paper", "soup")) == ["Robots that cook soup"], "its id is too long"
    assert await town.offers("show", "paper", "zzz") == []


async def test_saved_papers_come_first(town: Town) -> None:
    await town.ask("save Café robots")
    assert values(await town.offers("similar", "paper"))[0] == "arxiv:2401.00004"
    assert values(await town.offers("similar", "paper", "robots"))[0] == "arxiv:2401.00004"
    assert values(await town.offers("similar", "paper", at=DIRECT))[0] == "arxiv:2401.00004"
    assert values(await town.offers("similar", "paper", user="eve"))[0] != "arxiv:2401.00004"


async def test_a_number_or_an_id_is_meant_as_it_is(town: Town) -> None:
    for typed in ("2", "arxiv:2401.00002", "https://arxiv.org/abs/2401.00002"):
        assert values(await town.offers("show", "paper", typed))[0] == typed


async def test_topics_are_what_is_typed_what_the_channel_follows_areas_and_keywords(town: Town) -> None:
    await town.ask("subscribe rockets; moon in=here")
    assert values(await town.offers("subscribe", "topic"))[:2] == ["rockets", "moon"]
    assert values(await town.offers("subscribe", "topic", "ro")) == ["ro", "rockets", "robots"]
    assert values(await town.offers("subscribe", "topic", "nlp")) == ["nlp", "Language, NLP"]
    assert values(await town.offers("subscribe", "topic", "moon; ro")) == ["moon; ro", "moon; rockets", "moon; robots"]
    assert "rockets" not in values(await town.offers("subscribe", "topic", at="b"))


async def test_my_subscriptions_by_name_and_by_number_where_two_have_one_name(town: Town) -> None:
    await town.ask("subscribe soup")
    await town.ask("subscribe moon")
    await town.ask("subscribe soup in=here")
    for command, name in (("unsubscribe", "name"), ("schedule", "which"), ("pause", "name"), ("digest", "name")):
        assert await town.offers(command, name) == [("1 · soup", "1"), ("2 · moon", "moon"), ("3 · soup · #c", "3")]
    assert await town.offers("resume", "name", "mo") == [("2 · moon", "moon")]
    assert await town.offers("resume", "name", "2") == [("2 · moon", "moon")]
    assert await town.offers("subscribe", "with", "so") == [("soup", "soup")]
    assert await town.offers("profile", "name", "s") == [("soup", "soup")]
    assert await town.offers("resume", "name", user="eve") == [("1 · soup · #c", "soup")]
    assert await town.offers("resume", "name", user="bob", at="b") == []


async def test_wishes_areas_sources_and_commands(town: Town) -> None:
    await town.ask("mute blockchain")
    await town.ask("follow Ada")
    assert values(await town.offers("unmute", "words")) == ["blockchain"]
    assert values(await town.offers("unfollow", "author", "a")) == ["Ada"]
    assert await town.offers("unmute", "words", user="eve") == []
    assert values(await town.offers("search", "area", "lang")) == ["Language, NLP"]
    assert "arxiv" in values(await town.offers("search", "source"))
    (subscribe,) = await town.offers("help", "name", "subscribe")
    assert subscribe[0].startswith("subscribe: ")
    assert "home" not in values(await town.offers("help", "name"))


async def test_search_offers_what_is_typed_before_titles(town: Town) -> None:
    assert values(await town.offers("search", "words", "deco")) == ["deco", "arxiv:2401.00001", "arxiv:2401.00002"]
    assert values(await town.offers("search", "words", "de")) == ["de"]


async def test_nothing_for_what_is_unknown_hidden_or_has_nothing_to_offer(town: Town) -> None:
    for command, name in (
        ("nonsense", "x"),
        ("subscribe", "x"),
        ("page", "x"),
        ("bibtex", "paper"),
        ("search", "days"),
    ):
        assert await town.offers(command, name, "a") == []


async def test_nobody_is_met_and_nothing_is_logged_as_a_request(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ("", "soup", *HOSTILE):
        for command in town.bot.app.commands.values():
            for arg in command.args:
                pairs = await town.offers(command.name, arg.name, typed, user="new")
                assert len(pairs) <= 25
    with town.bot.app.store.reading() as conn:
        assert conn.execute(select(func.count()).select_from(tables.owners)).scalar_one() == 0
    assert capsys.readouterr().out == ""


async def test_whoever_may_not_ask_is_offered_nothing(town: Town) -> None:
    app = town.bot.app
    app.settings = app.settings.model_copy(update={"allowed": "guilds:a"})
    assert await town.offers("show", "paper", "robots")
    assert await town.offers("show", "paper", "robots", at="b") == []
    assert await town.offers("show", "paper", "robots", at=DIRECT, user="eve") == []
    await town.ask("help", user="eve")
    assert await town.offers("show", "paper", "robots", at=DIRECT, user="eve")


async def test_a_fault_of_the_database_offers_nothing(town: Town) -> None:
    with town.bot.app.store.writing() as conn:
        conn.execute(text("DROP TABLE deliveries"))
        conn.execute(text("DROP TABLE wishes"))
    assert await town.offers("unmute", "words") == []


async def test_new_papers_are_offered_once_they_were_read(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.offered.AGAIN", 0.0)
    assert await town.offers("show", "paper", "zebra") == []
    ingest(town.bot.app.store, [Paper("x:9", "Zebrafish swim", "E")], "local", town.bot.at)
    for _ in range(100):
        if found := await town.offers("show", "paper", "zebra"):
            break
        await asyncio.sleep(0.02)
    assert found == [("Zebrafish swim", "x:9")]


async def test_the_empty_bot_offers_nothing() -> None:
    bot = make_bot([])
    request = Request(Address("test", "lab", "ada"), "paper", command="show", values={"paper": "a"}, event="complete")
    assert [one async for one in bot.app.invoke(request)] == [Message()]
    bot.app.close()

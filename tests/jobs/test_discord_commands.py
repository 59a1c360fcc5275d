"""Commands, forms and menus on Discord: acknowledged first, whatever happens then, and answered once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest

from bot.core.message import Button, Card, File, Form, Message
from bot.core.request import Address, Request
from bot.platforms._serve import FILE_COMES, NO_FILE, STOPPING
from bot.platforms.discord import answer
from bot.platforms.discord.answer import TOO_LATE
from bot.platforms.discord.listen import NO_PAPER, OLD_FORM
from bot.platforms.discord.tree import SIMILAR
from tests.fakes.rig_discord import Rig, shown

DEFERRED, MODAL = 5, 9
FOUND = (Message("Found."),)


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    made.answers = lambda _request: FOUND
    yield await made.open()
    await made.close()


def answers(rig: Rig, *messages: Message) -> None:
    """Let the core answer with these."""
    rig.answers = lambda _request: messages


async def test_a_command_is_deferred_privately_before_any_work_and_answered_then(rig: Rig) -> None:
    go = asyncio.Event()
    begun: list[Request] = []

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        begun.append(request)
        await go.wait()
        yield Message("still looking …")
        yield Message("Found.")

    rig.discord._server.invoke = invoke
    seen = await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "long context"})
    await seen.until(lambda one: one.acked)
    assert (seen.callbacks, seen.ephemeral) == ([DEFERRED], True)
    assert seen.original is not None
    assert seen.original.loading
    go.set()
    await rig.answered(seen)
    assert seen.text == "Found."
    assert not seen.followups
    assert not rig.channel.said
    (request,) = begun
    assert request.address == Address("discord", rig.guild.id, rig.ada.id, rig.channel.id)
    assert (request.command, request.values) == ("search", {"words": "long context"})
    assert (request.place, request.key) == ("reading", f"discord:{seen.id}")


async def test_alone_with_the_bot_nothing_is_hidden(rig: Rig) -> None:
    seen = await rig.answered(await rig.fake.slash(rig.ada, None, "search", {"words": "x"}))
    assert (seen.callbacks, seen.ephemeral, seen.text) == ([DEFERRED], False, "Found.")
    assert [one.text for one in rig.dm.said] == ["Found."]


async def test_what_is_shared_is_one_more_message_for_all(rig: Rig) -> None:
    answers(rig, Message("Found."), Message("Found, for @everyone.", public=True))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x", "share": True}))
    assert seen.ephemeral
    (shared,) = seen.followups
    assert not shared.ephemeral
    assert [one.id for one in rig.channel.said] == [shared.id]
    assert not rig.fake.pings


async def test_what_may_not_be_shared_is_told_privately(rig: Rig) -> None:
    answers(rig, Message("Found."), Message("Found.", public=True))
    rig.fake.fail("POST", "/webhooks/*", status=403, code=50013)
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x", "share": True}))
    (told,) = seen.followups
    assert told.ephemeral
    assert told.text.startswith("It could not be shared here. ")


@pytest.mark.parametrize("place", ["channel", "direct"])
async def test_a_form_is_the_first_answer(rig: Rig, place: str) -> None:
    answers(rig, Message(form=Form("subscribe", {"topic": "robots"}, ("topic", "at"), "Follow a topic")))
    seen = await rig.fake.slash(rig.ada, rig.channel if place == "channel" else None, "subscribe")
    await rig.answered(seen)
    assert seen.callbacks == [MODAL]
    assert seen.modal is not None
    assert seen.modal["title"] == "Follow a topic"
    answers(rig, Message("You follow robots."))
    sent = await rig.answered(await rig.fake.submit(rig.ada, seen, {"topic": "robots, arms"}))
    assert (sent.callbacks, sent.ephemeral, sent.text) == ([DEFERRED], place == "channel", "You follow robots.")
    request = rig.requests[-1]
    assert (request.command, request.values, request.forms) == ("subscribe", {"topic": "robots, arms"}, False)


async def test_where_no_form_comes_the_answer_is_private_too(rig: Rig) -> None:
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "schedule"))
    assert (seen.callbacks, seen.ephemeral, seen.text) == ([DEFERRED], True, "Found.")


async def test_a_form_that_comes_too_late_is_told(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "FORM_WITHIN", 0.05)

    async def invoke(_request: Request) -> AsyncGenerator[Message, None]:
        await asyncio.sleep(0.1)
        yield Message(form=Form("subscribe"))

    rig.discord._server.invoke = invoke
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe"))
    assert (seen.callbacks, seen.ephemeral, seen.text) == ([DEFERRED], True, TOO_LATE)


async def test_a_form_that_is_sent_twice_is_taken_once(rig: Rig) -> None:
    answers(rig, Message(form=Form("subscribe")))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe"))
    answers(rig, Message("You follow robots."))
    sent = await rig.fake.submit(rig.ada, seen, {"topic": "robots"}, twice=True)
    await sent.until(lambda one: one.done and one.refused)
    await rig.settled()
    assert [request.command for request in rig.requests] == ["subscribe", "subscribe"]
    assert sent.text == "You follow robots."


@pytest.mark.parametrize("name", ["form:nothing:", "old:1", "form:"])
async def test_a_form_of_another_version_is_answered_kindly(rig: Rig, name: str) -> None:
    answers(rig, Message(form=Form("subscribe")))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe"))
    assert seen.modal is not None
    seen.modal["custom_id"] = name
    before = len(rig.requests)
    sent = await rig.answered(await rig.fake.submit(rig.ada, seen, {"topic": "robots"}))
    assert (sent.ephemeral, sent.text) == (True, OLD_FORM)
    assert len(rig.requests) == before


async def test_a_command_that_is_delivered_twice_is_done_once(rig: Rig) -> None:
    seen = await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}, twice=True)
    await seen.until(lambda one: one.done and one.refused)
    await rig.settled()
    assert len(rig.requests) == 1
    assert (seen.refused, seen.text, seen.followups) == ([40060], "Found.", [])


async def test_what_comes_too_late_to_be_acknowledged_is_done_and_the_reply_is_left_out(rig: Rig) -> None:
    answers(rig, Message("You follow robots.", lasts=True))
    rig.fake.answer_within = 0.0
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe", {"topic": "robots"}))
    assert seen.refused == [10062]
    assert len(rig.requests) == 1
    assert not rig.fake.calls("PATCH", "/webhooks/*")
    assert [one.text for one in rig.dm.said] == ["You follow robots."]  # what lasts stands there in any case


async def test_what_another_process_acknowledged_is_done_and_the_reply_is_left_out(rig: Rig) -> None:
    rig.fake.fail("POST", "/interactions/*", status=400, code=40060)
    seen = await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"})
    await rig.fake.until(lambda: rig.requests)
    await rig.settled()
    assert not seen.acked
    assert not rig.dm.said


async def test_an_answer_takes_longer_than_discord_waits_for_the_first(rig: Rig) -> None:
    rig.fake.answer_within = 0.15

    async def invoke(_request: Request) -> AsyncGenerator[Message, None]:
        await asyncio.sleep(0.2)
        yield Message("Found.")

    rig.discord._server.invoke = invoke
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert (seen.text, seen.refused) == ("Found.", [])


async def test_an_answer_after_fifteen_minutes_comes_as_a_direct_message(rig: Rig) -> None:
    async def invoke(_request: Request) -> AsyncGenerator[Message, None]:
        rig.fake.expire(seen)
        yield Message("Found.")

    rig.discord._server.invoke = invoke
    seen = await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"})
    await rig.answered(seen)
    assert [one.text for one in rig.dm.said] == ["Found."]


async def test_a_fault_of_the_program_is_told_with_a_number(rig: Rig) -> None:
    async def invoke(_request: Request) -> AsyncGenerator[Message, None]:
        raise ZeroDivisionError
        yield Message()

    rig.discord._server.invoke = invoke
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.ephemeral
    assert "the fault is here" in seen.text
    assert "ZeroDivision" not in seen.text


async def test_whoever_asks_while_it_stops_is_told(rig: Rig) -> None:
    rig.discord._server.invoke = None
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert (seen.ephemeral, seen.text) == (True, STOPPING)


async def test_what_lasts_comes_as_a_direct_message_too(rig: Rig) -> None:
    answers(rig, Message("You follow robots.", lasts=True, if_closed="Digests cannot reach you."))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe", {"topic": "robots"}))
    assert seen.text == "You follow robots."
    assert [one.text for one in rig.dm.said] == ["You follow robots."]
    await rig.answered(await rig.fake.slash(rig.ada, None, "subscribe", {"topic": "robots"}))
    assert len(rig.dm.said) == 2  # where it stands already, it is not said twice


async def test_whoever_takes_no_direct_messages_is_told_so(rig: Rig) -> None:
    rig.bob.dms = False
    answers(rig, Message("You follow robots.", lasts=True, if_closed="Digests cannot reach you."))
    seen = await rig.answered(await rig.fake.slash(rig.bob, rig.channel, "subscribe", {"topic": "robots"}))
    assert (seen.ephemeral, seen.text) == (True, "You follow robots.\n\nDigests cannot reach you.")


async def test_a_file_comes_as_a_direct_message(rig: Rig) -> None:
    answers(rig, Message("All your data.", files=(File("me.json", b"{}"),)))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "export"))
    assert seen.text == f"All your data.\n{FILE_COMES}"
    (file,) = rig.dm.said
    assert [one["filename"] for one in file["attachments"]] == ["me.json"]
    rig.bob.dms = False
    refused = await rig.answered(await rig.fake.slash(rig.bob, rig.channel, "export"))
    assert refused.text == NO_FILE
    assert "Allow direct messages from members of this server" in NO_FILE


@pytest.mark.parametrize("channel", ["server", "group"])
async def test_an_app_that_somebody_brought_along_answers_anywhere_five_times_more(rig: Rig, channel: str) -> None:
    answers(rig, Message("Found."), *(Message(f"Shared {n}.", public=True) for n in range(7)))
    other = rig.fake.guild("Elsewhere", owner=rig.ada, bot=False).channel("general")
    place = other if channel == "server" else rig.fake.group(rig.ada, rig.bob)
    seen = await rig.fake.slash(rig.ada, place, "search", {"words": "x"}, installed="user")
    await rig.answered(seen)
    assert rig.requests[0].address == Address("discord", "@me", rig.ada.id, place.id)
    assert seen.original is not None
    assert seen.original.text.startswith("Found.")
    assert len(seen.followups) == 5
    assert seen.refused == []


async def test_similar_papers_of_a_message(rig: Rig) -> None:
    said = await rig.fake.write(rig.bob, rig.channel, "read https://arxiv.org/abs/2504.08385v2")
    seen = await rig.answered(await rig.fake.menu(rig.ada, said, SIMILAR))
    assert (seen.ephemeral, seen.text) == (True, "Found.")
    assert rig.requests[-1].text == "similar arxiv:2504.08385"
    said = await rig.fake.write(rig.bob, rig.channel, "nothing to read")
    seen = await rig.answered(await rig.fake.menu(rig.ada, said, SIMILAR))
    assert (seen.ephemeral, seen.text) == (True, NO_PAPER)


async def test_what_is_typed_is_completed_by_the_core(rig: Rig) -> None:
    answers(rig, Message(choices=(("Speculative decoding", "speculative decoding"),)))
    offered = await rig.fake.autocomplete(rig.ada, rig.channel, "subscribe", "topic", "spec")
    assert offered == [{"name": "Speculative decoding", "value": "speculative decoding"}]
    (request,) = rig.requests
    assert (request.event, request.command, request.text) == ("complete", "subscribe", "topic")
    assert request.address == Address("discord", rig.guild.id, rig.ada.id, rig.channel.id)
    rig.discord._server.invoke = None
    assert await rig.fake.autocomplete(rig.ada, rig.channel, "subscribe", "topic", "spec") == []


async def test_a_thread_that_is_chosen_comes_as_discord_documents_it(rig: Rig) -> None:
    thread = rig.channel.thread("deep")
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "subscribe", {"topic": "x", "in": thread}))
    (told,) = seen.payload["data"]["resolved"]["channels"].values()
    assert "owner_id" not in told
    assert seen.text == "Found."
    assert rig.requests[-1].values == {"topic": "x", "in": f"<#{thread.id}>"}


async def test_after_a_lost_connection_commands_are_answered(rig: Rig) -> None:
    rig.fake.gateway.drop()
    await rig.fake.listening()
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.text == "Found."


@pytest.mark.parametrize("how", [{"status": 500}, {"how": "reset"}, {"status": 429, "retry_after": 0.1}])
async def test_an_answer_is_tried_again(rig: Rig, how: dict[str, Any]) -> None:
    rig.fake.fail("PATCH", "/webhooks/*", **how)
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.text == "Found."


async def test_hostile_words_are_shown_as_they_are(rig: Rig) -> None:
    title = "@everyone <@&12> *x* [click](https://evil.example)"
    card = Card("x:1", title, "https://a.example/1", 1, (f"why: {title}",), (Button("Less", "less:1:0"),))
    answers(rig, Message(title, (card,), footer=title))
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.original is not None
    assert shown(seen.original).text.count(title) == 4
    assert not rig.fake.pings

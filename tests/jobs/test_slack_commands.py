"""Slash commands, forms and the shortcut: acknowledged at once, answered privately, shared once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.core.message import File, Form, Message
from bot.core.request import Request
from tests.fakes.rig_slack import RIGS, Rig, shown


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    made = RIGS[request.param]()
    yield await made.open()
    await made.close()


def asks_by_form(rig: Rig) -> None:
    """Let `subscribe` have a form."""
    rig.commands["subscribe"] = replace(rig.commands["subscribe"], form=no_form)


async def no_form(ctx: Any, values: Any) -> Form:
    """Stand where a command makes its form: here the answers are the test's."""
    return Form("subscribe")


async def test_an_answer_is_private_and_shared_once(rig: Rig) -> None:
    rig.answers = lambda _: (Message("Found."), Message("Found.", public=True))
    await rig.town.command("search x share")
    await rig.town.until(lambda: rig.town.posted["C1"])
    (reply,) = rig.town.replies
    assert (reply.body["response_type"], reply.body["replace_original"]) == ("ephemeral", False)
    (public,) = rig.town.posted["C1"]
    assert "Found." in shown(public["blocks"]).text
    assert (public["unfurl_links"], public["unfurl_media"]) == ("false", "false")
    (request,) = rig.requests
    assert (request.address.channel, request.place, request.person) == ("C1", "reading", "ada")
    assert request.forms


async def test_it_says_why_it_could_not_be_shared(rig: Rig) -> None:
    rig.town.faults["chat.postMessage"] = ["not_in_channel"]
    rig.answers = lambda _: (Message("Found."), Message("Found.", public=True))
    await rig.town.command("search x share")
    await rig.town.until(lambda: len(rig.town.replies) == 2)
    assert "invite me" in shown(rig.town.replies[1].body["blocks"]).text
    assert not rig.town.posted["C1"]


async def test_the_same_command_delivered_three_times_is_done_once(rig: Rig) -> None:
    rig.answers = lambda _: (Message("Found."),)
    hooks = rig.town._hooks("C1", "UADA")
    for _ in range(3):
        await rig.town.command("search x", **hooks)
    await rig.town.until(lambda: rig.town.replies)
    await asyncio.sleep(0.05)
    assert len(rig.requests) == len(rig.town.replies) == 1


async def test_it_is_acknowledged_however_long_the_work_takes(rig: Rig) -> None:
    release = asyncio.Event()

    async def slow(request: Request) -> AsyncGenerator[Message, None]:
        await release.wait()
        yield Message("Done.")

    rig.slack._server.invoke = slow
    for n in range(20):
        await rig.town.command(f"search {n}")
    assert not rig.town.replies
    assert max(rig.town.acks) < 3
    release.set()
    await rig.town.until(lambda: len(rig.town.replies) == 20)


@pytest.mark.parametrize("fault", ["expired_url", "used_url"])
async def test_what_cannot_be_answered_comes_directly(rig: Rig, fault: str) -> None:
    rig.town.faults["response_url"] = [fault]
    rig.answers = lambda _: (Message("Found."),)
    await rig.town.command("search x")
    (direct,) = await rig.town.until(lambda: rig.town.posted["DUADA"])
    assert "Found." in shown(direct["blocks"]).text
    assert not rig.town.posted["C1"]


async def test_what_lasts_and_files_go_to_the_direct_message_only(rig: Rig) -> None:
    rig.answers = lambda _: (Message("Yours.", files=(File("all.json", b"{}"),), lasts=True),)
    await rig.town.command("export")
    await rig.town.until(lambda: rig.town.called("files.completeUploadExternal"))
    assert rig.town.called("files.completeUploadExternal")[0]["channel_id"] == "DUADA"
    assert len(rig.town.posted["DUADA"]) == 1
    assert not rig.town.posted["C1"]


async def test_a_form_is_opened_at_once_and_filled(rig: Rig) -> None:
    asks_by_form(rig)
    rig.answers = lambda _: (Message(form=Form("subscribe", {"topic": "x"}, ("topic", "at"))),)
    await rig.town.command("subscribe")
    await rig.town.until(lambda: rig.town.called("views.update"))
    (opened,) = rig.town.called("views.open")
    assert opened["view"]["callback_id"] == "loading"
    (view,) = rig.town.views.values()
    assert view["callback_id"] == "form"
    rig.answers = lambda _: (Message("Subscribed.", lasts=True),)
    said = await rig.town.submit({**view, "type": "modal"}, {"topic": {"type": "plain_text_input", "value": ""}})
    assert said["response_action"] == "errors"
    assert "arg:topic" in said["errors"]


async def test_a_trigger_that_has_expired_is_said(rig: Rig) -> None:
    asks_by_form(rig)
    rig.town.faults["views.open"] = ["expired_trigger_id"]
    await rig.town.command("subscribe")
    await rig.town.until(lambda: rig.town.replies)
    assert "once more" in shown(rig.town.replies[0].body["blocks"]).text


async def test_a_form_shows_its_answer_and_renews_the_home(rig: Rig) -> None:
    view = {
        "id": "V9",
        "type": "modal",
        "callback_id": "form",
        "private_metadata": '{"command":"pause","values":{},"channel":"C1"}',
    }
    rig.town.views["V9"] = view
    rig.answers = lambda request: (Message("Paused.", lasts=True) if request.command else Message("Home."),)
    said = await rig.town.submit(view, {})
    assert said["response_action"] == "update"
    assert said["view"]["callback_id"] == "loading"
    assert not rig.town.called("views.update")  # an answer that overtakes the window's "One moment." is lost under it
    await rig.town.until(lambda: rig.town.homes and rig.town.posted["DUADA"])
    assert "Paused." in shown(rig.town.views["V9"]["blocks"]).text
    assert rig.requests[0].address.channel == "C1"
    assert "Home." in shown(rig.town.homes["UADA"]["blocks"]).text


async def test_what_is_of_another_version_is_told_kindly(rig: Rig) -> None:
    await rig.town.command("x", command="/old")
    view = {"id": "V1", "type": "modal", "callback_id": "old", "private_metadata": "{"}
    said = await rig.town.submit(view, {})
    assert "another version" in shown(said["view"]["blocks"]).text
    await rig.town.press("", actions=[{"action_id": "gone", "type": "button"}])
    await _shortcut(rig, "gone", "x")
    await rig.town.until(lambda: len(rig.town.replies) == 3)
    assert all("version" in shown(reply.body["blocks"]).text for reply in rig.town.replies)
    assert not rig.requests


async def test_the_shortcut_finds_papers_like_the_one_that_is_linked(rig: Rig) -> None:
    rig.answers = lambda _: (Message("Found."),)
    await _shortcut(rig, "similar", "look: <https://arxiv.org/abs/2401.01234v2|this>")
    await rig.town.until(lambda: rig.town.replies)
    assert rig.requests[0].text == "similar arxiv:2401.01234"
    await _shortcut(rig, "similar", "no paper here")
    await rig.town.until(lambda: len(rig.town.replies) == 2)
    assert "No paper" in shown(rig.town.replies[1].body["blocks"]).text
    assert len(rig.requests) == 1


async def test_a_failure_is_a_number_and_never_an_exception(rig: Rig) -> None:
    async def broken(request: Request) -> AsyncGenerator[Message, None]:
        raise RuntimeError("secret detail")
        yield Message()

    rig.slack._server.invoke = broken
    await rig.town.command("search x")
    await rig.town.until(lambda: rig.town.replies)
    text = shown(rig.town.replies[0].body["blocks"]).text
    assert "number" in text
    assert "secret" not in text
    assert "RuntimeError" not in text


async def _shortcut(rig: Rig, name: str, text: str) -> Any:
    body = {
        "type": "message_action",
        "callback_id": name,
        "team": {"id": "T1"},
        "user": {"id": "UADA", "name": "ada", "team_id": "T1"},
        "channel": {"id": "C1", "name": "reading"},
        "message": {"text": text, "ts": "1.2", "user": "UBOB"},
        "message_ts": "1.2",
        **rig.town._hooks("C1", "UADA"),
    }
    return await rig.town.deliver("interactive", body)

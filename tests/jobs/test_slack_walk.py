"""The real commands in a workspace, as people see them: names, windows, direct messages and the bot's own page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.store import owners
from tests.fakes.bot import Bot, make_bot
from tests.fakes.rig_slack import Rig, buttons, shown
from tests.fakes.slack_whole import at_work


@dataclass
class Walk:
    """A bot with the seeds, at a workspace."""

    rig: Rig
    bot: Bot

    def name_of(self, kind: str, external: str) -> str:
        """Return the name that is stored of somebody."""
        with self.bot.app.store.reading() as conn:
            found = owners.known(conn, "slack", "T1", kind, external, "")
        assert found is not None
        return found.name

    async def settled(self) -> None:
        """Wait until nothing is at work."""
        await self.rig.town.until(lambda: not self.rig.slack._server._tasks)


@pytest.fixture
async def walk() -> AsyncIterator[Walk]:
    bot, rig = make_bot(), Rig("socket")
    await rig.open(bot.app.invoke)
    bot.app.platforms["slack"] = rig.slack
    yield Walk(rig, bot)
    await rig.close()


async def test_an_event_without_names_renames_nobody(walk: Walk) -> None:
    town = walk.rig.town
    await town.command("topics")
    await town.until(lambda: town.replies)
    await town.message("<@UBOT> attention", channel="C1", type="app_mention", channel_type="channel")
    await town.until(lambda: town.posted["C1"])
    await town.event({"type": "app_home_opened", "user": "UADA", "channel": "DUADA", "tab": "home"})
    await town.until(lambda: town.homes)
    assert walk.name_of("person", "UADA") == "ada"
    assert walk.name_of("channel", "C1") == "reading"


async def test_whoever_comes_by_an_event_has_a_name_all_the_same(walk: Walk) -> None:
    town = walk.rig.town
    await town.message("<@UBOT> attention", channel="C1", type="app_mention", channel_type="channel", user="UBOB")
    await town.until(lambda: town.posted["C1"])
    assert walk.name_of("person", "UBOB") == "bob"
    assert walk.name_of("channel", "C1") == "reading"


async def test_what_is_pressed_in_a_window_is_answered_on_top_of_it(walk: Walk) -> None:
    town = walk.rig.town
    await town.event({"type": "app_home_opened", "user": "UADA", "channel": "DUADA", "tab": "home"})
    home = await town.until(lambda: town.homes.get("UADA"))
    topics = dict(buttons(home["blocks"]))["Topics"]
    view = {"id": "VHOME", "type": "home", "callback_id": "home", "app_installed_team_id": "T1"}
    await town.press(topics, view=view, container={"type": "view", "view_id": "VHOME"}, channel=None)
    (first,) = await town.until(lambda: list(town.views.values()))
    await town.until(lambda: town.views[first["id"]]["callback_id"] == "answer")
    listed = town.views[first["id"]]
    await press_in(walk, listed, "Follow")
    assert town.views[first["id"]] == listed
    (on_top,) = [one for name, one in town.views.items() if name != first["id"]]
    assert "now. A preview:" in shown(on_top["blocks"]).text
    await walk.settled()
    assert "What you follow" in shown(town.homes["UADA"]["blocks"]).text
    await press_in(walk, on_top, "Undo")
    assert len(town.views) == 2
    await walk.settled()
    assert "What you follow" not in shown(town.homes["UADA"]["blocks"]).text


async def test_where_no_more_windows_may_open_the_last_one_is_filled(walk: Walk) -> None:
    town = walk.rig.town
    await town.event({"type": "app_home_opened", "user": "UADA", "channel": "DUADA", "tab": "home"})
    home = await town.until(lambda: town.homes.get("UADA"))
    view = {"id": "V9", "type": "modal", "callback_id": "answer", "app_installed_team_id": "T1", **window(home)}
    town.views["V9"] = view
    town.faults["views.push"] = ["push_limit_reached"]
    await press_in(walk, view, "Topics")
    assert "These can be followed" in shown(town.views["V9"]["blocks"]).text


def window(home: dict[str, Any]) -> dict[str, Any]:
    """Return a page's blocks as a window's."""
    return {"blocks": home["blocks"], "private_metadata": ""}


async def press_in(walk: Walk, view: dict[str, Any], label: str) -> None:
    """Press a button of a window, and wait for its answer."""
    action = dict(buttons(view["blocks"]))[label]
    container = {"type": "view", "view_id": view["id"]}
    body = {"app_installed_team_id": "T1", "type": "modal", **view}
    await walk.rig.town.press(action, view=body, container=container, channel=None)
    await walk.settled()


async def test_what_lasts_stands_once_in_the_conversation_with_the_bot(walk: Walk) -> None:
    town = walk.rig.town
    await town.command("subscribe attention", channel="DUADA", channel_name="directmessage")
    await town.until(lambda: town.posted["DUADA"])
    await walk.settled()
    assert len(town.posted["DUADA"]) == 1
    assert not town.replies
    await town.command("subscriptions", channel="DUADA", channel_name="directmessage")
    listed = (await town.until(lambda: town.replies))[0].body["blocks"]
    hidden = {"type": "message", "message_ts": "1.1", "channel_id": "DUADA", "is_ephemeral": True}
    await town.press(dict(buttons(listed))["Pause"], channel="DUADA", container=hidden)
    await town.until(lambda: len(town.posted["DUADA"]) == 2)
    await walk.settled()
    assert len(town.replies) == 1


async def test_between_two_people_what_lasts_is_seen_there_too(walk: Walk) -> None:
    town = walk.rig.town
    await town.command("subscribe attention", channel="DBOTH", channel_name="directmessage")
    await town.until(lambda: town.posted["DUADA"] and town.replies)


async def test_whoever_asks_for_a_file_in_a_channel_hears_where_it_comes(walk: Walk) -> None:
    town = walk.rig.town
    await town.command("export")
    said = shown((await town.until(lambda: town.replies))[0].body["blocks"]).text
    assert "The file comes as a direct message." in said
    await walk.settled()
    await town.message("export")
    written = await town.until(lambda: town.posted["DUADA"])
    assert "direct message" not in shown(written[0]["blocks"]).text


async def test_into_a_private_channel_the_bot_is_invited_and_then_it_knows_it_at_once() -> None:
    async with at_work("socket") as whole:
        private = whole.team.channel("secret-lab", creator=whole.ada, members=[], private=True)
        for line, place in (("in=here", private), (f"in=<#{private.id}|secret-lab>", whole.channel)):
            said = shown((await whole.ask(f"subscribe attention {line}", channel=place))["blocks"]).text
            assert said.startswith("I am not in that channel yet")
            assert "/invite @" in said
        before = len(whole.slack.private(private, whole.ada))
        await whole.slack.invite(private, whole.ada)
        await whole.slack.until(lambda: len(whole.slack.private(private, whole.ada)) > before)
        told = shown(whole.slack.private(private, whole.ada)[-1]["blocks"]).text
        assert "To give #secret-lab a digest" in told
        answer = await whole.ask("subscribe attention in=here", channel=private)
        assert "#secret-lab follows “attention” now" in shown(answer["blocks"]).text

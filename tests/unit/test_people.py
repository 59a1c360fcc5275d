"""Where people are the same in all servers: what is theirs goes with them, and what is a server's stays in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.core.request import Address
from bot.store import owners, subscriptions
from bot.store.workspaces import Workspace, get
from tests.fakes.bot import button, labels
from tests.fakes.guilds import DIRECT, Town, make_town


@pytest.fixture
def town() -> Iterator[Town]:
    made = make_town()
    yield made
    made.bot.app.close()


async def test_what_is_mine_goes_with_me(town: Town) -> None:
    await town.ask("subscribe soup tz=Asia/Tokyo")
    await town.ask("save x:1", "b")
    for at in ("a", "b", DIRECT):
        assert "1 subscription" in (await town.ask("subscriptions", at)).text
        assert "1 saved paper" in (await town.ask("saved", at)).text
    with town.bot.app.store.reading() as conn:
        mine = owners.known(conn, "guilds", DIRECT, "person", "ada", "")
        assert mine is not None
        assert mine.time_zone == "Asia/Tokyo"
        assert [sub.workspace for sub in subscriptions.of(conn, mine.number)] == [DIRECT]


async def test_a_channel_is_its_servers(town: Town) -> None:
    await town.ask("subscribe soup in=here")
    assert town.guilds.joined == [(Address("guilds", "a", "ada", "c"), ("soup",))]
    assert "1 subscription" in (await town.ask("subscriptions")).text
    assert "nothing yet" in (await town.ask("subscriptions", "b")).text
    assert "1 subscription" in (await town.ask("subscriptions", DIRECT)).text, "I asked for it"
    assert "nothing yet" in (await town.ask("subscriptions", "b", user="bob")).text


async def test_a_manager_of_one_server_reaches_nothing_of_another(town: Town) -> None:
    await town.ask("subscribe soup in=here name=zebra", "b", user="bob")
    await town.ask("subscribe robots name=zebra2", user="eve")
    with town.bot.app.store.reading() as conn:
        numbers = [sub.number for sub in subscriptions.everywhere(conn)]
        before = subscriptions.everywhere(conn)
    assert len(numbers) == 2
    for at in ("a", DIRECT):
        for number in numbers:
            for line in (
                f"pause sub{number}",
                f"unsubscribe sub{number}",
                f"schedule sub{number} at=7",
                f"resume sub{number}",
            ):
                assert "zebra" not in (await town.ask(line, at)).text
    assert "zebra" not in repr(await town.ask("workspace"))
    assert "0 subscriptions" in (await town.ask("workspace")).text
    assert "one server" in (await town.ask("workspace", DIRECT)).text
    with town.bot.app.store.reading() as conn:
        assert subscriptions.everywhere(conn) == before


async def test_who_asked_changes_it_from_the_direct_message_while_a_member(town: Town) -> None:
    await town.ask("subscribe soup in=here", "b", user="bob")
    assert "paused" in (await town.ask("pause 1", DIRECT, user="bob")).text
    town.guilds.members["b"].discard("bob")
    answer = (await town.ask("resume 1", DIRECT, user="bob")).text
    assert answer == "Only whoever subscribed this channel, and those who manage it, can do this."


async def test_an_undo_of_one_server_does_nothing_in_another(town: Town) -> None:
    changed = await town.ask("workspace tz=Asia/Tokyo")
    town.guilds.managers["b"].add("ada")
    await town.ask("workspace tz=Europe/Berlin", "b")
    pressed = button(changed, "Undo").action
    assert "in it" in (await town.ask(at="b", action=pressed)).text
    with town.bot.app.store.reading() as conn:
        assert get(conn, "guilds", "b").time_zone == "Europe/Berlin"
    assert (await town.ask(action=pressed)).text.startswith("Undone")
    with town.bot.app.store.reading() as conn:
        assert get(conn, "guilds", "a").time_zone == ""


async def test_members_of_the_role_may_subscribe(town: Town) -> None:
    assert "Only those who manage #c can" in (await town.ask("subscribe soup in=here", user="eve")).text
    changed = await town.ask("workspace role=<@&77|Readers>")
    assert "and those with the role @Readers" in changed.text
    refused = (await town.ask("subscribe soup in=here", user="eve")).text
    assert "Only those who manage #c, and those with the role @Readers, can subscribe it" in refused
    town.guilds.roles["a", "eve"] = ("12", "77")
    assert "#c follows “soup” now" in (await town.ask("subscribe soup in=here", user="eve")).text
    await town.ask(action=button(changed, "Undo").action)
    with town.bot.app.store.reading() as conn:
        assert get(conn, "guilds", "a") == Workspace()
    assert "no role; type @" in (await town.ask("workspace role=Readers")).text
    await town.ask("workspace role=<@&77>")
    assert "with the role 77" in (await town.ask("workspace")).text
    assert "with the role" not in (await town.ask("workspace role=none")).text


async def test_a_role_of_another_server_opens_nothing(town: Town) -> None:
    await town.ask("workspace role=<@&77|Readers>")
    town.guilds.roles["b", "ada"] = ("77",)
    assert "Only those who manage" in (await town.ask("subscribe soup in=here", "b")).text


async def test_where_there_are_no_roles_none_is_taken(town: Town) -> None:
    assert "no roles here" in (await town.bot.ask("workspace role=<@&77|Readers>")).text


async def test_a_subscription_is_handed_to_a_member_who_is_mentioned(town: Town) -> None:
    await town.ask("subscribe soup in=here")
    for user, at in (("eve", "a"), ("bob", "b")):
        await town.ask("help", at, user=user)
    for said, answer in (
        ("eve", "mention whom you mean"),
        ("<@bob>", "have not met"),
        ("<@nobody>", "have not met"),
        ("<@!eve>", "asked for by: ada → eve"),
        ("me", "asked for by: eve → ada"),
    ):
        assert answer in (await town.ask(f"schedule 1 to={said}")).text, said


async def test_of_single_servers_only_those_who_were_met_may_write_directly(town: Town) -> None:
    settings = town.bot.app.settings
    town.bot.app.settings = settings.model_copy(update={"allowed": "guilds:a"})
    for line in ("help", "subscribe soup"):
        assert "not met you" in (await town.ask(line, DIRECT, user="eve")).text
    assert "not for this workspace" in (await town.ask("help", "b", user="bob")).text
    await town.ask("help", user="eve")
    assert "“soup” now" in (await town.ask("subscribe soup", DIRECT, user="eve")).text
    assert "“robots” now" in (await town.ask("subscribe robots", DIRECT, user="eve")).text


async def test_in_a_chat_without_the_bot_a_channel_is_answered_with_the_invitation(town: Town) -> None:
    answer = await town.ask("subscribe soup in=here", DIRECT, channel="elsewhere")
    assert answer.text == "Invite me first: https://discord.example/invite"
    assert "“soup” now" in (await town.ask("subscribe soup", DIRECT, channel="elsewhere")).text


async def test_a_platform_that_tells_no_zone_is_not_asked(town: Town) -> None:
    await town.ask("search soup", DIRECT)
    await town.ask("save x:1", DIRECT)
    await town.ask("subscribe soup", DIRECT)
    assert town.guilds.asked == []


async def test_the_preview_says_whose_zone_it_is_and_offers_to_change_it(town: Town) -> None:
    await town.ask("workspace tz=Europe/Berlin")
    said = await town.ask("subscribe soup", user="eve")
    assert "I do not know your time zone, so it is 09:00 Berlin. Yours? Press [Time zone], or type: " in said.text
    assert "tz=America/New_York" in said.text, "an example is of another zone than the one that holds"
    assert "Time zone" in labels(said)
    form = (await town.ask(action=button(said, "Time zone").action, user="eve", forms=True)).form
    assert form is not None
    assert form.fields[:2] == ("tz", "at")
    assert form.values["tz"] == "Europe/Berlin"
    await town.ask(command="schedule", values={**form.values, "tz": "Asia/Tokyo"}, user="eve")
    assert "Time zone" not in labels(await town.ask("subscribe robots", user="eve"))
    here = await town.ask("subscribe soup in=here")
    assert "time zone" not in here.text, "for all in a channel, that of the server is right"


async def test_closed_direct_messages_are_said_when_subscribing_for_oneself(town: Town) -> None:
    said = await town.ask("subscribe soup")
    assert "/papers digest" in said.if_closed
    assert (await town.ask("subscribe soup in=here")).if_closed == ""


async def test_help_names_the_command_for_a_whole_line_where_arguments_are_drawn(town: Town) -> None:
    assert "\nask TEXT\n" in (await town.ask("help")).text
    assert (await town.ask("help ask")).text.startswith("/papers ask text:TEXT\nSay it in your own words")
    assert "ask TEXT" not in (await town.bot.ask("help")).text
    assert "no command “ask”" in (await town.bot.ask("help ask")).text


async def test_all_of_me_is_forgotten_everywhere(town: Town) -> None:
    await town.ask("subscribe soup in=here")
    await town.ask("subscribe soup", "b")
    asked = await town.ask("forget", DIRECT)
    await town.ask(at=DIRECT, action=asked.buttons[0].action)
    assert "nothing yet" in (await town.ask("subscriptions", "b")).text
    with town.bot.app.store.reading() as conn:
        assert subscriptions.everywhere(conn) == []

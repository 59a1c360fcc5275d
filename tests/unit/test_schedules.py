"""Schedules in chat: when digests come, pauses, what comes together, and who may change what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from bot.core.message import Message
from bot.core.ports import Facts
from bot.core.request import Address
from bot.store import outbox, owners, subscriptions
from bot.store.engine import Store
from bot.store.subscriptions import Subscription
from tests.fakes import bot as fakes
from tests.fakes.bot import START, Bot, button, labels, make_bot, titles


@pytest.fixture(scope="module")
def seeded() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


@pytest.fixture
def bot(seeded: Bot) -> Bot:
    """A bot that knows the papers and nobody."""
    seeded.at = START
    seeded.managers = {"ada"}
    seeded.app.platforms["test"] = fakes.TestPlatform(seeded)  # type: ignore[assignment]
    seeded.app.settings = seeded.app.settings.model_copy(update={"channels": "managers", "say_nothing": "say"})
    with seeded.app.store.writing() as conn:
        conn.exec_driver_sql("DELETE FROM owners")
        conn.exec_driver_sql("DELETE FROM workspaces")
    return seeded


def rows(bot: Bot) -> dict[str, Subscription]:
    """Every subscription by the name of its interest."""
    with bot.app.store.reading() as conn:
        return {sub.name: sub for sub in subscriptions.everywhere(conn)}


def lines(message: Message, card: int = 0) -> str:
    return "\n".join(message.cards[card].lines)


async def two_together(bot: Bot) -> None:
    await bot.ask("subscribe graphs max=1 tz=berlin")
    await bot.ask("subscribe video with=graphs")


async def test_what_is_chosen_is_stored_and_said(bot: Bot) -> None:
    answer = await bot.ask("subscribe graphs at=7pm tz=berlin on=mon,thu max=3 gap=1w crosslists=yes quiet=yes")
    assert answer.footer.splitlines()[0].endswith(
        "schedule: 19:00 Berlin, Mon, Thu, up to 3 papers, at least 7 days between, with cross-lists, "
        "quiet where there is nothing, normal · next: Thu 3 Dec 19:00 Berlin"
    )
    sub = rows(bot)["graphs"]
    assert (sub.at, sub.time_zone, sub.weekdays, sub.at_most) == ("19:00", "Europe/Berlin", "14", 3)
    assert (sub.gap, sub.cross_lists, sub.silent) == (7, True, True)


async def test_an_administrator_may_choose_silence_for_new_ones(bot: Bot) -> None:
    bot.app.settings = bot.app.settings.model_copy(update={"say_nothing": "silent"})
    await bot.ask("subscribe graphs")
    await bot.ask("subscribe video quiet=no")
    assert [sub.silent for sub in rows(bot).values()] == [True, False]


async def test_a_zone_that_nobody_told_is_asked_for_and_kept(bot: Bot) -> None:
    answer = await bot.ask("subscribe language models")
    asked = (
        "I do not know your time zone, so it is 09:00 UTC. "
        "Yours? Press [Time zone], or type: /papers schedule language models tz=Europe/Berlin"
    )
    assert asked in answer.text
    assert "Time zone" in labels(answer)
    changed = await bot.ask(asked.partition("type: ")[2])
    assert "time zone: UTC → Berlin" in changed.text
    other = await bot.ask("subscribe graphs")
    assert "09:00 Berlin" in other.footer
    assert "time zone" not in other.text


async def test_a_name_that_looks_like_an_option_is_quoted_where_it_is_to_be_typed(bot: Bot) -> None:
    answer = await bot.ask('subscribe graphs name="keep quiet"')
    typed = answer.text.partition("type: ")[2].partition("\n")[0]
    assert "“keep quiet” is changed" in (await bot.ask(typed)).text


@pytest.mark.parametrize("told", ["workspace", "platform"])
async def test_a_zone_that_is_told_elsewhere_is_not_asked_for(bot: Bot, told: str) -> None:
    class Telling(fakes.TestPlatform):
        async def about(self, address: Address) -> Facts:
            return replace(await super().about(address), time_zone="Asia/Tokyo" if told == "platform" else "")

    await bot.ask("help", user="grace")  # who is known before the platform tells
    bot.app.platforms["test"] = Telling(bot)  # type: ignore[assignment]
    if told == "workspace":
        await bot.ask("workspace tz=Tokyo")
    answer = await bot.ask("subscribe graphs", user="grace")
    assert "09:00 Tokyo" in answer.footer
    assert "I do not know" not in answer.text


async def test_several_interests_come_in_one_digest_and_part_again(bot: Bot) -> None:
    await bot.ask("subscribe graphs max=1 tz=berlin")
    answer = await bot.ask("subscribe video with=graphs at=8")
    assert "You follow “video” now, in one digest with “graphs”." in answer.text
    sub = rows(bot)
    assert sub["graphs"].number == sub["video"].number
    assert sub["graphs"].at == "08:00"
    assert "in one digest with “video”" in lines(await bot.ask("subscriptions"))
    changed = await bot.ask("schedule video max=4")
    assert "This holds for “graphs” too" in changed.text
    assert rows(bot)["graphs"].at_most == 4
    parted = await bot.ask("schedule video with=none on=fri")
    assert "comes by itself now" in parted.text
    assert [one.weekdays for one in rows(bot).values()] == ["12345", "5"]
    await bot.press(button(parted, "Undo"))
    sub = rows(bot)
    assert sub["graphs"].number == sub["video"].number


async def test_joining_is_undone_with_what_both_were(bot: Bot) -> None:
    await bot.ask("subscribe graphs at=7 tz=berlin")
    await bot.ask("subscribe video at=8 max=2")
    await bot.ask("pause video")
    joined = await bot.ask("schedule video with=1 at=10")
    assert "comes in one digest with “graphs” now" in joined.text
    assert rows(bot)["graphs"].at == "10:00"
    for _ in range(2):
        assert "as before" in (await bot.press(button(joined, "Undo"))).text
        sub = rows(bot)
        assert (sub["graphs"].at, sub["video"].at, sub["video"].at_most) == ("07:00", "08:00", 2)
        assert sub["graphs"].number != sub["video"].number
        assert (sub["graphs"].paused_at, sub["video"].next_due_at) == (None, None)


async def test_undo_of_a_subscription_that_joined_brings_the_others_schedule_back(bot: Bot) -> None:
    await bot.ask("subscribe graphs at=7 tz=berlin")
    joined = await bot.ask("subscribe video with=graphs at=10")
    await bot.press(button(joined, "Undo"))
    assert {name: sub.at for name, sub in rows(bot).items()} == {"graphs": "07:00"}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("subscribe video with=nothing-like-it", "with: You follow nothing called “nothing-like-it”"),
        ("subscribe video with=chips", "with: “chips” is somebody else's"),
        ("schedule graphs with=graphs", "the same subscription"),
        ("schedule graphs name=🙂", "no letters"),
        ("schedule graphs name=memory", "an interest called “memory” already"),
        ("schedule graphs to=@lin", "comes in a direct message"),
        ("schedule chips to=@nobody", "I have not met “nobody” here"),
        ("schedule graphs name=12", "a number alone stands for a place"),
        ("subscribe video name=3", "a number alone stands for a place"),
        ("schedule 9 at=10", "Your list has 3 entries: there is no number 9 in it"),
        ("pause until yesterday", "“yesterday” is no later date"),
        ("pause graphs until yesterday", "“yesterday” is no later date"),
        ("pause 1 until 31 feb", "is no date of the calendar"),
        ("pause tokens until they fit", "You follow nothing called “tokens until they fit”"),
        ("pause graphs until=feb 30", "“feb 30” is no date"),
        ("pause graphs until=2020-01-01", "is over; type a later date"),
        ("schedule graphs tz=EST5", "did you mean EST, EST5EDT"),
        ("schedule graphs tz=−04:00", "“−04:00” is an offset"),
        ("schedule graphs tz=Mars/Base", "“Mars/Base” is no time zone"),
        ("schedule graphs at=25:00", "“25:00” is no time of day"),
        ("schedule graphs on=feb", "“feb” is no day of the week"),
        ("schedule graphs max=0", "“0” is too few"),
        ("schedule graphs max=-1", "“-1” is too few"),
        ("schedule graphs max=1000000000", "is too many"),
        ("schedule graphs strictness=NaN", "“NaN” is no strictness"),
        ("schedule graphs gap=99", "“99” is too long"),
        ("workspace channels=nobody", "“nobody” is neither"),
    ],
)
async def test_what_cannot_be_is_refused_by_name_and_changes_nothing(bot: Bot, typed: str, said: str) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe memory")
    await bot.ask("subscribe chips in=reading")
    before = rows(bot)
    assert said in (await bot.ask(typed)).text
    assert rows(bot) == before


@pytest.mark.parametrize(
    ("typed", "field", "value"),
    [
        ("tz=Berlin", "time_zone", "Europe/Berlin"),
        ("at=9", "at", "09:00"),
        ("at=9am", "at", "09:00"),
        ("at=٠٩:٠٠", "at", "09:00"),
        ("on=1-5", "weekdays", "12345"),
        ("on=Mon–Fri", "weekdays", "12345"),
        ("on=weekdays", "weekdays", "12345"),
        ("gap=none", "gap", 0),
        ("quiet", "silent", True),
        ("--crosslists", "cross_lists", True),
    ],
)
async def test_what_a_person_means_is_understood(bot: Bot, typed: str, field: str, value: object) -> None:
    await bot.ask("subscribe graphs at=11 on=sun tz=Tokyo gap=3")
    await bot.ask(f"schedule graphs {typed}")
    assert getattr(rows(bot)["graphs"], field) == value


async def test_a_schedule_is_shown_and_changed_without_a_name_if_there_is_one(bot: Bot) -> None:
    assert "You follow nothing yet" in (await bot.ask("schedule")).text
    await bot.ask("subscribe graphs tz=berlin")
    shown = await bot.ask("schedule")
    assert "next: Thu 3 Dec 09:00 Berlin" in shown.text
    assert "/papers schedule graphs at=08:00" in shown.text
    changed = await bot.ask("schedule at=12:00 name=“big graphs”")
    assert changed.text == "“graphs” is changed.\ntime: 09:00 → 12:00\nname: “graphs” → “big graphs”"
    assert changed.footer.endswith("next: Wed 2 Dec 12:00 Berlin")
    assert "nothing changed" in (await bot.ask("schedule at=12")).text
    await bot.press(button(changed, "Undo"))
    assert rows(bot)["graphs"].at == "09:00"


async def test_of_several_it_is_asked_which_one(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe video")
    asked = await bot.ask("schedule at=8")
    assert "Which one?" in asked.text
    assert "“video”" in (await bot.press(button(asked, "Schedule", card=1))).text
    assert "“video” is changed" in (await bot.ask("schedule 2 at=8")).text


async def test_a_date_never_gets_a_second_digest_by_a_change(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=UTC at=09:00")
    with bot.app.store.writing() as conn:  # as if today's was planned
        conn.exec_driver_sql("UPDATE subscriptions SET last_date = '2026-12-02', next_due_at = '2026-12-03 09:00:00'")
    assert (await bot.ask("schedule graphs at=12")).footer.endswith("next: Thu 3 Dec 12:00 UTC")


async def test_a_pause_says_from_when_to_when(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    bot.pass_(days=1)
    answer = await bot.ask("pause graphs until=24 Dec")
    assert answer.text == (
        "“graphs” is paused from Thu 3 Dec 09:30 until Thu 24 Dec. "
        "The next digest, Thu 24 Dec 09:00 Berlin, covers what came from Wed 2 Dec 09:30 on."
    )
    assert labels(answer) == ["Resume"]
    assert "paused since Thu 3 Dec until Thu 24 Dec · next: Thu 24 Dec" in lines(await bot.ask("subscriptions"))
    back = await bot.press(button(answer, "Resume"))
    assert back.text.startswith("“graphs” goes on. The next digest, Fri 4 Dec 09:00 Berlin, covers")
    again = await bot.press(button(back, "Undo"))
    assert "as before" in again.text
    assert rows(bot)["graphs"].paused_until == "2026-12-24"
    assert "Mon 24 Dec 2029" in (await bot.ask("pause until=2029-12-24")).text


@pytest.mark.parametrize("typed", ["graphs until 24 Dec", "graphs for 22 days", "until 24.12.", "graphs until=24 Dec"])
async def test_a_pause_is_understood_as_it_is_spoken(bot: Bot, typed: str) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask(f"pause {typed}")
    assert rows(bot)["graphs"].paused_until == date(2026, 12, 24).isoformat()


async def test_a_name_that_sounds_like_a_pause_is_a_name(bot: Bot) -> None:
    await bot.ask("subscribe graphs name=“graphs until monday”")
    await bot.ask("pause graphs until monday")
    assert rows(bot)["graphs until monday"].next_due_at is None


async def test_all_of_mine_are_paused_and_go_on(bot: Bot) -> None:
    await two_together(bot)
    await bot.ask("subscribe memory")
    await bot.ask("subscribe chips in=here", channel="reading")
    paused = await bot.ask("pause", channel="reading")
    assert "“graphs” and “video” are paused" in paused.text
    assert [name for name, sub in rows(bot).items() if sub.paused_at is None] == ["chips"]
    await bot.press(button(paused, "Undo"), channel="reading")
    assert not any(sub.paused_at for sub in rows(bot).values())
    await bot.ask("pause video")
    assert rows(bot)["graphs"].paused_at
    resumed = await bot.ask("resume")
    assert resumed.text.startswith("“graphs” and “video” go on. The next digest, ")
    assert "is not paused" in (await bot.ask("resume memory")).text


async def test_where_i_have_none_the_channels_are_meant_if_i_may(bot: Bot) -> None:
    await bot.ask("subscribe chips in=reading", user="ada")
    refused = await bot.ask("pause", user="eve", channel="reading")
    assert "Only whoever subscribed this channel" in refused.text
    bot.managers.add("eve")
    assert "“chips” of #reading is paused" in (await bot.ask("pause", user="eve", channel="reading")).text
    assert "You follow nothing yet" in (await bot.ask("pause", user="eve")).text


async def test_what_was_refused_says_why_and_is_resumed_from_the_direct_message(bot: Bot) -> None:
    await bot.ask("subscribe chips in=reading tz=berlin")
    with bot.app.store.writing() as conn:
        (sub,) = subscriptions.everywhere(conn)
        subscriptions.pause(conn, sub.number, bot.at, why="the channel is archived")
    bot.pass_(days=2)
    listed = await bot.ask("subscriptions")
    assert "for #reading, asked for by you" in lines(listed)
    assert "paused since Wed 2 Dec: the channel is archived" in lines(listed)
    assert "Resume" in [one.label for one in listed.cards[0].buttons]
    answer = await bot.ask("resume chips")
    assert "The pause since Wed 2 Dec was because: the channel is archived." in answer.text
    assert rows(bot)["chips"].next_due_at is not None


@pytest.mark.parametrize("typed", ["pause tokens", "schedule the graph", "resume training of models"])
async def test_a_sentence_that_begins_like_a_command_can_be_searched_for(bot: Bot, typed: str) -> None:
    await bot.ask("subscribe video")
    answer = await bot.ask(typed)
    assert labels(answer) == [f"Search for “{typed}”"]


async def test_the_list_has_at_most_four_buttons_a_row_and_they_are_of_the_row(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe graphs in=here", channel="reading")
    listed = await bot.ask("subscriptions", channel="reading")
    for card in listed.cards:
        assert [one.label for one in card.buttons] == ["Digest now", "Pause", "Schedule", "Unsubscribe"]
    assert "“graphs” of #reading is paused" in (await bot.press(button(listed, "Pause", 1), channel="reading")).text
    listed = await bot.ask("subscriptions", channel="reading")
    assert "“graphs” of #reading goes on" in (await bot.press(button(listed, "Resume", 1), channel="reading")).text


async def test_managers_see_and_manage_all_of_their_workspace(bot: Bot) -> None:
    await bot.ask("subscribe secret plans", user="grace")
    await bot.ask("subscribe chips in=reading")
    refused = await bot.ask("workspace", user="eve")
    assert "Only those who manage this workspace" in refused.text
    assert not refused.cards
    listed = await bot.ask("workspace")
    assert titles(listed) == ["“secret plans”", "“chips” of #reading"]
    assert "grace's own" in lines(listed)
    assert "asked for by ada" in lines(listed, 1)
    assert "“secret plans” is paused" in (await bot.press(button(listed, "Pause", 0))).text
    assert "Resume" in [one.label for one in (await bot.ask("workspace")).cards[0].buttons]
    removed = await bot.press(button(listed, "Remove", 0))
    assert "grace follows “secret plans” no longer" in removed.text
    await bot.press(button(removed, "Undo"))
    assert set(rows(bot)) == {"secret plans", "chips"}
    bot.managers.clear()
    assert "those who manage this workspace, can" in (await bot.press(button(listed, "Remove", 0))).text
    assert "those who manage this workspace, can" in (await bot.press(button(removed, "Undo"))).text


async def test_nobody_reaches_into_another_workspace(bot: Bot) -> None:
    await bot.ask("subscribe chips")
    number = rows(bot)["chips"].number
    with bot.app.store.writing() as conn:
        conn.exec_driver_sql("UPDATE owners SET workspace = 'elsewhere'")
    assert "There is no subscription" in (await bot.ask(f"pause sub{number}")).text
    assert "0 subscriptions" in (await bot.ask("workspace")).text


async def test_a_subscription_of_a_channel_is_handed_over(bot: Bot) -> None:
    await bot.ask("help", user="grace")
    await bot.ask("subscribe chips in=reading tz=berlin")
    listed = await bot.ask("workspace")
    asked = await bot.press(button(listed, "Hand over", 0))
    number = rows(bot)["chips"].number
    assert f"/papers schedule sub{number} to=@NAME" in asked.text
    given = await bot.ask(f"schedule sub{number} to=@Grace")
    assert "asked for by: ada → grace" in given.text
    bot.managers.clear()
    assert "“chips” of #reading is paused" in (await bot.ask("pause chips", user="grace")).text
    assert "Only whoever subscribed" in (await bot.ask("resume chips", channel="reading")).text
    bot.managers.add("ada")
    await bot.press(button(given, "Undo"))
    assert rows(bot)["chips"].asker == "ada"
    await bot.ask(f"schedule sub{number} to=<@grace|Grace>")
    assert "asked for by: grace → ada" in (await bot.press(button(asked, "Mine"))).text
    with bot.app.store.writing() as conn:  # grace heard of it, and ada of her own doing did not
        told = outbox.claim(conn, bot.at, "mine", 120, 9, ["test"])
    assert {(row.address.user, row.kind) for row in told} == {("grace", "notice")}
    assert "ada handed the digest “chips” of #reading over to you" in told[0].message.text
    assert f"/papers schedule sub{number}" in told[0].message.text


async def test_two_people_of_one_name_are_told_apart(bot: Bot) -> None:
    await bot.ask("subscribe chips in=reading")
    with bot.app.store.writing() as conn:
        for external in ("U1", "U2"):
            owners.get(conn, "test", "lab", "person", external, "Kim Lee", bot.at)
    assert "by the id: U1, U2" in (await bot.ask('schedule chips to="@kim lee"')).text
    assert "→ Kim Lee" in (await bot.ask("schedule chips to=U2")).text


async def test_a_workspace_may_let_everyone_subscribe_the_channel_they_are_in(bot: Bot) -> None:
    assert (
        "Only those who manage #reading"
        in (await bot.ask("subscribe graphs in=here", user="eve", channel="reading")).text
    )
    changed = await bot.ask("workspace channels=everyone")
    assert "any member" in changed.text
    assert (
        "#reading follows “graphs”" in (await bot.ask("subscribe graphs in=here", user="eve", channel="reading")).text
    )
    assert "type this in #reading itself" in (await bot.ask("subscribe video in=reading", user="eve")).text
    assert "is paused" in (await bot.ask("pause graphs", user="lin", channel="reading")).text
    await bot.press(button(changed, "Undo"))
    assert "Only whoever subscribed" in (await bot.ask("resume graphs", user="lin", channel="reading")).text


async def test_sub_and_a_number_is_a_name_where_something_is_called_so(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe video name=sub1")
    assert "“sub1” is paused" in (await bot.ask("pause sub1")).text


async def test_a_digest_of_several_is_removed_by_its_number_and_comes_back(bot: Bot) -> None:
    await two_together(bot)
    gone = await bot.ask(f"unsubscribe sub{rows(bot)['graphs'].number}")
    assert "You follow “graphs” and “video” no longer" in gone.text
    assert not rows(bot)
    await bot.press(button(gone, "Undo"))
    assert set(rows(bot)) == {"graphs", "video"}


async def test_an_undo_after_everything_is_gone_says_so(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    changed = await bot.ask("schedule graphs at=7")
    await bot.ask("unsubscribe graphs")
    assert "followed no longer" in (await bot.press(button(changed, "Undo"))).text


async def test_saying_it_again_with_another_schedule_can_be_undone(bot: Bot) -> None:
    await bot.ask("subscribe graphs at=7 tz=berlin")
    answer = await bot.ask("subscribe graphs at=8")
    await bot.press(button(answer, "Undo"))
    assert rows(bot)["graphs"].at == "07:00"
    assert labels(await bot.ask("subscribe graphs")) == ["Schedule"]


async def test_what_is_liked_without_a_subscription_has_no_schedule(bot: Bot) -> None:
    await bot.ask("search HDR video")
    await bot.ask("more 1")
    assert "has no schedule yet" in (await bot.ask("pause what I liked")).text


async def test_what_is_typed_is_stored_on_both_databases(store: Store) -> None:
    bot = make_bot([], store)
    await bot.ask("subscribe graphs at=7 tz=berlin on=fri max=3 strictness=strict gap=2 quiet=yes")
    await bot.ask("subscribe video with=graphs max=4")
    parted = await bot.ask("schedule video with=none at=8 strictness=relaxed gap=none name=films")
    assert "“video” is changed" in parted.text
    await bot.press(button(parted, "Undo"))
    paused = await bot.ask("pause until=24 Dec")
    await bot.press(button(paused, "Resume"))
    await bot.ask("workspace tz=Tokyo channels=everyone")
    graphs, video = rows(bot).values()
    assert (graphs.number, graphs.at, graphs.at_most, graphs.gap) == (video.number, "07:00", 4, 2)
    assert (graphs.strictness, graphs.silent, graphs.paused_at) == ("strict", True, None)
    listed = await bot.ask("workspace")
    assert "Asia/Tokyo" in listed.text
    await bot.press(button(listed, "Remove", 0))
    assert not rows(bot)


async def test_all_is_all_of_mine_unless_something_is_called_so(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe video")
    await bot.ask("pause all until friday")
    assert [sub.paused_until for sub in rows(bot).values()] == ["2026-12-04", "2026-12-04"]
    await bot.ask("resume all")
    assert all(sub.paused_at is None for sub in rows(bot).values())
    await bot.ask("subscribe language models name=all")
    await bot.ask("pause all")
    assert [name for name, sub in rows(bot).items() if sub.paused_at is not None] == ["all"]


async def test_what_comes_together_pauses_together_and_the_named_one_is_named_first(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=berlin")
    await bot.ask("subscribe video with=graphs")
    await bot.ask("subscribe memory with=graphs")
    paused = (await bot.ask("pause memory")).text
    assert paused.startswith("“memory” and 2 more are paused from")
    assert paused.endswith("They come in one digest.")
    assert (await bot.ask("resume video")).text.startswith("“video” and 2 more go on.")


async def test_a_digest_whose_new_time_has_passed_today_is_said_to_come_in_a_moment(bot: Bot) -> None:
    await bot.ask("subscribe graphs tz=UTC at=09:00")  # it is 08:30
    assert (await bot.ask("schedule graphs at=08:00")).footer.endswith("next: in a moment, that of Wed 2 Dec 08:00 UTC")

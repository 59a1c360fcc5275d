"""Subscriptions, digests and feedback: what is followed, what comes, and how marks change it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from bot.core.message import Message
from tests.fakes.bot import Bot, button, labels, make_bot, titles


@pytest.fixture
def bot() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


async def names(bot: Bot, **where: str) -> list[str]:
    return titles(await bot.ask("subscriptions", **where))


async def test_a_subscription_shows_a_preview_and_keeps_its_schedule(bot: Bot) -> None:
    answer = await bot.ask("subscribe language models at=7pm tz=berlin on=mon,thu max=3 strictness=relaxed")
    assert answer.text.startswith("You follow “language models” now. A preview:\nGood morning. 3 of 19 new papers")
    assert len(answer.cards) == 3
    comes = "next: Thu 3 Dec 19:00 Berlin"
    assert answer.footer.splitlines()[0].endswith(
        f"schedule: 19:00 Berlin, Mon, Thu, up to 3 papers, relaxed · {comes}"
    )
    listed = await bot.ask("subscriptions")
    assert listed.cards[0].lines == ("19:00 Berlin, Mon, Thu, up to 3 papers · relaxed", comes)


async def test_twice_is_once_and_changes_what_is_said_anew(bot: Bot) -> None:
    await bot.ask("subscribe language models at=19:00 max=3")
    answer = await bot.ask("subscribe Language  Models max=4")
    assert "already. Its schedule is as you say now" in answer.text
    assert "19:00 UTC, weekdays, up to 4 papers" in answer.footer
    assert await names(bot) == ["language models"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("tz=Mars/Base", "Mars/Base"),
        ("at=25:00", "25:00"),
        ("max=0", "0"),
        ("strictness=NaN", "NaN"),
        ("on=feb", "feb"),
    ],
)
async def test_an_option_that_cannot_be_is_refused_by_name(bot: Bot, option: str, said: str) -> None:
    answer = await bot.ask(f"subscribe language models {option}")
    assert said in answer.text
    assert "/papers help subscribe" in answer.text
    assert not (await bot.ask("subscriptions")).cards


async def test_topics_too_long_are_refused_by_name(bot: Bot) -> None:
    answer = await bot.ask("subscribe " + "abc " * 75)
    assert "a topic has 200 at most" in answer.text


async def test_undo_of_a_subscription(bot: Bot) -> None:
    answer = await bot.ask("subscribe language models")
    for _ in range(2):  # a double click has one effect
        assert (await bot.press(button(answer, "Undo"))).text.startswith("Undone")
        assert await names(bot) == []


async def test_unsubscribe_by_name_number_and_button_and_back(bot: Bot) -> None:
    for topic in ("language models", "graphs", "video"):
        await bot.ask(f"subscribe {topic}")
    await bot.ask("more 1")
    assert (await bot.ask("unsubscribe 2")).text.startswith("You follow “graphs” no longer.")
    listed = await bot.ask("subscriptions")
    assert "“video” no longer. 1 mark" in (await bot.press(button(listed, "Unsubscribe", card=1))).text
    gone = await bot.ask("unsubscribe language MODELS")
    assert await names(bot) == []
    await bot.press(button(gone, "Undo"))
    assert await names(bot) == ["language models"]
    nothing = await bot.ask("unsubscribe quantum")
    assert "You follow nothing called “quantum”" in nothing.text


async def test_marks_change_the_next_digest_and_it_says_why(bot: Bot) -> None:
    first = await bot.ask("subscribe transformers; long context max=4")
    liked, disliked = titles(first)[:2]
    await bot.press(button(first, "More like this", card=0))
    await bot.press(button(first, "Less", card=1))
    second = await bot.ask("digest")
    assert liked not in titles(second)
    assert disliked not in titles(second)
    assert titles(second) != titles(first)
    assert any(f"near “{liked[:30]}" in line for card in second.cards for line in card.lines), second


async def test_the_last_word_wins_and_a_press_never_toggles(bot: Bot) -> None:
    first = await bot.ask("subscribe language models")
    for label in ("More like this", "Less", "Less"):
        await bot.press(button(first, label, card=0))
    profile = (await bot.ask("profile")).text
    assert "less like 1 paper" in profile
    assert "more like" not in profile


async def test_undo_restores_the_mark_before(bot: Bot) -> None:
    first = await bot.ask("subscribe language models")
    await bot.press(button(first, "More like this", card=0))
    less = await bot.press(button(first, "Less", card=0))
    await bot.press(button(less, "Undo"))
    assert "more like 1 paper" in (await bot.ask("profile")).text


async def test_a_like_goes_to_the_interest_that_showed_it_or_to_the_nearest(bot: Bot) -> None:
    await bot.ask("subscribe video reconstruction")
    await bot.ask("subscribe speculative decoding")
    await bot.ask("search HDR video")
    answer = await bot.ask("more 1")
    assert "for “video reconstruction”" in answer.text
    answer = await bot.ask("more RepSpec")
    assert "for “speculative decoding”" in answer.text


async def test_a_like_without_any_interest_makes_one(bot: Bot) -> None:
    await bot.ask("search HDR video")
    assert "for “what I liked”" in (await bot.ask("more 1")).text
    digest = await bot.ask("digest")
    assert digest.text


async def test_followed_authors_come_and_say_so(bot: Bot) -> None:
    await bot.ask("subscribe speculative decoding strictness=strict")
    await bot.ask("follow Maximilian Beck")
    digest = await bot.ask("digest")
    lines = [line for card in digest.cards for line in card.lines]
    assert any("followed author" in line for line in lines)
    known = (await bot.ask("profile")).text
    assert "Authors you follow: Maximilian Beck. Change it: /papers unfollow AUTHOR" in known


async def test_muted_words_and_authors_never_come(bot: Bot) -> None:
    before = await bot.ask("subscribe language models max=10 strictness=relaxed")
    muted = titles(before)[0]
    await bot.ask("mute speculative decoding")
    after = await bot.ask("digest")
    assert not any("Speculative" in title for title in titles(after))
    assert "Muted: speculative decoding. Change it: /papers unmute WORDS" in (await bot.ask("profile")).text
    await bot.ask("unmute speculative decoding")
    assert muted in titles(await bot.ask("digest"))


async def test_wishes_are_undone_and_refused_kindly(bot: Bot) -> None:
    answer = await bot.ask("follow Ada Lovelace")
    assert "You follow “Ada Lovelace” now" in answer.text
    assert "No paper here is by this name yet" in answer.text
    await bot.press(button(answer, "Undo"))
    gone = await bot.ask("unfollow Ada Lovelace")
    assert "nothing" in gone.text
    assert "no letters" in (await bot.ask("mute 🙂")).text
    assert "leave you none" in (await bot.ask("mute the")).text
    assert "yet" not in (await bot.ask("follow M. Beck")).text


async def test_saved_papers_are_listed_newest_first(bot: Bot) -> None:
    await bot.ask("search transformers")
    await bot.ask("save 1")
    bot.pass_(minutes=1)
    second = await bot.ask("save 2")
    listed = await bot.ask("saved")
    assert listed.text.startswith("2 saved papers")
    await bot.press(button(second, "Undo"))
    assert (await bot.ask("saved")).text.startswith("1 saved paper,")
    again = await bot.ask(f"save {titles(listed)[1]}")
    assert "already" in again.text


async def test_a_topic_that_no_paper_uses_says_so(bot: Bot) -> None:
    answer = await bot.ask("subscribe zzz")
    assert "No paper here uses “zzz”." in answer.text
    assert "among the newest" in answer.cards[0].lines[-1]
    near = await bot.ask("subscribe transfomer", user="grace")
    assert "Near it: transformer" in near.text


async def test_a_chinese_topic_works_or_says_that_it_cannot(bot: Bot) -> None:
    answer = await bot.ask("subscribe 注意力机制")
    assert "No paper here uses “注意力机制”" in answer.text


async def test_old_papers_are_no_news_but_stand_in_when_there_are_none(bot: Bot) -> None:
    await bot.ask("subscribe language models")
    bot.pass_(days=30)
    answer = await bot.ask("digest")
    assert "Nothing new came in the last 7 days" in answer.text
    assert answer.cards


async def test_nothing_near_enough_says_what_came_closest(bot: Bot) -> None:
    await bot.ask("subscribe speculative decoding strictness=strict max=1")
    for _ in range(3):
        digest = await bot.ask("digest")
        if not digest.cards:
            break
        await bot.press(button(digest, "Less", card=0))
    assert "none is near enough" in digest.text
    assert "The closest: “" in digest.text
    shown = await bot.press(button(digest, "Show it"))
    assert shown.cards


async def test_several_interests_take_turns(bot: Bot) -> None:
    await bot.ask("subscribe HDR video")
    await bot.ask("subscribe speculative decoding")
    digest = await bot.ask("digest")
    assert "for “HDR video” and “speculative decoding”" in digest.text
    assert {"DeAltHDR", "RepSpec"} <= {title.partition(":")[0] for title in titles(digest)[:2]}
    one = await bot.ask("digest HDR")
    assert "for “HDR video”" in one.text


async def test_channels_are_managed_by_those_who_may(bot: Bot) -> None:
    assert "#reading follows “graphs” now" in (await bot.ask("subscribe graphs in=#reading", channel="lobby")).text
    refused = await bot.ask("subscribe spam in=reading", user="eve")
    assert "Only those who manage #reading" in refused.text
    assert "is no channel" in (await bot.ask("subscribe graphs in=here")).text
    assert await names(bot, user="eve", channel="reading") == ["graphs"]
    listed = await bot.ask("subscriptions", user="eve", channel="reading")
    stopped = await bot.press(button(listed, "Unsubscribe", card=0), user="eve", channel="reading")
    assert "Only whoever subscribed this channel" in stopped.text
    assert "#reading follows “graphs” no longer" in (await bot.ask("unsubscribe graphs", channel="reading")).text


async def test_in_a_channel_everybody_has_one_voice_for_its_interest_only(bot: Bot) -> None:
    preview = await bot.ask("subscribe language models in=here", channel="reading")
    for user in ("grace", "grace", "lin"):
        answer = await bot.press(button(preview, "More like this", card=0), user=user, channel="reading")
        assert "#reading: “language models”" in answer.text
    assert "I know nothing of you yet" in (await bot.ask("profile", user="grace")).text


async def test_profile_tells_words_weights_and_how_to_change(bot: Bot) -> None:
    await bot.ask("subscribe speculative decoding")
    await bot.ask("more xLSTM Scaling Laws")
    text = (await bot.ask("profile")).text
    for part in ("from your topics: speculative decoding", "I look for: ", "100%", "xLSTM Scaling Laws", "change it: "):
        assert part in text


async def test_export_has_everything_and_forget_leaves_nothing(bot: Bot) -> None:
    await bot.ask("subscribe language models name=mine")
    await bot.ask("more 1")
    await bot.ask("save 1")
    await bot.ask("mute robots")
    (file,) = (await bot.ask("export")).files
    data = json.loads(file.content)
    assert (data["interests"][0]["name"], len(data["marks"]), len(data["saved"])) == ("mine", 1, 1)
    question = await bot.ask("forget")
    for part in ("1 interest,", "1 mark,", "1 saved paper,"):
        assert part in question.text
    assert (await bot.ask("profile")).text.startswith("“mine”")  # asking deletes nothing
    done = await bot.press(button(question, "Delete all of it"))
    assert "is deleted" in done.text
    assert "I know nothing of you yet" in (await bot.ask("profile")).text
    assert "expired" in (await bot.press(button(question, "Delete all of it"))).text


async def test_an_old_question_to_forget_has_expired(bot: Bot) -> None:
    question = await bot.ask("forget")
    bot.pass_(hours=1)
    answer = await bot.press(button(question, "Delete all of it"))
    assert "expired" in answer.text


async def test_buttons_work_after_a_restart(bot: Bot) -> None:
    from bot.store.library import Library
    from recommender.rankers.default import ranker

    shown: Message = await bot.ask("subscribe language models")
    bot.app.library = Library(bot.app.store, None, ranker)
    answer = await bot.press(button(shown, "More like this", card=0))
    assert answer.text.startswith("More like")
    assert labels(answer) == ["Undo"]


async def test_undo_of_unsubscribe_when_the_name_was_taken_since(bot: Bot) -> None:
    await bot.ask("subscribe graphs")
    gone = await bot.ask("unsubscribe graphs")
    await bot.ask("subscribe graphs")
    assert "followed anew already" in (await bot.press(button(gone, "Undo"))).text
    assert await names(bot) == ["graphs"]


async def test_undo_asks_anew_who_may_manage(bot: Bot) -> None:
    bot.managers = {"ada", "bob"}
    await bot.ask("subscribe graphs in=here", channel="reading")
    gone = await bot.ask("unsubscribe graphs", user="bob", channel="reading")
    bot.managers = set()
    assert "Only whoever subscribed" in (await bot.press(button(gone, "Undo"), user="bob", channel="reading")).text
    bot.managers = {"bob"}
    assert "Undone" in (await bot.press(button(gone, "Undo"), user="bob", channel="reading")).text
    assert await names(bot, user="eve", channel="reading") == ["graphs"]


async def test_what_others_marked_is_in_nobody_elses_export(bot: Bot) -> None:
    preview = await bot.ask("subscribe language models in=here", channel="reading")
    await bot.ask("less 1 because=a secret reason", user="lin", channel="reading")
    await bot.press(button(preview, "Less", card=0), user="lin", channel="reading")
    await bot.ask("unsubscribe language models", channel="reading")
    (file,) = (await bot.ask("export")).files
    assert b"secret" not in file.content
    assert b"lin" not in file.content
    assert "is deleted" in (await bot.press((await bot.ask("forget", user="lin")).buttons[0], user="lin")).text


async def test_a_press_under_a_digest_that_is_followed_no_longer_marks_nothing(bot: Bot) -> None:
    preview = await bot.ask("subscribe language models in=here", channel="reading")
    await bot.ask("subscribe private things", user="eve")
    await bot.ask("unsubscribe language models", channel="reading")
    answer = await bot.press(button(preview, "Less", card=0), user="eve", channel="reading")
    assert "followed no longer" in answer.text
    assert "less like" not in (await bot.ask("profile", user="eve")).text


@pytest.mark.parametrize("typed", ["show openreview:btgVfhudI1 share", "search openreview:btgVfhudI1 share"])
async def test_what_is_shared_tells_nothing_of_the_person(bot: Bot, typed: str) -> None:
    await bot.ask("subscribe sliding window attention name=secretproject")
    await bot.ask("mute memorization")
    await bot.ask(typed, channel="reading")
    assert bot.last[1].public
    shown = "".join(line for message in bot.last for card in message.cards for line in card.lines)
    assert "secretproject" not in shown
    assert "muted" not in shown
    assert (await bot.press(button(bot.last[1], "Why, in full", card=0), user="eve", channel="reading")).cards


async def test_a_number_means_the_list_on_the_screen_in_a_channel_too(bot: Bot) -> None:
    await bot.ask("search HDR video", channel="reading")
    digest = await bot.ask("subscribe language models in=here", channel="reading")
    answer = await bot.ask("more 1", channel="reading")
    assert titles(digest)[0][:40] in answer.text
    assert "#reading: “language models”" in answer.text


async def test_numbers_mean_the_rows_of_the_subscriptions_list(bot: Bot) -> None:
    await bot.ask("search HDR video")
    await bot.ask("more 1")  # makes an interest that is no subscription
    await bot.ask("subscribe alpha decay name=alpha")
    await bot.ask("subscribe graphs in=here", channel="reading")
    assert titles(await bot.ask("subscriptions", channel="reading")) == ["alpha", "graphs"]
    assert "#reading follows “graphs” no longer" in (await bot.ask("unsubscribe 2", channel="reading")).text
    assert "“alpha” no longer" in (await bot.ask("unsubscribe 1")).text
    assert "what I liked" in (await bot.ask("profile")).text


async def test_a_preview_for_a_channel_can_be_pressed_where_it_was_asked(bot: Bot) -> None:
    preview = await bot.ask("subscribe language models in=reading")
    answer = await bot.press(button(preview, "More like this", card=0))
    assert "#reading: “language models”" in answer.text


async def test_digest_now_is_the_row_that_was_pressed(bot: Bot) -> None:
    await bot.ask("subscribe graphs")
    await bot.ask("subscribe video name=graphs in=here", channel="reading")
    listed = await bot.ask("subscriptions", channel="reading")
    digest = await bot.press(button(listed, "Digest now", card=1), channel="reading")
    assert "DeAltHDR" in titles(digest)[0]


async def test_each_interest_keeps_to_its_own_number_in_a_joint_digest(bot: Bot) -> None:
    await bot.ask("subscribe language models max=1 strictness=relaxed")
    await bot.ask("subscribe transformers max=6 strictness=relaxed")
    ones = await bot.ask("digest language")
    both = await bot.ask("digest")
    assert len(ones.cards) == 1
    assert len(both.cards) >= 4


async def test_first_presses_at_the_same_moment_make_one_interest(bot: Bot) -> None:
    listed = await bot.ask("search transformers")
    presses = [bot.ask(action=button(listed, "More like this", card=card).action) for card in range(3)]
    answers = await asyncio.gather(*presses)
    assert all("for “what I liked”" in answer.text for answer in answers)

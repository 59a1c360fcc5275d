"""What people type, press and read: search, show, similar, topics, help, and the words of refusals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.core.message import Message
from tests.fakes.bot import START, Bot, button, labels, make_bot, titles

SWAX = "Short Window Attention Enables Long-Term Memorization"
KEY = "openreview:btgVfhudI1"


@pytest.fixture(scope="module")
def seeded() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


@pytest.fixture
def bot(seeded: Bot) -> Bot:
    seeded.at = START
    return seeded


def text_of(message: Message) -> str:
    return "\n".join([message.text, *(line for card in message.cards for line in (card.title, *card.lines))])


@pytest.mark.parametrize(
    "typed",
    [
        f"search {SWAX}",
        SWAX,
        "search shrot window atention enables long term memorization",
        "search Cabannes window",
        f"search {KEY}",
        KEY,
        "https://openreview.net/forum?id=btgVfhudI1",
        "/papers search https://openreview.net/pdf?id=btgVfhudI1",
        "show short window attention enables long-term memorization",
        f"show {KEY}",
    ],
)
async def test_a_paper_is_found_however_it_is_named(bot: Bot, typed: str) -> None:
    assert titles(await bot.ask(typed))[0] == SWAX


async def test_show_tells_all_that_is_known(bot: Bot) -> None:
    shown = text_of(await bot.ask(f"show {KEY}"))
    for part in ("Loïc Cabannes", "ICLR 2026", "SWAX", KEY, "ids: "):
        assert part in shown


async def test_show_says_whether_it_would_be_picked(bot: Bot) -> None:
    await bot.ask("subscribe sliding window attention", user="grace")
    await bot.ask("mute memorization", user="grace")
    shown = text_of(await bot.ask(f"show {KEY}", user="grace"))
    assert "for you: " in shown
    assert "you muted “memorization”" in shown


async def test_a_number_means_the_paper_on_the_screen(bot: Bot) -> None:
    listed = await bot.ask("search transformers", user="lin")
    second = await bot.ask("show 2", user="lin")
    assert titles(second) == [titles(listed)[1]]
    beyond = await bot.ask("show 99", user="lin")
    assert "no paper number 99" in beyond.text


async def test_an_unknown_id_is_said_to_be_unknown(bot: Bot) -> None:
    answer = await bot.ask("show arXiv:2401.99999")
    assert "I do not have arxiv:2401.99999 here" in answer.text


async def test_a_command_that_does_not_fit_offers_the_search(bot: Bot) -> None:
    answer = await bot.ask("more efficient transformers")
    assert labels(answer) == ["Search for “more efficient transformers”"]
    found = await bot.press(answer.buttons[0])
    assert "for “more efficient transformers”" in found.text
    assert found.cards


async def test_a_near_miss_is_offered_and_never_run(bot: Bot) -> None:
    answer = await bot.ask("subscrbe scaling laws", user="typo")
    assert "Run “subscribe scaling laws”" in labels(answer)
    assert (await bot.ask("subscriptions", user="typo")).text.startswith("You follow nothing")
    await bot.press(button(answer, "Run “subscribe scaling laws”"), user="typo")
    assert (await bot.ask("subscriptions", user="typo")).text == "1 subscription"


async def test_pages_turn_both_ways_and_after_months(bot: Bot) -> None:
    first = await bot.ask("search learning")
    assert first.footer.startswith("page 1 of")
    bot.pass_(days=150)
    second = await bot.press(button(first, "Next ▸"))
    back = await bot.press(button(second, "◂ Previous"))
    assert (titles(back), titles(second)[0] in titles(first)) == (titles(first), False)
    bot.pass_(days=40)
    assert "expired" in (await bot.press(button(first, "Next ▸"))).text


async def test_a_list_of_somebody_else_is_not_pressed(bot: Bot) -> None:
    mine = await bot.ask("search learning", user="ada")
    assert "expired" in (await bot.press(button(mine, "Next ▸"), user="mallory")).text


@pytest.mark.parametrize("option", ["area=reinforcement", "area=nothing-like-it", "source=nowhere"])
async def test_an_option_that_names_nothing_is_refused_by_name(bot: Bot, option: str) -> None:
    answer = await bot.ask(f"search attention {option}")
    assert option.partition("=")[2] in answer.text
    assert not answer.cards


async def test_options_narrow_the_search(bot: Bot) -> None:
    everything = await bot.ask("search learning")
    some = await bot.ask("search learning source=openreview days=7")
    assert titles(some) == titles(everything)  # all of them are: the seeds are OpenReview's, and new
    area = await bot.ask('search learning area="reinforcement learning"')
    assert set(titles(area)) < set(titles(everything)) or not area.cards


async def test_similar_takes_one_paper_or_several(bot: Bot) -> None:
    one = await bot.ask(f"similar {SWAX}")
    assert SWAX not in titles(one)
    assert f"Papers like “{SWAX}”" in one.text
    await bot.ask("search transformers")
    both = await bot.ask("similar 1 2")
    assert " and “" in both.text


async def test_topics_can_be_followed_by_a_press(bot: Bot) -> None:
    answer = await bot.ask("topics", user="new")
    assert "area · " in answer.cards[0].lines[0]
    followed = await bot.press(button(answer, "Follow", card=0), user="new")
    assert f"You follow “{titles(answer)[0]}” now." in followed.text


async def test_topics_tell_what_this_channel_follows_and_nobody_else(bot: Bot) -> None:
    await bot.ask("subscribe secret plans", user="ada")
    await bot.ask("subscribe board matters in=board", user="ada")
    await bot.ask("subscribe open plans in=reading", user="ada")
    answer = await bot.ask("topics", user="eve", channel="reading")
    shown = titles(answer)
    while "Next ▸" in labels(answer):
        answer = await bot.press(button(answer, "Next ▸"), user="eve", channel="reading")
        shown += titles(answer)
    assert "open plans" in shown
    assert "secret plans" not in shown
    assert "board matters" not in shown


async def test_help_is_made_from_the_commands(bot: Bot) -> None:
    everything = (await bot.ask("help")).text
    for name, known in bot.app.commands.items():
        assert (known.usage in everything) != known.hidden, name
    one = (await bot.ask("help search")).text
    assert "days: only papers of the last so many days" in one
    assert "Did you mean search?" in (await bot.ask("help serach")).text


async def test_alone_the_root_suggests_three_commands_for_this_person(bot: Bot) -> None:
    first = await bot.ask("/papers", user="fresh")
    assert first.text.startswith("I pick the few new papers")
    assert "I store what you follow" in first.text
    assert len(first.buttons) == 3
    await bot.press(first.buttons[0], user="fresh")
    assert labels(await bot.ask("", user="fresh"))[:1] == ["digest"]


@pytest.mark.parametrize(
    "typed", ["search", "search   ", "search --", 'search ""', "search the of and", "search 🙂", "search " + "x" * 5000]
)
async def test_a_query_that_says_nothing_gets_an_answer(bot: Bot, typed: str) -> None:
    answer = await bot.ask(typed)
    assert answer.text
    assert not answer.cards or "the" in typed


async def test_words_are_not_taken_for_options(bot: Bot) -> None:
    answer = await bot.ask("search attention at:scale days=soon don't")
    assert answer.cards


async def test_an_incident_has_a_number_and_no_name_of_an_error(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    from bot.core.request import Address, Request

    async def broken(ctx: object) -> Message:
        raise RuntimeError("secret detail")

    bot.app.commands["broken"] = replace(bot.app.commands["saved"], name="broken", run=broken)
    try:
        request = Request(Address("test", "lab", "ada"), text="broken")
        (answer,) = [message async for message in bot.app.invoke(request)]
    finally:
        del bot.app.commands["broken"]
    assert "RuntimeError" not in answer.text
    assert "secret" not in answer.text
    assert any(len(word.strip(":")) == 6 for word in answer.text.split())

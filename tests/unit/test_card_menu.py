"""What a card's menu does: BibTeX, muting an author, opening the link."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.bibtex import entry
from recommender.types import Paper
from tests.fakes.bot import Bot, button, make_bot

PAPER = Paper(
    "arxiv:2401.01234",
    "50% of {Braces} & $x_1$ in LaTeX",
    "Robots cook soup.",
    ("Müller, Jörg", "Ada Lovelace"),
    datetime(2024, 1, 2, tzinfo=UTC),
    url="https://arxiv.org/abs/2401.01234",
    source="arxiv",
)


def test_an_entry_is_escaped_and_keeps_its_capitals() -> None:
    said = entry(PAPER)
    assert said.startswith("@misc{muller2024braces,\n")
    assert r"title = {{50\% of Braces \& x₁ in LaTeX}}," in said
    assert "author = {Müller, Jörg and Ada Lovelace}," in said
    assert "eprint = {2401.01234}," in said


@pytest.mark.parametrize("title", ["}", "{", "\\", "a}b{c", "\\}", "@article{x,", "", "漢字", "\ud800"])
def test_no_title_breaks_out_of_its_braces(title: str) -> None:
    said = entry(Paper("x:1", title, "", (title,), url="https://x.example/}{", venue=title))
    depth, last = 0, ""
    for mark in said:
        if mark in "{}" and last != "\\":
            depth += 1 if mark == "{" else -1
            assert depth >= 0
        last = "" if last == "\\" else mark
    assert depth == 0
    assert said.endswith("\n}")
    assert "None" not in said


def test_what_is_not_known_is_left_out() -> None:
    assert entry(Paper("x:1", "A title")) == "@misc{title,\n  title = {{A title}},\n}"


@pytest.fixture
def bot() -> Bot:
    alone = Paper("x:2", "Alone with soup", "Robots cook soup by themselves.", ("Grace Hopper",))
    return make_bot([PAPER, alone, Paper("x:3", "Soup without a cook", "Nobody cooks soup.")])


async def test_a_menu_has_five_entries_at_most_and_opens_the_link(bot: Bot) -> None:
    shown = await bot.ask("search latex braces")
    menu = [one for one in shown.cards[0].buttons if one.menu]
    assert [one.label for one in menu] == ["Similar papers", "Why, in full", "BibTeX", "Mute an author", "Open"]
    assert menu[-1].url == PAPER.url
    assert "@misc{muller2024braces" in (await bot.press(menu[2])).text


async def test_of_several_authors_one_is_chosen(bot: Bot) -> None:
    shown = await bot.ask("search latex braces")
    asked = await bot.press(button(shown, "Mute an author", card=0))
    assert "Ada Lovelace" in (await bot.press(button(asked, "Mute Ada Lovelace"))).text


async def test_the_only_author_is_muted_at_once_and_back_again(bot: Bot) -> None:
    shown = await bot.ask("search alone")
    card = next(at for at, one in enumerate(shown.cards) if one.paper == "x:2")
    muted = await bot.press(button(shown, "Mute an author", card=card))
    assert "You mute “Grace Hopper” now." in muted.text
    assert (await bot.press(button(muted, "Undo"))).text == "Undone."


async def test_a_paper_without_authors_says_so(bot: Bot) -> None:
    shown = await bot.ask("search soup")
    card = next(at for at, one in enumerate(shown.cards) if one.paper == "x:3")
    assert "No author" in (await bot.press(button(shown, "Mute an author", card=card))).text

"""A paper that is not here, as people meet it: asked for elsewhere, waited for with a word, kept, and named if not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.core.message import Message
from bot.core.reached import BUSY, Reached
from bot.core.request import Address, Request
from bot.errors import SourceError
from bot.jobs.keeper import keeper
from bot.jobs.reach import AT_ONCE, Reach
from bot.store import papers
from recommender.types import Paper
from tests.fakes.bot import Bot, button, labels, make_bot, titles
from tests.fakes.kinds import Kind

OLD = datetime(2024, 1, 2, tzinfo=UTC)
WINDOWS = Paper("arxiv:2401.01234", "Sliding Windows of Glass", "On windows that slide.", ("Ada Author",), OLD)
DOORS = Paper("arxiv:2401.01235", "Doors That Slide as Windows Do", "On doors.", ("Bo Author",), OLD)
HERE = [
    Paper(f"local:{n}", f"Transformers of kind {n}", "Of transformers and robots.", published=OLD) for n in range(3)
]
LOOKING = "Still looking …"
LINKS = (
    "https://arxiv.org/abs/2401.01234v2",
    "<https://arxiv.org/pdf/2401.01234v3.pdf|this>",
    "arXiv:2401.01234",
    "2401.01234",
    "10.48550/arXiv.2401.01234",
)


@pytest.fixture
def bot() -> Iterator[Bot]:
    made = make_bot(HERE)
    yield made
    made.app.close()


def reaching(bot: Bot, *kinds: Kind, soon: float = 1.0, **limits: float) -> Reach:
    app = bot.app
    out = Reach({kind.name: kind for kind in kinds}, None, keeper(app.store, app.library), soon=soon, **limits)
    app.reach = out
    return out


def arxiv(slow: float = 0.0) -> Kind:
    return Kind("arxiv", {"arxiv"}, {one.id: one for one in (WINDOWS, DOORS)}, looks=[WINDOWS, DOORS], slow=slow)


def texts(bot: Bot) -> list[str]:
    return [message.text for message in bot.last]


@pytest.mark.parametrize("said", [f"{verb}{link}" for link in LINKS for verb in ("", "show ", "search ")])
async def test_a_link_or_an_id_brings_the_paper(bot: Bot, said: str) -> None:
    kind = arxiv()
    reaching(bot, kind)
    answer = await bot.ask(said)
    assert (titles(answer), len(bot.last), kind.asked) == ([WINDOWS.title], 1, [WINDOWS.id])


async def test_what_was_found_is_kept(bot: Bot) -> None:
    kind = arxiv()
    reaching(bot, kind)
    await bot.ask("show 2401.01234")
    bot.app.reach = None
    assert titles(await bot.ask("show 2401.01234")) == [WINDOWS.title]
    assert WINDOWS.title in titles(await bot.ask("search windows of glass"))
    assert kind.asked == [WINDOWS.id]


@pytest.mark.parametrize("verb", ["save", "similar", "more", "less", "bibtex"])
async def test_whatever_takes_a_paper_reaches_out(bot: Bot, verb: str) -> None:
    reaching(bot, arxiv())
    await bot.ask("subscribe sliding windows")
    if verb == "bibtex":
        shown = await bot.ask("show 2401.01234")
        answer = await bot.press(button(shown, "BibTeX", 0))
    else:
        answer = await bot.ask(f"{verb} 2401.01234")
    assert "Sliding Windows of Glass" in answer.text


async def test_several_are_asked_for_at_once(bot: Bot) -> None:
    kind = arxiv(slow=0.02)
    reaching(bot, kind)
    answer = await bot.ask("similar 2401.01234 2401.01235")
    assert "“Sliding Windows of Glass” and “Doors That Slide as Windows Do”" in answer.text
    assert (sorted(kind.asked), kind.most) == ([WINDOWS.id, DOORS.id], 2)


async def test_what_takes_long_says_so_and_comes(bot: Bot) -> None:
    reaching(bot, arxiv(slow=0.1), soon=0.02)
    await bot.ask("show 2401.01234")
    assert [bool(message.cards) for message in bot.last] == [False, True]
    assert bot.last[0].text == LOOKING
    assert titles(bot.last[1]) == [WINDOWS.title]


async def test_it_is_asked_for_once_however_many_wait(bot: Bot) -> None:
    kind = arxiv(slow=0.1)
    reaching(bot, kind, soon=0.02)
    people = [Request(Address("test", "lab", f"u{n}"), text="show 2401.01234", person=f"u{n}") for n in range(12)]

    async def ask(request: Request) -> list[Message]:
        return [message async for message in bot.app.invoke(request)]

    told = await asyncio.gather(*map(ask, people))
    assert [titles(one[-1]) for one in told] == [[WINDOWS.title]] * 12
    assert kind.asked == [WINDOWS.id]


async def test_whoever_waits_for_a_source_keeps_nobody_else_waiting(bot: Bot) -> None:
    reaching(bot, arxiv(slow=30), soon=0.05, within=0.5)

    async def ask(user: str, text: str) -> list[Message]:
        request = Request(Address("test", "lab", user), text=text, person=user)
        return [message async for message in bot.app.invoke(request)]

    waiting = [asyncio.create_task(ask(f"u{n}", f"show 2401.{n:05}")) for n in range(10)]
    await asyncio.sleep(0)
    (quick,) = await ask("ada", "search transformers")
    assert quick.cards
    assert not any(one.done() for one in waiting)
    told = await asyncio.gather(*waiting)
    assert [one[0].text for one in told] == [LOOKING] * 10
    had_no_turn = [one for one in told if one[-1].text == BUSY]
    assert len(had_no_turn) <= 10 - AT_ONCE
    assert all("arXiv did not answer" in one[-1].text for one in told if one not in had_no_turn)


async def test_whoever_had_no_turn_in_time_is_told_and_may_ask_again(bot: Bot) -> None:
    out = reaching(bot, arxiv(), within=0.05)
    for _ in range(AT_ONCE):
        await out._turns.acquire()
    assert (await bot.ask("show 2401.01234")).text == BUSY
    for _ in range(AT_ONCE):
        out._turns.release()
    assert titles(await bot.ask("show 2401.01234")) == [WINDOWS.title]


async def test_the_first_words_to_somebody_new_are_not_lost_to_the_waiting(bot: Bot) -> None:
    reaching(bot, arxiv(slow=0.1), soon=0.02)
    await bot.ask("show 2401.01234", user="newcomer")
    assert (bot.last[0].text, bot.last[0].footer) == (LOOKING, "")
    assert bot.last[1].footer.startswith("I pick the few new papers")


@pytest.mark.parametrize("slow", [0.0, 0.1])
async def test_nobody_has_it(bot: Bot, slow: float) -> None:
    reaching(bot, Kind("arxiv", {"arxiv"}, slow=slow), soon=0.02 if slow else 30.0)  # a busy machine may take a while
    await bot.ask("show arXiv:2504.99999")
    assert texts(bot) == [LOOKING] * bool(slow) + ["arXiv knows no paper 2504.99999."]
    assert bot.last[-1].private
    assert labels(bot.last[-1]) == []


async def test_a_source_that_is_away_is_named(bot: Bot) -> None:
    reaching(bot, Kind("arxiv", {"arxiv"}, fails=SourceError("export.arxiv.org answered 503.")))
    await bot.ask("show 2504.99998")
    assert texts(bot) == ["arXiv did not answer about 2504.99998. Try again later."]


async def test_ids_that_no_source_finds_are_not_asked_for(bot: Bot) -> None:
    kind = arxiv()
    reaching(bot, kind)
    assert "I do not have nips2018:17 here" in (await bot.ask("show nips2018:17")).text
    bot.app.reach = None
    assert "I do not have arxiv:2504.99999 here" in (await bot.ask("show 2504.99999")).text
    assert kind.asked == []


async def test_an_answer_that_all_read_replaces_the_waiting(bot: Bot) -> None:
    """A mention: an error is for the one who asked only, and would leave `Still looking …` there for ever."""
    out = reaching(bot, Kind("arxiv", {"arxiv"}, slow=0.1), soon=0.02)
    at = Address("test", "lab", "ada", "c1", "t1")
    request = Request(at, text="show 2504.99999", person="ada", place="c1")
    told = [message async for message in bot.app.invoke(request)]
    assert [(one.text, one.private) for one in told] == [
        (LOOKING, False),
        ("arXiv knows no paper 2504.99999.", False),
    ]
    await out.close()


async def test_a_shared_answer_is_shared(bot: Bot) -> None:
    reaching(bot, arxiv(slow=0.1), soon=0.02)
    await bot.ask("show 2401.01234 share", channel="c1")
    assert [(message.public, bool(message.cards)) for message in bot.last] == [
        (False, False),
        (False, True),
        (True, True),
    ]


# --- everywhere


async def test_words_everywhere(bot: Bot) -> None:
    kind, away = arxiv(), Kind("openalex", looks=[], fails=SourceError("It answered 503."))
    reaching(bot, kind, away)
    answer = await bot.ask("search sliding windows everywhere")
    assert {WINDOWS.title, DOORS.title} <= set(titles(answer))
    assert answer.footer.startswith("Also asked: arXiv. OpenAlex did not answer.")
    assert (kind.asked, away.asked) == (["sliding windows"], ["sliding windows"])


async def test_everywhere_takes_its_time_too(bot: Bot) -> None:
    reaching(bot, arxiv(slow=0.1), soon=0.02)
    await bot.ask("search sliding windows --everywhere")
    assert texts(bot)[0] == LOOKING
    assert WINDOWS.title in titles(bot.last[-1])


async def test_one_paper_of_two_sources_is_shown_once(bot: Bot) -> None:
    theirs = Paper("s2:" + "1" * 40, WINDOWS.title, authors=WINDOWS.authors, published=OLD)
    twin = Paper("doi:10.1145/1.2", WINDOWS.title.upper())
    reaching(bot, arxiv(), Kind("semanticscholar", looks=[theirs]), Kind("openalex", looks=[twin]))
    answer = await bot.ask("search sliding windows everywhere")
    assert [title.casefold() for title in titles(answer)].count(WINDOWS.title.casefold()) == 1


async def test_a_title_stands_first_everywhere(bot: Bot) -> None:
    reaching(bot, arxiv())
    answer = await bot.ask(f"search {DOORS.title} everywhere")
    assert (answer.text, titles(answer)[0]) == ("The paper of this title, and what comes near", DOORS.title)


async def test_options_hold_everywhere(bot: Bot) -> None:
    new = replace(DOORS, id="arxiv:2611.01235", published=bot.at)
    reaching(bot, Kind("arxiv", looks=[WINDOWS, new]))
    assert titles(await bot.ask("search slide days=3 everywhere")) == [DOORS.title]
    assert set(titles(await bot.ask("search slide source=arxiv everywhere"))) == {WINDOWS.title, DOORS.title}


async def test_nothing_here_offers_everywhere(bot: Bot) -> None:
    odd = Paper("arxiv:2401.01236", "Zeugmatography", published=OLD)
    kind = Kind("arxiv", looks=[odd])
    answer = await bot.ask("search zeugmatography")
    assert labels(answer) == []
    reaching(bot, kind)
    answer = await bot.ask("search zeugmatography")
    assert labels(answer) == ["Search everywhere"]
    assert titles(await bot.press(answer.buttons[0])) == [odd.title]


async def test_nothing_anywhere(bot: Bot) -> None:
    reaching(bot, Kind("arxiv", looks=[]))
    answer = await bot.ask("search zzzzqq everywhere")
    assert answer.text.startswith("Nothing here for “zzzzqq”.")
    assert (answer.footer.startswith("Also asked: arXiv.\n"), labels(answer)) == (True, [])


async def test_without_sources_everywhere_is_here(bot: Bot) -> None:
    answer = await bot.ask("search transformers everywhere")
    assert answer.cards
    assert answer.footer.startswith("No source can be asked for words here.")


async def test_too_many_are_told(bot: Bot) -> None:
    class Full:
        soon = 1.0

        def can(self, wish: object) -> bool:
            return True

        async def ask(self, wish: object) -> Reached:
            return Reached(busy=True)

    bot.app.reach = Full()
    assert (await bot.ask("show 2401.01234")).text == BUSY
    assert (await bot.ask("search transformers everywhere")).footer.endswith(BUSY)


async def test_what_one_looked_up_is_no_news_to_others(bot: Bot) -> None:
    await bot.ask("subscribe sliding windows of glass", user="grace")
    new = replace(DOORS, id="arxiv:2611.01235", title="Sliding Windows of Glass and Steel", published=bot.at)
    reaching(bot, Kind("arxiv", {"arxiv"}, {WINDOWS.id: WINDOWS, new.id: new}))
    await bot.ask("show 2401.01234")
    fresh = await bot.app.library.fresh(bot.at, 7)
    with bot.app.store.reading() as conn:
        old = papers.by_id(conn, WINDOWS.id)
    assert old not in fresh
    await bot.ask("show 2611.01235")
    with bot.app.store.reading() as conn:
        came = papers.by_id(conn, new.id)
    assert came in await bot.app.library.fresh(bot.at, 7)

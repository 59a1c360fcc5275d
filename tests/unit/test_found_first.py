"""What somebody looks up comes first: the paper of an id or a link, all of one title, papers before echoes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recommender.index import Index
from recommender.search import search
from recommender.segment import LAST_YEAR
from recommender.text import plain
from recommender.types import Paper
from recommender.worth import MOST, WHOLE, named, worth
from tests.fakes.bot import Bot, make_bot, titles

LOOPS = Paper(
    "arxiv:2401.01234",
    "Loops of Glass",
    "On loops.",
    ("Ada Author",),
    year=2024,
    ids=("doi:10.1145/3292500.3330701", "openreview:aBcDeF0123", "acl:2020.acl-main.5", "pmid:31452104"),
)
ABOUT = Paper(
    "local:1", "Notes on arXiv 2401.01234, doi 10.1145/3292500.3330701 and openreview.net aBcDeF0123", "Notes."
)
WAYS = (
    "2401.01234",
    "arXiv:2401.01234v3",
    "https://arxiv.org/abs/2401.01234",
    "<https://arxiv.org/pdf/2401.01234v2.pdf|this>",
    "https://www.alphaxiv.org/abs/2401.01234",
    "10.48550/arXiv.2401.01234",
    "10.1145/3292500.3330701",
    "doi: 10.1145/3292500.3330701",
    "https://doi.org/10.1145/3292500.3330701",
    "https://dl.acm.org/doi/abs/10.1145/3292500.3330701",
    "https://openreview.net/forum?id=aBcDeF0123",
    "https://openreview.net/pdf?id=aBcDeF0123&noteId=x",
    "https://aclanthology.org/2020.acl-main.5/",
    "PMID: 31452104",
)


@pytest.fixture
def bot() -> Iterator[Bot]:
    made = make_bot([LOOPS, ABOUT])
    yield made
    made.app.close()


async def test_an_id_or_a_link_finds_that_paper(bot: Bot) -> None:
    for way in WAYS:
        assert titles(await bot.ask(f"search {way}"))[:1] == [LOOPS.title], way


async def test_all_papers_of_one_title_are_shown(bot: Bot) -> None:
    older = [
        replace(LOOPS, id=f"local:{at}", ids=(), abstract="", authors=(f"Bo {at}",), year=at) for at in (1987, 2003)
    ]
    other = make_bot([*older, LOOPS, ABOUT])
    assert titles(await other.ask("search Loops of glass")) == [LOOPS.title] * 3
    other.app.close()


WORDS = " ".join(f"word{at}" for at in range(120))
TEXT = Paper("t:text", "A homeotic shift in a bumble bee", WORDS, year=2019)
ECHO = Paper("t:echo", "Faculty recommendation of A homeotic shift in a bumble bee", "", year=2019)
PAGES = Paper("t:pages", "A homeotic shift in a bumble bee: a review of pages", "", year=2021)


FAR = [Paper(f"t:far{at}", f"Of mountains {at}", WORDS, year=2020) for at in range(20)]


def found(papers: list[Paper], query: str) -> list[str]:
    index = Index()
    index.append(papers)
    return index.ids([hit.row for hit in search(index, query)])


def test_a_paper_comes_before_what_is_said_about_it() -> None:
    for papers in ([TEXT, ECHO, PAGES], [PAGES, ECHO, TEXT]):
        assert found([*FAR, *papers], "bumble bee homeotic shift")[0] == TEXT.id


def test_of_equal_fits_the_newer_comes_first_whatever_came_last() -> None:
    papers = [Paper(f"t:{year}", "Bees and their stripes", "On bees.", year=year) for year in (2019, 2024, 1990, 2009)]
    assert found(papers, "bees stripes") == ["t:2024", "t:2019", "t:1990", "t:2009"][:2] + ["t:1990", "t:2009"][::-1]
    dated = [replace(one, year=None, published=datetime(one.year or 1, 5, 1, tzinfo=UTC)) for one in papers]
    assert found(dated, "bees stripes")[:2] == ["t:2024", "t:2019"]


def test_a_year_in_the_query_is_that_of_the_paper() -> None:
    papers = [Paper(f"t:{year}", "Bees and their stripes", "On bees.", year=year) for year in (1998, 2010, 2024)]
    assert found(papers, "bees 1998")[0] == "t:1998"
    assert found(papers, "stripes of bees, 2010")[0] == "t:2010"
    assert found(papers, "bees 19980")[0] == "t:2024"
    assert found(papers, "2010") == []


def test_a_year_says_when_and_not_of_what() -> None:
    said = [Paper(f"t:said{at}", f"Elections of kind {at}", "Held in 2024.", year=2023) for at in range(3)]
    bees = [Paper(f"t:bees{year}", "Bees and their stripes", WORDS, year=year) for year in (1998, 2010, 2024)]
    papers = [*FAR, *said, *bees]
    assert found(papers, "bees 2024")[:3] == ["t:bees2024", "t:bees2010", "t:bees1998"]
    assert found(papers, "bees 2010, 1998")[:3] == ["t:bees2010", "t:bees1998", "t:bees2024"]
    assert found(papers, "elections 2024")[:3] == ["t:said2", "t:said1", "t:said0"]
    assert sorted(found(papers, "2024")) == ["t:said0", "t:said1", "t:said2"]


def test_a_number_that_is_the_year_of_no_paper_is_a_word() -> None:
    game = Paper("t:game", "Playing 2048 with trees", WORDS, year=2020)
    assert found([*FAR, game, replace(TEXT, title="Playing with trees")], "playing 2048")[0] == game.id


def test_a_short_name_is_no_piece_of_titles() -> None:
    papers = [
        Paper("t:gal", "Dropout as an approximation", WORDS, ("Yarin Gal", "Chris Manning"), year=2016),
        Paper("t:galileo", "Galileo, a final galaxy of physical objects", WORDS, year=2024),
        Paper("t:planning", "Planning on manifolds: manning innings", WORDS, year=2024),
    ]
    assert found([*FAR, *papers], "gal")[0] == "t:gal"
    assert "t:gal" in found([*FAR, *papers], "manning")[:2]


def test_no_fit_is_outweighed() -> None:
    old = Paper("t:old", "Stereopsis in mantids", "", year=1950)
    crowd = [replace(TEXT, id=f"t:{at}", title=f"Mantids of kind {at}", year=2024) for at in range(60)]
    assert found([old, *crowd], "stereopsis mantids")[0] == old.id
    assert found([old, *crowd], "sterepsis in mantids")[0] == old.id


years = st.one_of(st.none(), st.integers(-(10**30), 10**30), st.integers(1900, 2030))


@given(st.lists(st.tuples(years, st.integers(0, 200)), min_size=1, max_size=30), st.text(max_size=30))
def test_worth_is_within_its_bounds(drawn: list[tuple[int | None, int]], query: str) -> None:
    index = Index()
    index.append([Paper(f"t:{at}", "A title", WORDS[:size], year=year) for at, (year, size) in enumerate(drawn)])
    every = np.arange(index.n_rows)
    values = worth(index, named(index, plain(query)), every)
    assert np.isfinite(values).all()
    assert ((values >= 0) & (values <= MOST)).all()
    assert (worth(index, [1999, 2020], every) <= MOST).all()


def test_one_wrong_year_makes_no_other_paper_old() -> None:
    papers = [Paper(f"t:{at}", "A title", "", year=2024 if at % 2 else 2019) for at in range(200)]
    wrong = Paper("t:0", "A title", "", year=LAST_YEAR)
    index = Index()
    index.append([wrong, *papers[1:]])
    values = worth(index, [], np.arange(3))
    assert values[0] == values[1] > values[2]
    assert values[2] > 0.5 * values[1]
    assert values.max() < WHOLE


NASTY = {
    "ten thousand words": " ".join(f"w{at}" for at in range(10_000)),
    "one word, ten thousand times": "bee " * 10_000,
    "words of the corpus": "homeotic shift bumble bee " * 2_500,
    "right to left": "\u202eنحل \u202c" * 3_000,
    "CJK": "蜂の縞" * 5_000,
    "emoji": "\U0001f41d" * 20_000,
    "NUL": "bee\x00" * 9_000,
    "marks": "e\u0301\u0301" * 9_000,
    "half of a pair": "\ud800bee" * 900,
    "years": " ".join(map(str, range(1900, 2100))) * 20,
}


@pytest.mark.parametrize("query", NASTY.values(), ids=NASTY.keys())
def test_a_nasty_query_gets_an_answer(query: str) -> None:
    index = Index()
    index.append([TEXT, ECHO, PAGES])
    hits = search(index, query)
    assert len(hits) <= index.n_rows
    assert np.isfinite([hit.score for hit in hits]).all()


def test_what_stands_among_signs_is_found() -> None:
    for query in ("bumble\x00bee", "🐝 bumble bee 🐝", "\u202ebumble bee\u202c"):
        assert found([*FAR, PAGES, TEXT], query)[0] == TEXT.id, query[:20]

"""What every ranker promises, over whatever rankers the folder and the entry points hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.plugins import load
from recommender.index import Index
from recommender.types import FloatArray, Interest, Mark, Paper

DAY = datetime(2026, 1, 1, tzinfo=UTC)
RANKERS: dict[str, Any] = load("recommender.rankers", "ranker")
PERSONAL = sorted(set(RANKERS) - {"recent"})

WORLD = {
    "vision": (
        ("Object detection in images", "We detect objects in images with convolutional networks over image patches."),
        ("Image segmentation", "Convolutional networks label the pixels of images, so that objects are segmented."),
        ("Images at low resolution", "Object detection in images of few pixels, by convolutional networks."),
    ),
    "language": (
        ("Machine translation of sentences", "Transformers translate sentences between languages, token by token."),
        ("Parsing sentences", "A parser for sentences of many languages, which reads tokens with transformers."),
        (
            "Summaries of documents",
            "Transformers write summaries of documents, sentence by sentence, in all languages.",
        ),
    ),
    "graph": (
        ("Message passing on graphs", "Nodes of graphs send messages along edges; spectral filters smooth the nodes."),
        ("Spectral clustering of nodes", "Eigenvectors of graphs cluster their nodes by edges and spectral filters."),
        ("Link prediction", "We predict the missing edges of graphs from messages between neighbouring nodes."),
    ),
}
HOSTILE = (
    "",
    " ",
    "\x00\x01\x02",
    "the of and",
    "1234567890",
    "a",
    "💥" * 50,
    "<script>alert(1)</script> <!channel> <@U012ABC> @everyone",
    "\u202eright to left\u202c \u200bzero\u200b width",
    "$O(n\\log n)$ \\textbf{x} {{{{ \\",
    "'; DROP TABLE papers; --",
    "word " * 5_000,
    "x" * 20_000,
    "深度学习用于图像识别",
    "\ud800 lone surrogate",
)

rankers = pytest.mark.parametrize("name", sorted(RANKERS))
personal = pytest.mark.parametrize("name", PERSONAL)


def world() -> list[Paper]:
    """Nine papers of three fields."""
    return [
        Paper(f"{field}:{number}", title, abstract, categories=(field,))
        for field, papers in WORLD.items()
        for number, (title, abstract) in enumerate(papers)
    ]


def made(name: str, papers: Sequence[Paper], *, learn: bool = True) -> Any:
    """A ranker over papers, fitted or only appended."""
    ranker = RANKERS[name](Index())
    (ranker.fit if learn else ranker.append)(papers)
    return ranker


def every(ranker: Any) -> Any:
    """The rows of all live papers."""
    return np.flatnonzero(ranker.index.live)


def likes(*ids: str) -> tuple[Mark, ...]:
    return tuple(Mark(one, DAY) for one in ids)


def checked(ranker: Any, interests: Sequence[Interest]) -> FloatArray:
    """Scores of all papers, after a look at shape, type and finiteness."""
    rows = every(ranker)
    scores: FloatArray = ranker.score(interests, rows)
    assert scores.shape == (len(interests), rows.size)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    return scores


def ranking(ranker: Any, interest: Interest) -> list[str]:
    """Ids of all papers that the interest does not name, best first."""
    named = {mark.paper for mark in interest.liked + interest.disliked}
    scores = checked(ranker, [interest])[0]
    ids = ranker.index.ids(every(ranker)[np.argsort(-scores, kind="stable")])
    return [one for one in ids if one not in named]


@rankers
def test_a_ranker_is_named_as_its_module(name: str) -> None:
    assert made(name, []).name == name


@personal
@pytest.mark.parametrize("learn", [True, False], ids=["fitted", "appended"])
@pytest.mark.parametrize("field", list(WORLD))
def test_papers_of_the_liked_field_come_first(name: str, field: str, learn: bool) -> None:
    ranker = made(name, world(), learn=learn)
    first = ranking(ranker, Interest("mine", liked=likes(f"{field}:0")))
    assert set(first[:2]) == {f"{field}:1", f"{field}:2"}


@personal
@pytest.mark.parametrize(
    ("topic", "field"), [("images", "vision"), ("languages", "language"), ("graphs nodes", "graph")]
)
def test_papers_on_a_topic_come_first(name: str, topic: str, field: str) -> None:
    assert {one.split(":")[0] for one in ranking(made(name, world()), Interest("t", (topic,)))[:2]} == {field}


@rankers
def test_a_single_call_is_a_batch_of_one(name: str) -> None:
    ranker = made(name, world())
    interests = [
        Interest("a", ("images",), likes("graph:0"), likes("vision:2")),
        Interest("b", liked=likes("language:0", "vision:1")),
        Interest("c", ("vision",)),
        Interest("d"),
    ]
    batch = checked(ranker, interests)
    for number, interest in enumerate(interests):
        assert np.array_equal(batch[number], checked(ranker, [interest])[0])
    assert np.array_equal(batch[::-1], checked(ranker, interests[::-1]))


def drawn(draw: st.DataObject, papers: int) -> Interest:
    """Any interest over papers p:0, p:1, …: of topics, likes, dislikes, one of them or nothing, with some unknown."""
    ids = st.integers(-2, papers).map("p:{}".format)
    marks = st.lists(st.tuples(ids, st.integers(0, 400)), max_size=12).map(
        lambda some: tuple(Mark(one, DAY - timedelta(days=days)) for one, days in some)
    )
    topics = st.lists(
        st.sampled_from(["images", "graphs nodes", "tools", "Vision", "zzz", "深度学习", " "]), max_size=3
    )
    return Interest(
        draw.draw(st.sampled_from(["a", "b"])), tuple(draw.draw(topics)), draw.draw(marks), draw.draw(marks)
    )


@pytest.fixture(scope="module")
def grown() -> Index:
    """Papers of three fields, fitted, with more appended and one removed."""
    texts = [(field, *paper) for field, papers in WORLD.items() for paper in papers]
    papers = []
    for number in range(60):
        (field, title, abstract), other = texts[number % 9], texts[(number * 5 + 1) % 9]
        papers.append(Paper(f"p:{number}", title, f"{abstract} {other[2]} Word{number % 7}.", categories=(field,)))
    index = Index()
    index.append(papers[:50])
    index.fit()
    index.append(papers[50:])
    index.remove(["p:7"])
    return index


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data(), n=st.sampled_from([13, 40]))
@pytest.mark.parametrize("name", sorted({"default", "tfidf", "recent"} & set(RANKERS)))
def test_many_interests_together_score_as_one_by_one(grown: Index, name: str, draw: st.DataObject, n: int) -> None:
    ranker = RANKERS[name](grown)
    kinds = [drawn(draw, 60) for _ in range(6)]
    interests = [kinds[at % 6] for at in range(n)]
    rows = np.array(draw.draw(st.lists(st.integers(0, 59), min_size=1, max_size=20)), np.int64)
    together = ranker.score(interests, rows)
    assert together == pytest.approx(np.concatenate([ranker.score([one], rows) for one in interests]), abs=1e-4)


@rankers
def test_some_rows_score_as_among_all(name: str) -> None:
    ranker = made(name, world())
    interest = Interest("a", ("images",), likes("graph:0"), likes("vision:2"))
    some = every(ranker)[[7, 2, 2, 5]]
    assert ranker.score([interest], some)[0] == pytest.approx(checked(ranker, [interest])[0][[7, 2, 2, 5]], abs=1e-5)


@rankers
def test_the_same_papers_give_the_same_numbers(name: str) -> None:
    interest = Interest("a", ("images",), likes("graph:0"), likes("vision:2"))
    assert np.array_equal(checked(made(name, world()), [interest]), checked(made(name, world()), [interest]))


@rankers
def test_no_interests_and_no_rows(name: str) -> None:
    ranker = made(name, world())
    assert ranker.score([], every(ranker)).shape == (0, 9)
    assert ranker.score([Interest("a", ("images",))], np.zeros(0, np.int64)).shape == (1, 0)
    with pytest.raises(IndexError):
        ranker.score([Interest("a")], np.array([9]))


@rankers
@pytest.mark.parametrize("n", [0, 1, 2, 19, 20])
@pytest.mark.parametrize("learn", [True, False], ids=["fitted", "appended"])
def test_small_corpora(name: str, n: int, learn: bool) -> None:
    texts = [text for papers in WORLD.values() for text in papers]
    papers = [Paper(f"p:{i}", f"{texts[i % 9][0]} {i}", texts[(i * 2) % 9][1], categories=("a",)) for i in range(n)]
    ranker = made(name, papers, learn=learn)
    checked(ranker, [Interest("a", ("images", "a"), likes("p:0", "p:1"), likes("p:2")), Interest("b", ("a",))])


@rankers
def test_all_papers_the_same(name: str) -> None:
    ranker = made(name, [Paper(f"p:{i}", "The same title here", "The same abstract.") for i in range(20)])
    scores = checked(ranker, [Interest("a", ("abstract",), likes("p:0"), likes("p:1"))])[0]
    assert name == "recent" or np.ptp(scores) < 1e-5


@rankers
@pytest.mark.parametrize("text", ["the of and is it", "1 2 3 44 555", "a b c", ""])
def test_abstracts_without_words(name: str, text: str) -> None:
    ranker = made(name, [Paper(f"p:{i}", text, text) for i in range(5)])
    checked(ranker, [Interest("a", (text, "images"), likes("p:0"), likes("p:1"))])


@rankers
def test_hostile_texts_as_papers_and_as_topics(name: str) -> None:
    ranker = made(name, world() + [Paper(f"bad:{i}", text, text, (text,)) for i, text in enumerate(HOSTILE)])
    checked(ranker, [Interest(text, (text,), likes("bad:3", f"bad:{i}")) for i, text in enumerate(HOSTILE)])
    checked(ranker, [Interest("all", HOSTILE)])


@personal
@pytest.mark.parametrize(
    "interest",
    [
        Interest("empty"),
        Interest("unheard", ("zzz",)),
        Interest("unknown", liked=likes("nobody:1"), disliked=likes("nobody:2")),
        Interest("Chinese", ("深度学习",)),
        Interest("blank", (" ", "")),
    ],
    ids=lambda interest: interest.name,
)
def test_an_interest_that_nothing_matches_scores_zero(name: str, interest: Interest) -> None:
    assert not checked(made(name, world()), [interest]).any()


@personal
def test_a_chinese_topic_finds_chinese_papers(name: str) -> None:
    papers = [
        *world(),
        Paper("zh:1", "深度学习", "用于图像识别的深度学习方法"),
        Paper("zh:2", "图神经网络", "节点分类"),
    ]
    assert ranking(made(name, papers), Interest("zh", ("深度学习",)))[0] == "zh:1"


@rankers
def test_only_dislikes(name: str) -> None:
    scores = checked(made(name, world()), [Interest("a", disliked=likes("vision:0"))])[0]
    assert name == "recent" or max(scores[:3]) <= min(scores[3:])


@personal
def test_the_later_mark_wins(name: str) -> None:
    ranker = made(name, world())
    late = DAY + timedelta(days=1)
    liked = Interest("a", liked=(Mark("vision:0", late), Mark("graph:0", DAY)), disliked=(Mark("vision:0", DAY),))
    plain = Interest("a", liked=(Mark("vision:0", late), Mark("graph:0", DAY)))
    assert np.array_equal(checked(ranker, [liked]), checked(ranker, [plain]))
    regretted = Interest("a", liked=(Mark("vision:0", DAY), Mark("graph:0", DAY)), disliked=(Mark("vision:0", late),))
    without = Interest("a", liked=(Mark("graph:0", DAY),), disliked=(Mark("vision:0", late),))
    assert np.array_equal(checked(ranker, [regretted]), checked(ranker, [without]))


@personal
def test_a_holiday_changes_nothing(name: str) -> None:
    ranker = made(name, world())
    marks = [("vision:0", 0), ("graph:0", 40), ("language:1", 200)]

    def shifted(days: int) -> Interest:
        return Interest("a", ("nodes",), tuple(Mark(one, DAY + timedelta(days=at + days)) for one, at in marks))

    assert np.array_equal(checked(ranker, [shifted(0)]), checked(ranker, [shifted(365)]))


@rankers
def test_unknown_papers_are_ignored(name: str) -> None:
    ranker = made(name, world())
    some = Interest("a", liked=likes("vision:0", "nobody:1"), disliked=likes("nobody:2"))
    assert np.array_equal(checked(ranker, [some]), checked(ranker, [Interest("a", liked=likes("vision:0"))]))


@rankers
def test_ten_thousand_likes(name: str) -> None:
    papers = world() + [Paper(f"p:{i}", f"Paper number{i} on images", f"word{i % 97} images") for i in range(3_000)]
    ranker = made(name, papers, learn=False)
    marks = tuple(Mark(f"p:{i % 3_000}", DAY - timedelta(hours=i)) for i in range(10_000))
    assert np.isfinite(ranker.score([Interest("a", liked=marks)], np.arange(9))).all()


def test_ten_thousand_likes_among_many_interests() -> None:
    papers = world() + [Paper(f"p:{i}", f"Paper number{i} on images", f"word{i % 97} images") for i in range(700)]
    ranker = made("default", papers, learn=False)
    many = Interest("many", ("images",), tuple(Mark(f"p:{i % 700}", DAY - timedelta(hours=i)) for i in range(10_000)))
    interests = [many, Interest("none"), Interest("bad", disliked=likes("graph:0"))] * 5
    together = ranker.score(interests, np.arange(9))
    alone = np.concatenate([ranker.score([one], np.arange(9)) for one in interests])
    assert together == pytest.approx(alone, abs=1e-4)
    assert not together[1].any()


@rankers
def test_two_interests_of_one_name_are_two(name: str) -> None:
    scores = checked(made(name, world()), [Interest("a", ("images",)), Interest("a", ("graphs",))])
    assert name == "recent" or not np.array_equal(scores[0], scores[1])


@rankers
def test_what_is_appended_counts_at_once(name: str) -> None:
    ranker = made(name, world())
    ranker.score([Interest("a", ("quokkas",))], every(ranker))
    ranker.append([Paper("new:1", "Quokkas", "Quokkas are marsupials of Australia.")])
    assert ranking(ranker, Interest("a", ("quokkas",)))[0] == "new:1"


@rankers
def test_a_fit_replaces_the_corpus(name: str) -> None:
    ranker = made(name, world())
    ranker.fit(world()[:2])
    assert len(ranker.index) == 2
    assert ranker.index.rows(["graph:0"])[0] == -1


@rankers
def test_removed_papers_leave_the_numbers_of_the_others_finite(name: str) -> None:
    ranker = made(name, world())
    ranker.index.remove(["vision:0", "graph:1"])
    checked(ranker, [Interest("a", ("images",), likes("vision:0", "graph:0"))])


def test_recent_is_the_order_of_arrival() -> None:
    ids = [paper.id for paper in world()]
    assert ranking(made("recent", world()), Interest("a", ("images",))) == ids[::-1]

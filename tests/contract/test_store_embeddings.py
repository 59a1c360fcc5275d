"""Dense vectors in either database: by content, the newest papers first, and read again only where something is new."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Connection, func, select, update

from bot.store import embeddings, interests, owners, papers, records
from bot.store import tables as t
from bot.store.engine import Store
from bot.store.vectors import Vectors
from recommender.dense import key_of, text_of
from recommender.types import FloatArray, Paper
from tests.fakes.small_embedder import SmallEmbedder

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
MODEL = "small:1"


def bring(conn: Connection, *names: str, abstract: str = "On graphs.") -> None:
    made = [Paper(f"s2:{name}", f"Title {name}", abstract, authors=("Ada",)) for name in names]
    records.add(conn, made, "local", NOW)


def vector(seed: int = 0, width: int = 8) -> FloatArray:
    found = np.random.default_rng(seed).normal(size=width)
    return (found / np.linalg.norm(found)).astype(np.float32)


def test_topics_come_first_and_then_the_newest_papers(store: Store) -> None:
    with store.writing() as conn:
        bring(conn, "one", "two", "three")
        ada = owners.get(conn, "post", "lab", "person", "ada", "Ada", NOW).number
        interests.add(conn, ada, "graphs", ["graph theory", "graphs"], NOW)
        found = embeddings.lacking(conn, MODEL, 4)
    assert list(found.values()) == ["graph theory", "graphs", "Title three. On graphs.", "Title two. On graphs."]
    assert list(found) == [key_of(text) for text in found.values()]


def test_what_is_kept_lacks_no_more_and_comes_back(store: Store) -> None:
    one = key_of(text_of("Title one", "On graphs."))
    with store.writing() as conn:
        bring(conn, "one", "two")
        embeddings.keep(conn, MODEL, {one: vector(1), key_of("graphs"): vector(2)})
        embeddings.keep(conn, MODEL, {one: vector(3)})
        embeddings.keep(conn, MODEL, {})
        assert list(embeddings.lacking(conn, MODEL, 9).values()) == ["Title two. On graphs."]
        assert len(embeddings.lacking(conn, "other", 9)) == 2
        assert (embeddings.count(conn, MODEL), embeddings.count(conn, "other")) == (1, 0)
        assert (embeddings.width(conn, MODEL), embeddings.width(conn, "other")) == (8, 0)
        kept = embeddings.known(conn, MODEL, [one, "none"])
    assert list(kept) == [one]
    assert kept[one] == pytest.approx(vector(1), abs=1e-3)


def test_the_same_text_under_another_id_is_not_made_again(store: Store) -> None:
    with store.writing() as conn:
        bring(conn, "one")
        embeddings.keep(conn, MODEL, {key_of(text_of("Title one", "On graphs.")): vector()})
        records.add(conn, [Paper("doi:10.1/x", "Title one", "On graphs.", authors=("Zoe",), year=1990)], "local", NOW)
        assert papers.count(conn) == 2
        assert embeddings.lacking(conn, MODEL, 9) == {}
        assert embeddings.news(conn, MODEL, 0, 0).numbers == [1, 2]


def test_only_what_is_new_is_read(store: Store) -> None:
    with store.writing() as conn:
        bring(conn, "one", "two")
        first, second = (key_of(text_of(f"Title {name}", "On graphs.")) for name in ("one", "two"))
        embeddings.keep(conn, MODEL, {first: vector(1)})
        news = embeddings.news(conn, MODEL, 0, 0)
        assert (news.numbers, news.vectors.shape) == ([1], (1, 8))
        again = embeddings.news(conn, MODEL, news.last, news.changed)
        assert (again.numbers, again.last, again.changed) == ((), news.last, news.changed)
        embeddings.keep(conn, MODEL, {second: vector(2)})
        later = embeddings.news(conn, MODEL, news.last, news.changed)
        assert later.numbers == [2]
        changed = NOW + timedelta(days=1)
        records.add(
            conn, [Paper("s2:one", "Title one", "On trees and what grows on them.", authors=("Ada",))], "local", changed
        )
        embeddings.keep(conn, MODEL, {key_of(text_of("Title one", "On trees and what grows on them.")): vector(3)})
        assert embeddings.news(conn, MODEL, later.last, later.changed).numbers == [1]


def test_other_models_are_forgotten(store: Store) -> None:
    with store.writing() as conn:
        embeddings.keep(conn, "old", {"a": vector(), "b": vector()})
        embeddings.keep(conn, MODEL, {"a": vector()})
        assert embeddings.forget_others(conn, MODEL) == 2
        assert conn.execute(select(func.count()).select_from(t.embeddings)).scalar_one() == 1


def test_trouble_is_noted_since_it_began(store: Store) -> None:
    with store.writing() as conn:
        assert embeddings.trouble_of(conn) == ("", "")
        embeddings.say(conn, "it is away", NOW)
        embeddings.say(conn, "it is still away", NOW + timedelta(hours=1))
        assert embeddings.trouble_of(conn) == ("2026-12-02T08:30:00+00:00", "it is still away")
        embeddings.say(conn, "", NOW)
        assert embeddings.trouble_of(conn) == ("", "")


class TestVectors:
    async def test_they_follow_the_database(self, store: Store) -> None:
        embedder = SmallEmbedder()
        held = Vectors(store, embedder)
        assert held.dense.places == {}
        with store.writing() as conn:
            bring(conn, "one", "two")
            ada = owners.get(conn, "post", "lab", "person", "ada", "Ada", NOW).number
            interests.add(conn, ada, "graphs", ["graphs"], NOW)
            wanted = embeddings.lacking(conn, MODEL, 9)
        made = dict(zip(wanted, await embedder.embed(list(wanted.values())), strict=True))
        with store.writing() as conn:
            embeddings.keep(conn, MODEL, made)
        assert held.dense.places == {}, "until they are brought up"
        dense = held.update()
        assert held.dense is dense
        assert held.update() is dense, "nothing is new"
        assert sorted(dense.places) == ["1", "2"]
        assert list(dense.topics) == ["graphs"]
        close = dense.of(["1", "2", "3"]) @ dense.about(["graphs", "unknown"])[0]
        assert close[:2].min() > 0.2
        assert close[2] == 0

    def test_what_papers_left_is_thrown_out(self, store: Store) -> None:
        held = Vectors(store, SmallEmbedder())
        with store.writing() as conn:
            bring(conn, "one")
            embeddings.keep(conn, MODEL, {key_of(text_of("Title one", "On graphs.")): vector()})
        for _ in range(1100):
            held._dense = held.dense.joined(["1"], vector()[None], {})
        with store.writing() as conn:
            conn.execute(update(t.papers).values(changed=t.papers.c.changed + 1))
        assert held.update().matrix.shape == (1, 8)

    def test_without_a_name_there_are_none(self, store: Store) -> None:
        held = Vectors(store, SmallEmbedder(model=""))
        assert held.dense.places == {}
        assert held.told() == (0, "now", "the files are gone")

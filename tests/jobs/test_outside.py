"""The way out as a process opens it: from the settings, without touching the network, and closed at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.config import Settings
from bot.core.reached import Wish
from bot.errors import SettingsError
from bot.outside import Outside
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import ranker


def settings(**values: Any) -> Settings:
    return Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", metrics_address="off", **values)


def opened(store: Store, **values: Any) -> Outside:
    return Outside.open(settings(**values), store, Library(store, None, ranker))


async def test_lookups_reach_out_unless_they_are_switched_off(memory_store: Store) -> None:
    way = opened(memory_store)
    assert way.reach is not None
    for id_ in ("doi:10.1145/1.2", "openreview:abc123DEF0", "acl:2025.acl-long.1", "s2:" + "0" * 40):
        assert way.reach.can(Wish("find", id_)), id_
    assert way.reach.can(Wish("look", "sliding windows"))
    assert opened(memory_store, lookups=False).reach is None
    await way.close()


async def test_what_is_chosen_is_asked_and_nothing_else(memory_store: Store) -> None:
    way = opened(memory_store)
    assert way.sources == {}, "nothing is asked that nobody chose"
    found, refused = way.choose(["acl:2025.acl", "gopher:x"])
    assert (list(found), list(refused)) == (["acl:2025.acl"], ["gopher:x"])


def test_a_source_that_cannot_be_is_refused_at_the_start(memory_store: Store) -> None:
    with pytest.raises(SettingsError, match="gopher"):
        opened(memory_store, sources="acl:2025.acl,gopher:x")


def test_keys_reach_those_who_look_papers_up(memory_store: Store) -> None:
    way = opened(memory_store, s2_key="k" * 40, contact="lab@example.org")
    assert way.reach is not None
    (scholar,) = [kind for name, kind in way.reach._kinds if name == "semanticscholar"]
    assert scholar.key == "k" * 40
    assert "lab@example.org" in way.http.agent


async def test_it_is_closed_and_can_be_opened_again(memory_store: Store) -> None:
    app = App(settings(), memory_store, Library(memory_store, None, ranker))
    way = app.reach_out()
    session = way.http._open()
    assert app.reach is way.reach
    await app.hang_up()
    assert (app.outside, app.reach, session.closed) == (None, None, True)
    await app.hang_up()
    app.reach_out()
    assert app.reach is not None
    await app.hang_up()

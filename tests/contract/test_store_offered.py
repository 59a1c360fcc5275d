"""What can be offered while somebody types, as both databases tell it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.store import interests, offer, owners, records, saved, subscriptions, visits
from bot.store.engine import Store
from bot.store.offered import Offered
from recommender.types import Paper

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
PAPERS = [
    Paper("arxiv:2401.00001", "Robots cook", categories=("robotics",), keywords=("Soup", "robots"), source="arxiv"),
    Paper("arxiv:2401.00002", "Robots eat", categories=("food", "robotics"), keywords=("soup",), source="arxiv"),
]
USUAL = {"at": "09:00", "time_zone": "UTC", "weekdays": "1", "at_most": 5, "strictness": "normal"}


def test_what_is_read_of_the_papers(store: Store) -> None:
    with store.writing() as conn:
        assert offer.read(conn, NOW).areas == ()
        records.add(conn, PAPERS[:1], "local", NOW)
        records.add(conn, PAPERS[1:], "local", NOW + timedelta(hours=1))
    with store.reading() as conn:
        found = offer.read(conn, NOW)
    assert found.areas == ("robotics", "food")
    assert found.keywords == ("Soup", "robots")
    assert found.sources == ("arxiv",)
    assert [id_ for id_, _ in found.titles.find("", 9)] == ["arxiv:2401.00002", "arxiv:2401.00001"], "newest first"
    assert found.last > 0


async def test_it_is_read_once_as_long_as_nothing_comes(store: Store) -> None:
    with store.writing() as conn:
        records.add(conn, PAPERS, "local", NOW)
    kept = Offered(store)
    first = await kept.now(2, NOW)
    assert len(first.titles) == 2
    assert await kept.now(first.last, NOW) is first
    assert await kept.now(first.last + 1, NOW) is first, "what was read just now is not read again at once"
    kept.close()


def test_who_types_is_known_by_id_alone(store: Store) -> None:
    with store.writing() as conn:
        assert visits.glance(conn, "d", "guild", "1", "7", "@me")[:2] == (None, None)
        ada = owners.get(conn, "d", "@me", "person", "1", "Ada", NOW)
        room = owners.get(conn, "d", "guild", "channel", "7", "room", NOW)
        assert visits.glance(conn, "d", "guild", "1", "7", "@me") == (ada, room, 0)
        assert visits.glance(conn, "d", "@me", "1", "", "@me") == (ada, None, 0)
        assert visits.glance(conn, "d", "guild", "1", "7")[0] is None


def test_the_list_is_mine_the_channels_and_what_i_asked_for(store: Store) -> None:
    with store.writing() as conn:
        ada = owners.get(conn, "d", "@me", "person", "1", "Ada", NOW).number
        rooms = [owners.get(conn, "d", guild, "channel", "7", "room", NOW).number for guild in ("g", "h")]
        for owner in (ada, *rooms):
            number = interests.add(conn, owner, f"of {owner}", ["soup"], NOW)
            subscriptions.add(conn, owner, number, ada, USUAL, NOW)
        mine, here, there = (f"of {owner}" for owner in (ada, *rooms))
        assert [sub.name for sub in subscriptions.listed(conn, [ada, rooms[0]], "g")] == [mine, here]
        assert [sub.name for sub in subscriptions.listed(conn, [ada], "g")] == [mine, here]
        assert [sub.name for sub in subscriptions.listed(conn, [ada], "")] == [mine, here, there]


def test_saved_titles_come_newest_first(store: Store) -> None:
    with store.writing() as conn:
        records.add(conn, PAPERS, "local", NOW)
        ada = owners.get(conn, "d", "@me", "person", "1", "Ada", NOW).number
        for number in (2, 1):
            saved.add(conn, ada, number, NOW + timedelta(minutes=3 - number))
        assert saved.titles(conn, ada, 9) == [(one.id, one.title) for one in PAPERS]
        assert len(saved.titles(conn, ada, 1)) == 1

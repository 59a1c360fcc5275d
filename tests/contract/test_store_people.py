"""Owners, interests, marks, saved papers, wishes, subscriptions, notes and heartbeats, on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Connection, func, select

from bot.core.due import next_due
from bot.errors import Expired, NotFound, UsageError
from bot.store import heartbeats, interests, marks, notes, owners, records, saved, subscriptions, tables, wishes
from bot.store.engine import Store
from bot.store.known import known_to
from recommender.types import Interest, Mark, Paper, Profile

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
KEEP = timedelta(days=180)
HOSTILE = "NUL \x00 lone \ud800 RTL \u202e emoji 🙂 CJK 表示 '\";-- %s :x \\"
CLEAN = HOSTILE.replace("\x00", "").replace("\ud800", "")


@pytest.fixture
def conn(store: Store) -> Iterator[Connection]:
    """One writing transaction with three papers: 1, 2 and 3."""
    with store.writing() as connection:
        records.add(connection, [Paper(f"s2:{index}", f"Title {index}") for index in (1, 2, 3)], "local", NOW)
        yield connection


def person(conn: Connection, name: str = "ada") -> int:
    return owners.get(conn, "console", "local", "person", name, name.title(), NOW).number


def channel(conn: Connection, name: str = "reading") -> int:
    return owners.get(conn, "console", "local", "channel", name, f"#{name}", NOW).number


def subscribe(conn: Connection, interest: int, who: int) -> int:
    values = {"at": "09:00", "time_zone": "Europe/Berlin", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
    owner = interests.owner_of(conn, interest)
    assert owner is not None
    return subscriptions.add(conn, owner, interest, who, values, NOW)


def test_an_owner_is_made_once_and_a_new_name_is_kept(conn: Connection) -> None:
    first = owners.get(conn, "slack", "T1", "person", "U1", "Ada", NOW)
    assert (first.platform, first.workspace, first.kind, first.external) == ("slack", "T1", "person", "U1")
    assert (first.name, first.time_zone) == ("Ada", "")
    assert owners.get(conn, "slack", "T1", "person", "U1", "", NOW) == first
    renamed = owners.get(conn, "slack", "T1", "person", "U1", "Ada L.", NOW)
    assert (renamed.number, renamed.name) == (first.number, "Ada L.")
    assert owners.by_number(conn, first.number) == renamed
    others = [("discord", "T1", "person"), ("slack", "T2", "person"), ("slack", "T1", "channel")]
    assert len({owners.get(conn, *where, "U1", "", NOW).number for where in others} | {first.number}) == 4


def test_hostile_owners(conn: Connection) -> None:
    long = owners.get(conn, HOSTILE, "w" * 500, "person", "x" * 5000, HOSTILE, NOW)
    assert owners.get(conn, HOSTILE, "w" * 500, "person", "x" * 5000, HOSTILE, NOW) == long
    assert owners.get(conn, HOSTILE, "w" * 500, "person", "x" * 5001, HOSTILE, NOW).number != long.number
    assert long.name == CLEAN


def test_a_zone_and_a_menu(conn: Connection) -> None:
    ada = person(conn)
    assert owners.menu(conn, ada) == []
    owners.set_zone(conn, ada, "Europe/Berlin")
    owners.remember_menu(conn, ada, ["more:1:2", HOSTILE])
    assert owners.by_number(conn, ada).time_zone == "Europe/Berlin"
    assert owners.menu(conn, ada) == ["more:1:2", CLEAN]
    assert owners.menu(conn, 999) == []
    with pytest.raises(NotFound):
        owners.by_number(conn, 999)


def test_interests(conn: Connection) -> None:
    ada = person(conn)
    assert interests.of(conn, ada) == []
    assert interests.profile(conn, ada) == Profile()
    first = interests.add(conn, ada, "Long Context", ["long context", "memory"], NOW)
    second = interests.add(conn, ada, "Théorie", [], NOW)
    held = interests.of(conn, ada)
    assert [each.number for each in held] == [first, second]
    assert held[0] == interests.Held(first, ada, Interest("Long Context", ("long context", "memory")), NOW)
    with pytest.raises(UsageError, match="already"):
        interests.add(conn, ada, "LONG  context", [], NOW)
    assert interests.add(conn, person(conn, "bob"), "Long Context", [], NOW) != first


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("long context", 0),
        ("THEORIE", 1),
        ("1", 0),
        ("2", 1),
        ("#2", 1),
        ("٢", 1),
        ("²", 1),
        ("the", 1),
        ("lo", None),
        ("3", 3),
        ("4", 3),
    ]
    + [(text, None) for text in ("0", "5", "-1", "9" * 50, "", " ", "%", "nothing", "\x00")],
)
def test_which_interest_is_meant(conn: Connection, text: str, index: int | None) -> None:
    ada = person(conn)
    made = [interests.add(conn, ada, name, [], NOW) for name in ("Long Context", "Théorie", "Long Tails", "3")]
    found = interests.by_name(conn, ada, text)
    assert (found and found.number) == (None if index is None else made[index])


def test_near_names(conn: Connection) -> None:
    ada = person(conn)
    for name in ("Long Context", "Théorie", "Protein Folding"):
        interests.add(conn, ada, name, [], NOW)
    assert interests.suggest(conn, ada, "long contxt") == ["Long Context"]
    assert interests.suggest(conn, ada, "folding") == ["Protein Folding"]
    assert interests.suggest(conn, ada, "zzzz") == []
    assert interests.suggest(conn, ada, "") == []


def test_hostile_interests(conn: Connection) -> None:
    ada = person(conn)
    number = interests.add(conn, ada, HOSTILE, [HOSTILE], NOW)
    long = interests.add(conn, ada, "x" * 2000, [], NOW)
    assert interests.of(conn, ada)[0].interest == Interest(CLEAN, (CLEAN,))
    assert [
        each and each.number
        for each in (interests.by_name(conn, ada, HOSTILE), interests.by_name(conn, ada, "x" * 2000))
    ] == [
        number,
        long,
    ]


def test_marks_the_last_word_wins_and_undo(conn: Connection) -> None:
    ada = person(conn)
    one = interests.add(conn, ada, "One", [], NOW)
    assert marks.set_(conn, one, 1, ada, "more", NOW) is None
    assert marks.set_(conn, one, 2, ada, "less", NOW, "too long") is None
    assert marks.set_(conn, one, 1, ada, "less", NOW + HOUR, HOSTILE) == ("more", "")
    assert marks.of(conn, ada) == {1: "less", 2: "less"}
    assert interests.of(conn, ada)[0].interest.disliked == (Mark("2", NOW), Mark("1", NOW + HOUR))
    assert marks.set_(conn, one, 1, ada, "more", NOW + 2 * HOUR) == ("less", CLEAN)
    assert marks.set_(conn, one, 2, ada, "", NOW) == ("less", "too long")
    assert marks.set_(conn, one, 2, ada, "", NOW) is None
    assert interests.of(conn, ada)[0].interest == Interest("One", (), (Mark("1", NOW + 2 * HOUR),))
    assert known_to(conn, [ada])[ada] == {1}
    with pytest.raises(ValueError, match="maybe"):
        marks.set_(conn, one, 1, ada, "maybe", NOW)


def test_marks_over_interests(conn: Connection) -> None:
    ada = person(conn)
    one, two = (interests.add(conn, ada, name, [], NOW) for name in ("One", "Two"))
    marks.set_(conn, one, 1, ada, "less", NOW + HOUR)
    marks.set_(conn, two, 1, ada, "more", NOW)
    assert marks.of(conn, ada) == {1: "less"}
    assert marks.of(conn, person(conn, "bob")) == {}
    held = interests.of(conn, ada)
    assert held[0].interest.disliked == (Mark("1", NOW + HOUR),)
    assert held[1].interest.liked == (Mark("1", NOW),)


def test_one_voice_a_person_in_a_channels_interest(conn: Connection) -> None:
    ada, bob, room = person(conn), person(conn, "bob"), channel(conn)
    one = interests.add(conn, room, "One", [], NOW)
    marks.set_(conn, one, 1, ada, "more", NOW)
    marks.set_(conn, one, 1, ada, "more", NOW + HOUR)
    marks.set_(conn, one, 1, bob, "more", NOW + 2 * HOUR)
    marks.set_(conn, one, 2, bob, "less", NOW)
    held = interests.of(conn, room)[0].interest
    assert held.liked == (Mark("1", NOW + HOUR), Mark("1", NOW + 2 * HOUR))
    assert held.disliked == (Mark("2", NOW),)
    assert known_to(conn, [room])[room] == {1, 2}
    assert known_to(conn, [ada])[ada] == set()


def test_many_owners_are_read_as_each_by_itself(conn: Connection) -> None:
    ada, bob, room, nobody = person(conn), person(conn, "bob"), channel(conn), person(conn, "carol")
    one, two = interests.add(conn, ada, "One", ["x"], NOW), interests.add(conn, ada, "Two", [], NOW)
    other, gone = interests.add(conn, room, "One", [], NOW), interests.add(conn, ada, "Gone", [], NOW)
    marks.set_(conn, one, 1, ada, "more", NOW)
    marks.set_(conn, two, 2, ada, "less", NOW)
    marks.set_(conn, other, 2, bob, "less", NOW)
    marks.set_(conn, gone, 3, ada, "more", NOW)
    interests.remove(conn, gone, NOW)
    saved.add(conn, bob, 3, NOW)
    records.merge(conn, 1, 2, NOW)
    everybody = [ada, bob, room, nobody]
    assert interests.of_many(conn, everybody) == {owner: interests.of(conn, owner) for owner in everybody}
    assert [len(held) for held in interests.of_many(conn, everybody).values()] == [2, 0, 1, 0]
    assert known_to(conn, everybody) == {ada: {1}, bob: {3}, room: {1}, nobody: set()}
    assert known_to(conn, []) == {}


def test_marks_and_saved_papers_follow_a_merge(conn: Connection) -> None:
    ada = person(conn)
    one = interests.add(conn, ada, "One", [], NOW)
    marks.set_(conn, one, 1, ada, "more", NOW)
    marks.set_(conn, one, 2, ada, "less", NOW + HOUR)
    saved.add(conn, ada, 1, NOW)
    saved.add(conn, ada, 2, NOW + HOUR)
    records.merge(conn, 1, 2, NOW)
    assert marks.of(conn, ada) == {1: "less"}
    assert interests.of(conn, ada)[0].interest == Interest("One", (), (), (Mark("1", NOW + HOUR),))
    assert saved.of(conn, ada) == [(1, NOW)]
    assert not saved.add(conn, ada, 2, NOW)
    assert marks.set_(conn, one, 2, ada, "", NOW) == ("less", "")
    assert marks.of(conn, ada) == {}
    assert saved.remove(conn, ada, 2)
    assert saved.of(conn, ada) == []


def test_saved(conn: Connection) -> None:
    ada = person(conn)
    assert saved.add(conn, ada, 1, NOW)
    assert saved.add(conn, ada, 3, NOW + HOUR)
    assert not saved.add(conn, ada, 1, NOW + 2 * HOUR)
    assert saved.of(conn, ada) == [(3, NOW + HOUR), (1, NOW)]
    assert saved.of(conn, person(conn, "bob")) == []
    assert saved.remove(conn, ada, 3)
    assert not saved.remove(conn, ada, 3)
    assert saved.of(conn, ada) == [(1, NOW)]


def test_wishes(conn: Connection) -> None:
    ada = person(conn)
    assert wishes.add(conn, ada, "follow", "Loïc Cabannes", NOW)
    assert wishes.add(conn, ada, "follow", HOSTILE, NOW + HOUR)
    assert not wishes.add(conn, ada, "follow", "loic  CABANNES", NOW)
    assert wishes.add(conn, ada, "mute", "Loïc Cabannes", NOW)
    assert wishes.of(conn, ada, "follow") == ["Loïc Cabannes", CLEAN]
    assert interests.profile(conn, ada) == Profile((), ("Loïc Cabannes", CLEAN), ("Loïc Cabannes",))
    assert wishes.remove(conn, ada, "follow", "loic cabannes")
    assert not wishes.remove(conn, ada, "follow", "loic cabannes")
    assert wishes.of(conn, ada, "follow") == [CLEAN]
    assert wishes.of(conn, ada, "mute") == ["Loïc Cabannes"]
    assert wishes.add(conn, ada, "mute", "x" * 5000, NOW)
    assert wishes.remove(conn, ada, "mute", "X" * 5000)


def test_subscriptions(conn: Connection) -> None:
    ada, room = person(conn), channel(conn)
    mine = interests.add(conn, ada, "Mine", ["a", "b"], NOW)
    ours = interests.add(conn, room, "Ours", [], NOW)
    first, second = subscribe(conn, mine, ada), subscribe(conn, ours, ada)
    (sub,) = subscriptions.of(conn, ada)
    assert (sub.number, sub.interest, sub.owner, sub.asked_by) == (first, mine, ada, ada)
    assert (sub.name, sub.topics, sub.place, sub.place_kind, sub.asker) == ("Mine", ("a", "b"), "Ada", "person", "Ada")
    assert (sub.at, sub.time_zone, sub.weekdays, sub.at_most) == ("09:00", "Europe/Berlin", "12345", 5)
    assert (sub.strictness, sub.gap, sub.cross_lists, sub.silent) == ("normal", 0, False, False)
    assert (sub.last_date, sub.covered_to, sub.said_at, sub.paused_at) == ("", NOW, NOW, None)
    assert sub.next_due_at == next_due(sub.schedule, NOW)[1]
    assert [each.place for each in subscriptions.of(conn, room)] == ["#reading"]
    assert [each.number for each in subscriptions.asked_by(conn, ada)] == [first, second]
    subscriptions.remove(conn, first)
    assert subscriptions.of(conn, ada) == []
    assert len(interests.of(conn, ada)) == 1
    interests.remove(conn, ours, NOW)
    assert subscriptions.asked_by(conn, ada) == []


def test_keeping_a_subscription_twice_changes_only_what_is_chosen(conn: Connection) -> None:
    ada = person(conn)
    usual = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}

    def keep(name: str, chosen: dict[str, object]) -> tuple[subscriptions.Subscription, bool]:
        return subscriptions.keep(conn, ada, ada, name, ["memory"], usual=usual, chosen=chosen, now=NOW)

    made, new = keep("Memory", {"at": "07:30"})
    assert new
    assert (made.at, made.time_zone, made.at_most, made.topics) == ("07:30", "UTC", 5, ("memory",))
    again, new = keep("MEMORY", {"at_most": 3})
    assert not new
    assert (again.number, again.at, again.at_most) == (made.number, "07:30", 3)
    subscriptions.remove(conn, made.number)
    back, new = keep("memory", {})
    assert not new
    assert (back.interest, back.at) == (made.interest, "09:00")
    subscriptions.change(conn, back.number, {}, NOW)
    assert subscriptions.of(conn, ada) == [back]


def test_interests_that_come_together_and_part_again(conn: Connection) -> None:
    ada = person(conn)
    one, two = interests.add(conn, ada, "one", ["a"], NOW), interests.add(conn, ada, "two", ["b"], NOW)
    first, second = subscribe(conn, one, ada), subscribe(conn, two, ada)
    subscriptions.join(conn, two, first)
    assert [(sub.number, sub.name) for sub in subscriptions.of(conn, ada)] == [(first, "one"), (first, "two")]
    assert subscriptions.of_number(conn, second) == []
    subscriptions.change(conn, first, {"at": "07:00"}, NOW)
    assert {sub.at for sub in subscriptions.of_number(conn, first)} == {"07:00"}
    third = subscriptions.part(conn, two, NOW)
    assert third not in (first, second)
    assert [(sub.number, sub.at) for sub in subscriptions.of(conn, ada)] == [(first, "07:00"), (third, "07:00")]
    assert subscriptions.part(conn, two, NOW) == third
    interests.remove(conn, two, NOW)
    assert [sub.number for sub in subscriptions.of(conn, ada)] == [first]
    interests.prune(conn, NOW + timedelta(days=1))
    assert conn.execute(select(func.count()).select_from(tables.subscriptions)).scalar() == 1


def test_pausing_and_going_on(conn: Connection) -> None:
    ada = person(conn)
    number = subscribe(conn, interests.add(conn, ada, "one", ["a"], NOW), ada)
    (before,) = subscriptions.of_number(conn, number)
    assert not before.paused(NOW)
    subscriptions.pause(conn, number, NOW)
    (sub,) = subscriptions.of_number(conn, number)
    assert (sub.paused(NOW + timedelta(days=900)), sub.next_due_at, sub.paused_why) == (True, None, "")
    subscriptions.change(conn, number, {"at": "06:00"}, NOW)
    (sub,) = subscriptions.of_number(conn, number)
    assert (sub.at, sub.next_due_at) == ("06:00", None)
    subscriptions.resume(conn, number, NOW)
    (sub,) = subscriptions.of_number(conn, number)
    assert sub.next_due_at == next_due(sub.schedule, NOW)[1]
    until = date(2026, 12, 24)
    subscriptions.pause(conn, number, NOW, until, why="archived")
    (sub,) = subscriptions.of_number(conn, number)
    assert sub.next_due_at == datetime(2026, 12, 24, 5, tzinfo=UTC)
    assert (sub.paused_until, sub.paused_why) == ("2026-12-24", "archived")
    assert sub.paused(NOW)
    assert not sub.paused(sub.next_due_at)
    subscriptions.change(conn, number, {"at": "08:00"}, NOW)
    (sub,) = subscriptions.of_number(conn, number)
    assert sub.next_due_at == datetime(2026, 12, 24, 7, tzinfo=UTC)


def test_a_manager_sees_all_of_a_workspace_and_hands_over(conn: Connection) -> None:
    ada, bob, room = person(conn), person(conn, "bob"), channel(conn)
    elsewhere = owners.get(conn, "console", "other", "person", "eve", "Eve", NOW).number
    one = subscribe(conn, interests.add(conn, ada, "one", ["a"], NOW), ada)
    two = subscribe(conn, interests.add(conn, room, "two", ["a"], NOW), ada)
    subscribe(conn, interests.add(conn, elsewhere, "three", ["a"], NOW), elsewhere)
    assert [sub.number for sub in subscriptions.in_workspace(conn, "console", "local")] == [one, two]
    assert len(subscriptions.everywhere(conn)) == 3
    subscriptions.hand_over(conn, two, bob)
    assert [(sub.asked_by, sub.asker) for sub in subscriptions.of_number(conn, two)] == [(bob, "Bob")]
    owners.forget(conn, ada)
    assert [sub.number for sub in subscriptions.in_workspace(conn, "console", "local")] == [two]


def test_notes(conn: Connection) -> None:
    ada, bob = person(conn), person(conn, "bob")
    content = {"papers": [1, 2], "words": "memory", "deep": {"a": [None, True, 1.5]}}
    number = notes.add(conn, ada, "page", content, NOW)
    assert notes.get(conn, number, [ada], ["page"], NOW + KEEP - HOUR, KEEP) == content
    assert notes.get(conn, number, {bob, ada}, ["page"], NOW, KEEP) == content
    assert notes.latest(conn, ada, "page") == (number, content)
    newer = notes.add(conn, ada, "page", {"text": HOSTILE, HOSTILE: [HOSTILE]}, NOW)
    assert notes.latest(conn, ada, "page") == (newer, {"text": CLEAN, CLEAN: [CLEAN]})
    assert notes.latest(conn, ada, "undo") is None
    assert notes.latest(conn, bob, "page") is None


@pytest.mark.parametrize("case", ["missing", "old", "kind", "owner", "nobody", "huge", "negative"])
def test_a_note_that_is_not_given(conn: Connection, case: str) -> None:
    ada, bob = person(conn), person(conn, "bob")
    number = notes.add(conn, ada, "page", {}, NOW)
    wrong = {"missing": number + 1, "huge": 16**90, "negative": -number}.get(case, number)
    whose = {"owner": [bob], "nobody": []}.get(case, [ada])
    when = NOW + KEEP if case == "old" else NOW
    with pytest.raises(Expired, match="run it again"):
        notes.get(conn, wrong, whose, ["undo" if case == "kind" else "page"], when, KEEP)


def test_an_empty_note_is_there(conn: Connection) -> None:
    ada = person(conn)
    assert notes.get(conn, notes.add(conn, ada, "page", {}, NOW), [ada], ["page"], NOW, KEEP) == {}


def test_notes_are_pruned(conn: Connection) -> None:
    ada = person(conn)
    for hours in range(5):
        notes.add(conn, ada, "page", {}, NOW + hours * HOUR)
    assert notes.prune(conn, NOW + 3 * HOUR) == 3
    assert notes.prune(conn, NOW + 3 * HOUR) == 0
    assert notes.latest(conn, ada, "page") is not None


def test_numbers_are_never_used_again(conn: Connection) -> None:
    ada = person(conn)
    number = notes.add(conn, ada, "page", {}, NOW)
    notes.prune(conn, NOW + HOUR)
    assert notes.add(conn, ada, "page", {}, NOW) > number


def everything(conn: Connection) -> tuple[int, int, int]:
    ada, bob, room = person(conn), person(conn, "bob"), channel(conn)
    mine = interests.add(conn, ada, "Mine", ["memory"], NOW)
    ours = interests.add(conn, room, "Ours", [], NOW)
    theirs = interests.add(conn, room, "Theirs", [], NOW)
    subscribe(conn, mine, ada)
    subscribe(conn, ours, ada)
    subscribe(conn, theirs, bob)
    marks.set_(conn, mine, 1, ada, "more", NOW)
    marks.set_(conn, ours, 2, ada, "less", NOW + HOUR, "too long")
    marks.set_(conn, ours, 3, bob, "more", NOW)
    saved.add(conn, ada, 3, NOW)
    saved.add(conn, bob, 3, NOW)
    wishes.add(conn, ada, "follow", "Ada Lovelace", NOW)
    wishes.add(conn, ada, "mute", "biology", NOW)
    notes.add(conn, ada, "page", {"papers": [1]}, NOW)
    owners.remember_menu(conn, ada, ["more:1:1"])
    return ada, bob, room


def test_export(conn: Connection) -> None:
    ada, _, _ = everything(conn)
    told = owners.export(conn, ada)
    assert json.loads(json.dumps(told)) == told
    at, later = NOW.isoformat(), (NOW + HOUR).isoformat()
    assert told["person"] == {
        "platform": "console",
        "workspace": "local",
        "id": "ada",
        "name": "Ada",
        "kind": "person",
        "time zone": "",
        "since": at,
    }
    assert told["interests"] == [{"name": "Mine", "topics": ["memory"], "since": at}]
    assert [(each["interest"], each["for"]) for each in told["subscriptions"]] == [("Mine", "me"), ("Ours", "#reading")]
    assert told["marks"] == [
        {"paper": "s2:1", "title": "Title 1", "interest": "Mine", "kind": "more", "because": "", "at": at},
        {"paper": "s2:2", "title": "Title 2", "interest": "Ours", "kind": "less", "because": "too long", "at": later},
    ]
    assert told["saved"] == [{"paper": "s2:3", "title": "Title 3", "at": at}]
    assert told["follows"] == [{"words": "Ada Lovelace", "at": at}]
    assert told["mutes"] == [{"words": "biology", "at": at}]
    assert told["notes"] == [{"kind": "page", "content": {"papers": [1]}, "at": at}]
    assert told["last buttons"] == ["more:1:1"]
    assert told["messages"] == []
    assert told["subscriptions"][0]["next due at"] == "2026-12-03T08:00:00+00:00"


def test_forget_takes_what_the_summary_says_and_nothing_else(conn: Connection) -> None:
    ada, bob, room = everything(conn)
    before = owners.export(conn, bob)
    assert owners.summary(conn, ada) == {
        "interests": 1,
        "subscriptions": 1,
        "channel subscriptions": 1,
        "marks": 2,
        "saved papers": 1,
        "follows": 1,
        "mutes": 1,
    }
    owners.forget(conn, ada)
    assert set(owners.summary(conn, ada).values()) == {0}
    with pytest.raises(NotFound):
        owners.export(conn, ada)
    assert owners.export(conn, bob) == before
    held = interests.of(conn, room)
    assert [each.interest.name for each in held] == ["Ours", "Theirs"]
    assert held[0].interest == Interest("Ours", (), (Mark("3", NOW),))
    assert [each.name for each in subscriptions.of(conn, room)] == ["Theirs"]
    owners.forget(conn, ada)
    assert person(conn) != ada


def test_heartbeats(conn: Connection) -> None:
    assert heartbeats.latest(conn) is None
    heartbeats.beat(conn, "one", NOW, NOW)
    heartbeats.beat(conn, "two" * 50, NOW, NOW + HOUR)
    heartbeats.beat(conn, "one", NOW, NOW + HOUR / 2)
    assert heartbeats.latest(conn) == NOW + HOUR
    heartbeats.stop(conn, "two" * 50)
    assert heartbeats.latest(conn) == NOW + HOUR / 2
    heartbeats.stop(conn, "one")
    heartbeats.stop(conn, "one")
    assert heartbeats.latest(conn) is None


def test_two_transactions_meet_the_same_person_at_once(store: Store) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def meet(_: int) -> int:
        with store.writing() as conn:
            return person(conn, "new")

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(meet, range(12)))) == 1


def test_two_imports_at_once_make_each_paper_once(store: Store) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from bot.store import papers

    def bring(part: int) -> records.Outcome:
        some = [Paper(f"s2:{index}", f"The title of paper {index}") for index in range(40)]
        with store.writing() as conn:
            return records.add(conn, some, f"source {part}", NOW)

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(bring, range(4)))
    assert sum(each.new for each in outcomes) == 40
    assert sum(each.merged for each in outcomes) == 120
    with store.reading() as conn:
        assert papers.count(conn) == 40

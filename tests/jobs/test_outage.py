"""A database that goes away, is locked or full; a process that is asked to end, or is not the only one."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, make_url, select

from bot.demo import SEED, seeds_folder
from bot.store.address import sqlite_url
from bot.store.tables import notes, outbox, shown
from tests.fakes.fleet import Fleet, fill, fleet, opened, until
from tests.fakes.post_office import Faults, PostOffice
from tests.fakes.tcp_proxy import Door

LEASE = 2.0  # seconds: what is a minute in earnest is one here
ENDLESS = "1073741823"  # pages: as many as SQLite can

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The address of an SQLite file."""
    return sqlite_url(tmp_path / "paperround.db")


def arrived(office: PostOffice, least: int) -> Any:
    return lambda: len(office.log) >= least


def sent(ships: Fleet, digests: int) -> Any:
    return lambda: ships.states() == {"sent": digests}


def assert_once(office: PostOffice, ships: Fleet) -> None:
    assert office.counts("digest:") == {row["key"]: 1 for row in ships.rows()}


def test_the_database_goes_away_in_the_middle_of_sending(postgres_url: str, tmp_path: Path) -> None:
    fill(postgres_url, tmp_path, 40)
    address = make_url(postgres_url)
    with Door(f"{address.query['host']}/.s.PGSQL.5432") as door, PostOffice() as office:
        url = f"postgresql://{address.username}@127.0.0.1:{door.port}/{address.database}"
        with fleet(tmp_path, url, office, lease=LEASE, watch=postgres_url) as ships:
            ships.more["POST_LIMIT"] = "10 1000"
            until(ships, arrived(office, 10), 30)
            door.shut()
            time.sleep(3)
            held = len(office.log)
            time.sleep(1)
            assert len(office.log) == held, "it sends without the database"
            door.open()
            until(ships, sent(ships, 40), 60)
            assert ships.stop() == [0]
            assert ships.starts == 1, "it waited"
            assert_once(office, ships)
            assert "cannot be used" in ships.logged()


def test_another_program_locks_the_file_for_a_while(file: str, tmp_path: Path) -> None:
    fill(file, tmp_path, 40)
    with PostOffice() as office, fleet(tmp_path, file, office, lease=LEASE) as ships:
        ships.more["POST_LIMIT"] = "10 1000"
        until(ships, arrived(office, 10), 30)
        with closing(sqlite3.connect(tmp_path / "paperround.db", isolation_level=None, timeout=30)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(3)
            other.execute("ROLLBACK")
        until(ships, sent(ships, 40), 60)
        assert ships.stop() == [0]
        assert_once(office, ships)


def test_a_full_disk_leaves_no_half_digest(file: str, tmp_path: Path) -> None:
    fill(file, tmp_path, 120)
    pages = tmp_path / "pages"
    pages.write_text("1")  # as many as there are: no room for more
    with PostOffice() as office, fleet(tmp_path, file, office, lease=LEASE) as ships:
        ships.more["POST_PAGES"] = str(pages)
        until(ships, lambda: "full" in ships.logged(), 30)
        time.sleep(2)
        assert ships.running[0].poll() is None, "it goes on"
        assert len(ships.rows()) < 120
        assert half_written(file) == []
        pages.write_text(ENDLESS)
        until(ships, sent(ships, 120), 60)
        assert ships.stop() == [0]
        assert_once(office, ships)
        assert half_written(file) == []
        assert re.search(r"paperround\.db cannot be used: [^\"]*disk is full", ships.logged())


def half_written(url: str) -> list[str]:
    """Return the keys of digests of which papers are not all noted as shown, or whose buttons lead nowhere."""
    with opened(url) as store, store.reading() as conn:
        counts = {
            row.outbox_id: row.n
            for row in conn.execute(select(shown.c.outbox_id, func.count().label("n")).group_by(shown.c.outbox_id))
        }
        known = set(conn.execute(select(notes.c.id)).scalars())
        rows = list(conn.execute(select(outbox.c.id, outbox.c.key, outbox.c.message)))
    return [
        row.key
        for row in rows
        if counts.get(row.id, 0) < len(row.message["cards"])
        or not noted(row.message) <= known
        or not noted(row.message)
    ]


def noted(message: dict[str, Any]) -> set[int]:
    """Return the numbers of the notes that a message's buttons name."""
    buttons = [button for card in [*message["cards"], message] for button in card["buttons"]]
    return {int(button["action"].split(":")[1], 16) for button in buttons if button["action"]}


def test_asked_to_end_it_finishes_or_gives_back(store_url: str, tmp_path: Path) -> None:
    """The lease is long, so that the next process is late if it has to wait for one."""
    fill(store_url, tmp_path, 60)
    with PostOffice(Faults(slow=0.3)) as office, fleet(tmp_path, store_url, office, lease=120.0) as ships:
        ships.more["POST_LIMIT"] = "20 1000"
        until(ships, arrived(office, 15), 30)
        assert ships.stop(within=8) == [0]
        states = ships.states()
        assert states["sent"] == len(office.log), "what was begun was finished and marked"
        assert 15 <= states["sent"] < 60
        assert {row["token"] for row in ships.rows() if row["state"] == "pending"} <= {""}
        until(ships, sent(ships, 60), 30)
        assert ships.stop(within=8) == [0]
        assert_once(office, ships)


def test_asked_to_end_it_does_not_wait_for_one_that_hangs(file: str, tmp_path: Path) -> None:
    fill(file, tmp_path, 10)
    office = PostOffice(Faults(seconds=50), hook=lambda call: "hang" if call.to.endswith("c3") else None)
    with office, fleet(tmp_path, file, office, lease=120.0) as ships:
        until(ships, lambda: ships.states() == {"sent": 9, "pending": 1} and len(office.log) == 10, 30)
        began = time.monotonic()
        assert ships.stop(within=25) == [0]
        print(f"ended within {time.monotonic() - began:.1f} s")
        [row] = [row for row in ships.rows() if row["state"] == "pending"]
        assert row["uncertain"], "the next one looks first"


def test_a_second_one_on_the_same_file_is_refused_and_the_other_verbs_work(file: str, tmp_path: Path) -> None:
    fill(file, tmp_path, 3)
    with PostOffice() as office, fleet(tmp_path, file, office, lease=LEASE) as ships:
        until(ships, sent(ships, 3), 30)
        second = ships.verb("run")
        assert (second.returncode, second.stdout) == (2, "")
        assert f"process {ships.running[0].pid}" in second.stderr
        assert second.stderr.count("\n") == 1
        assert ships.verb("status", "--quick").returncode == 0
        brought = ships.verb("import", str(seeds_folder() / SEED))
        assert "19 new" in brought.stdout, brought.stderr
        copied = ships.verb("backup", str(tmp_path / "copy.sqlite"))
        assert copied.returncode == 0, copied.stderr
        assert ships.stop() == [0]
        ships.keep()
        until(ships, lambda: ships.verb("status", "--quick").returncode == 0, 10)
        assert ships.stop() == [0]

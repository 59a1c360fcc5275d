"""One bot runs on one SQLite file: a second one is refused, and a lock never outlives its process."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import StoreError
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.sqlite import run_lock

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from bot.store.engine import Store
from bot.store.sqlite import run_lock
store = Store.open(sys.argv[1])
with run_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(url: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_another_process_is_named_and_a_killed_one_leaves_nothing(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "paper.db")
    process = hold(url)
    try:
        with pytest.raises(StoreError) as caught, run_lock(url):
            pass
        line = str(caught.value)
        assert f"process {process.pid}" in line
        assert str(tmp_path / "paper.db") in line
        assert "already" in line
        assert "\n" not in line
        Store.open(url).close()  # whoever only reads and writes is not kept out
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    with run_lock(url):
        assert stat.S_IMODE((tmp_path / "paper.db.lock").stat().st_mode) == 0o600


def test_what_sqlite_holds_in_this_process_stays_held(tmp_path: Path) -> None:
    """A file's locks end when anything closes it: then another process would take the log away from under this one."""
    url = sqlite_url(tmp_path / "paper.db")
    process = hold(url)
    try:
        assert (tmp_path / "paper.db-wal").exists()
        Store.open(url).close()
        assert (tmp_path / "paper.db-wal").exists(), "the other process still uses it"
    finally:
        process.communicate()
    assert process.returncode == 0


def test_a_second_store_in_a_process_leaves_the_first_its_locks(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "paper.db")
    first, second = Store.open(url), Store.open(url)
    subprocess.run(
        [sys.executable, "-c", "import sys; from bot.store.engine import Store; Store.open(sys.argv[1]).close()", url],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert (tmp_path / "paper.db-wal").exists()
    second.close()
    first.close()


def test_it_is_given_back_at_the_end_of_the_block(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "new folder" / "paper.db")
    for _ in range(2):
        with pytest.raises(RuntimeError), run_lock(url):
            raise RuntimeError


def test_two_names_of_one_file_are_one_lock(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "paper.db")
    with (
        run_lock(sqlite_url(tmp_path / "paper.db")),
        pytest.raises(StoreError, match=f"process {os.getpid()}"),
        run_lock(sqlite_url(tmp_path / "link.db")),
    ):
        pass


def test_two_files_are_two_locks(tmp_path: Path) -> None:
    with run_lock(sqlite_url(tmp_path / "one.db")), run_lock(sqlite_url(tmp_path / "two.db")):
        pass


@pytest.mark.parametrize("url", ["sqlite://", "postgresql://host/name"])
def test_other_databases_need_none(url: str) -> None:
    with run_lock(url), run_lock(url):
        pass


def test_a_lock_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "paper.db.lock").mkdir()
    with (
        pytest.raises(StoreError, match=r"paper\.db\.lock cannot be written"),
        run_lock(sqlite_url(tmp_path / "paper.db")),
    ):
        pass

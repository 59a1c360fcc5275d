"""What a person types never reaches the log, and what cannot be read or stored never becomes a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from bot.app import App
from bot.config import Settings
from bot.core.request import Address, Request, cleaned
from bot.log import configure
from bot.store.engine import Store

HERE = Address("test", "lab", "ada")


def test_a_request_is_cleaned_once_at_the_entrance() -> None:
    dirty = Request(HERE, text="a\x00b\nc\ud800 \x1b[0m 👩‍👩‍👧", action="x\x00", values={"at": "0\x009:00"})
    clean = cleaned(dirty)
    assert clean.text == "ab c [0m 👩‍👩‍👧"
    assert clean.action == "x"
    assert clean.values == {"at": "09:00"}


async def test_a_lone_surrogate_is_no_fault(tmp_path: Path) -> None:
    app = App.open(Settings(data_dir=tmp_path, database_url=""))
    for line in ("search x source=a\ud800", "subscribe \x00", "help a\nb\x00\ud800", "search x days=1\x00z"):
        said = [message async for message in app.invoke(Request(HERE, text=line))]
        assert said
        for message in said:
            assert "the fault is here" not in message.text
            assert all(mark == "\n" or mark.isprintable() for mark in message.text)
    app.close()


def test_what_the_database_refuses_is_told_without_the_values(store: Store) -> None:
    insert = text("INSERT INTO heartbeats (process, started_at, beat_at, role, serves) VALUES (:p, :t, :t, '', '')")
    values = {"p": "private words", "t": "2026-12-02 08:30:00"}
    with store.writing() as conn:
        conn.execute(insert, values)
    with store.reading() as conn, pytest.raises(DBAPIError) as refused:
        conn.execute(insert, values)
    assert "parameters hidden" in str(refused.value)


async def test_typed_words_never_stand_in_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "human")
    app = App.open(Settings(data_dir=tmp_path, database_url=""))
    with app.store.writing() as conn:
        conn.execute(text("CREATE TRIGGER refuse BEFORE INSERT ON wishes BEGIN SELECT RAISE(ABORT, 'no'); END"))
    said = [message async for message in app.invoke(Request(HERE, text="mute zebrafish"))]
    assert "the fault is here" in said[0].text
    logged = "".join(capsys.readouterr())
    assert "request failed" in logged
    assert "zebrafish" not in logged
    app.close()
    structlog.reset_defaults()


async def test_who_was_deleted_meanwhile_is_told_to_type_again(tmp_path: Path) -> None:
    app = App.open(Settings(data_dir=tmp_path, database_url=""))
    refuse = "CREATE TRIGGER refuse BEFORE INSERT ON wishes BEGIN DELETE FROM owners; END"
    with app.store.writing() as conn:
        conn.execute(text(refuse))
    said = [message async for message in app.invoke(Request(HERE, text="mute zebrafish"))]
    assert said[0].text == "What this is about was just deleted. Please type it again."
    app.close()

"""Stores in memory that are quick to make: the tables are made once and copied."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

from bot.store.address import make_engine, parse
from bot.store.engine import Store


def in_memory() -> Store:
    """Return an open store in memory, as `Store.open("sqlite://")` does. All have the same id."""
    store = Store(make_engine(parse("sqlite://")), "in memory")
    with store.engine.connect() as conn:
        driver: Any = conn.connection.driver_connection
        driver.deserialize(_image())
    with store.reading() as conn:
        store.id = conn.exec_driver_sql("SELECT value FROM meta WHERE name = 'id'").scalar_one()
    return store


@cache
def _image() -> bytes:
    store = Store.open("sqlite://")
    with store.engine.connect() as conn:
        driver: Any = conn.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        image = driver.serialize()
    store.close()
    return image

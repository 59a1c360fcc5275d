"""The door between a program and its database: it lets through, and it can be shut."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.errors import StoreError
from bot.store import papers
from bot.store.engine import Store
from tests.fakes.tcp_proxy import Door


def test_a_database_behind_a_shut_door_is_gone_until_it_opens(postgres_tables: str, tmp_path: Path) -> None:
    address = make_url(postgres_tables)
    with Door(f"{address.query['host']}/.s.PGSQL.5432") as door:
        store = Store.open(f"postgresql://{address.username}@127.0.0.1:{door.port}/{address.database}")
        with store.reading() as conn:
            assert papers.count(conn) >= 0
        door.shut()
        with pytest.raises(StoreError, match="cannot be used"), store.reading():
            pass
        door.open()
        with store.reading() as conn:
            assert papers.count(conn) >= 0
        store.close()

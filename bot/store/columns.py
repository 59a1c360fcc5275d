"""What the tables' columns are made of: instants, numbers of rows, and what leads to another table."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, Column, DateTime, Dialect, ForeignKey, Integer, TypeDecorator


class UTCDateTime(TypeDecorator[datetime]):
    """An aware instant. SQLite drops time zones, so all is stored in UTC and comes back aware."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware time into UTC. Raises ValueError for a time without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC).replace(tzinfo=None) if dialect.name == "sqlite" else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the same instant, aware, in UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def number() -> Column[int]:
    """Return the column of a table's short numbers, its primary key."""
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)


def to(target: str, name: str, *, null: bool = False, key: bool = False, lost: str = "CASCADE") -> Column[int]:
    """Return a column `name` that leads to `target` ("table.column"); `lost` is what becomes of it when that goes."""
    return Column(
        name,
        BigInteger().with_variant(Integer, "sqlite"),
        ForeignKey(target, ondelete=lost),
        nullable=null,
        primary_key=key,
    )

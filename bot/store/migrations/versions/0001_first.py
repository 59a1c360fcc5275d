"""The first tables: papers and their records, owners and their interests, notes, heartbeats."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def column(name: str, kind: Any, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=null)


def number() -> sa.Column[Any]:
    return sa.Column("id", NUMBER, autoincrement=True, nullable=False)


def primary(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def leads(table: str, name: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}", ondelete="CASCADE")


def index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def upgrade() -> None:
    upgrade_own()
    upgrade_papers()
    upgrade_records()
    upgrade_owners()
    upgrade_wants()
    upgrade_notes()


def upgrade_own() -> None:
    meta = op.create_table("meta", column("name", sa.String(40)), column("value", sa.Text()), primary("meta", "name"))
    counters = op.create_table(
        "counters", column("name", sa.String(40)), column("value", sa.BigInteger()), primary("counters", "name")
    )
    op.create_table(
        "heartbeats",
        column("process", sa.String(80)),
        column("started_at", TIME),
        column("beat_at", TIME),
        primary("heartbeats", "process"),
    )
    op.execute(meta.insert().values(name="id", value=uuid4().hex))
    op.execute(counters.insert().values(name="papers", value=0))


def upgrade_papers() -> None:
    op.create_table(
        "papers",
        number(),
        column("key", sa.String(300)),
        column("title", sa.Text()),
        column("abstract", sa.Text()),
        column("authors", sa.JSON()),
        column("published", TIME, null=True),
        column("year", sa.Integer(), null=True),
        column("url", sa.Text()),
        column("source", sa.String(80)),
        column("venue", sa.Text()),
        column("categories", sa.JSON()),
        column("keywords", sa.JSON()),
        column("title_guessed", sa.Boolean()),
        column("title_key", sa.String(300)),
        column("first_seen", TIME),
        column("changed", sa.BigInteger()),
        column("merged_into", NUMBER, null=True),
        leads("papers", "merged_into", "papers"),
        primary("papers", "id"),
        unique("papers", "key"),
        sqlite_autoincrement=True,
    )
    for name in ("title_key", "first_seen", "changed"):
        index("papers", name)


def upgrade_records() -> None:
    op.create_table(
        "records",
        number(),
        column("paper_id", NUMBER),
        column("source", sa.String(80)),
        column("source_id", sa.String(300)),
        column("hash", sa.String(64)),
        column("content", sa.JSON()),
        column("title_key", sa.String(300)),
        column("held", sa.Boolean()),
        column("seen_at", TIME),
        leads("records", "paper_id", "papers"),
        primary("records", "id"),
        unique("records", "source", "source_id", "hash"),
    )
    index("records", "paper_id")
    index("records", "title_key")
    op.create_table(
        "aliases",
        column("alias", sa.String(300)),
        column("paper_id", NUMBER),
        leads("aliases", "paper_id", "papers"),
        primary("aliases", "alias"),
    )
    index("aliases", "paper_id")
    op.create_table(
        "disputes",
        column("alias", sa.String(300)),
        column("paper_id", NUMBER),
        leads("disputes", "paper_id", "papers"),
        primary("disputes", "alias", "paper_id"),
    )
    index("disputes", "paper_id")
    op.create_table(
        "categories",
        column("paper_id", NUMBER),
        column("name_key", sa.String(200)),
        column("name", sa.Text()),
        leads("categories", "paper_id", "papers"),
        primary("categories", "paper_id", "name_key"),
    )
    index("categories", "name_key")


def upgrade_owners() -> None:
    op.create_table(
        "owners",
        number(),
        column("platform", sa.String(40)),
        column("workspace", sa.String(120)),
        column("kind", sa.String(10)),
        column("external", sa.String(200)),
        column("name", sa.Text()),
        column("time_zone", sa.String(64)),
        column("created_at", TIME),
        column("menu", sa.JSON()),
        primary("owners", "id"),
        unique("owners", "platform", "workspace", "kind", "external"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "interests",
        number(),
        column("owner_id", NUMBER),
        column("name", sa.Text()),
        column("name_key", sa.String(300)),
        column("topics", sa.JSON()),
        column("created_at", TIME),
        sa.Column("removed_at", TIME),
        leads("interests", "owner_id", "owners"),
        primary("interests", "id"),
        unique("interests", "owner_id", "name_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "subscriptions",
        number(),
        column("interest_id", NUMBER),
        column("asked_by", NUMBER),
        column("at", sa.String(5)),
        column("time_zone", sa.String(64)),
        column("weekdays", sa.String(7)),
        column("at_most", sa.Integer()),
        column("strictness", sa.String(10)),
        column("created_at", TIME),
        leads("subscriptions", "interest_id", "interests"),
        leads("subscriptions", "asked_by", "owners"),
        primary("subscriptions", "id"),
        unique("subscriptions", "interest_id"),
        sqlite_autoincrement=True,
    )
    index("subscriptions", "asked_by")


def upgrade_wants() -> None:
    op.create_table(
        "marks",
        column("interest_id", NUMBER),
        column("paper_id", NUMBER),
        column("person_id", NUMBER),
        column("kind", sa.String(4)),
        column("because", sa.Text()),
        column("at", TIME),
        leads("marks", "interest_id", "interests"),
        leads("marks", "paper_id", "papers"),
        leads("marks", "person_id", "owners"),
        primary("marks", "interest_id", "paper_id", "person_id"),
    )
    index("marks", "paper_id")
    index("marks", "person_id")
    op.create_table(
        "saved",
        column("owner_id", NUMBER),
        column("paper_id", NUMBER),
        column("at", TIME),
        leads("saved", "owner_id", "owners"),
        leads("saved", "paper_id", "papers"),
        primary("saved", "owner_id", "paper_id"),
    )
    index("saved", "paper_id")
    op.create_table(
        "wishes",
        column("owner_id", NUMBER),
        column("kind", sa.String(6)),
        column("words_key", sa.String(300)),
        column("words", sa.Text()),
        column("at", TIME),
        leads("wishes", "owner_id", "owners"),
        primary("wishes", "owner_id", "kind", "words_key"),
    )


def upgrade_notes() -> None:
    op.create_table(
        "notes",
        number(),
        column("owner_id", NUMBER),
        column("kind", sa.String(10)),
        column("content", sa.JSON()),
        column("at", TIME),
        leads("notes", "owner_id", "owners"),
        primary("notes", "id"),
        sqlite_autoincrement=True,
    )
    index("notes", "at")
    index("notes", "owner_id", "kind")


def downgrade() -> None:
    for table in ("notes", "wishes", "saved", "marks", "subscriptions", "interests", "owners"):
        op.drop_table(table)
    for table in ("categories", "disputes", "aliases", "records", "papers", "heartbeats", "counters", "meta"):
        op.drop_table(table)

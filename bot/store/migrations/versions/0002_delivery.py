"""Digests that are sent: schedules with what is due next, the outbox, the state of sources, workspaces."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
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


def leads(table: str, name: str, target: str, *, lost: str = "CASCADE") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}", ondelete=lost)


def index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


OLD = ("marks", "subscriptions", "interests")  # those that lead to others first


def upgrade() -> None:
    upgrade_heartbeats()
    op.add_column("papers", sa.Column("cross_listed", sa.Boolean(), nullable=False, server_default=sa.false()))
    for table in OLD:
        op.execute(f"CREATE TABLE old_{table} AS SELECT * FROM {table}")
    for table in OLD:
        op.drop_table(table)
    create_subscriptions()
    create_interests()
    create_marks()
    bring_back()
    for table in OLD:
        op.drop_table(f"old_{table}")
    upgrade_outbox()
    upgrade_states()


def upgrade_heartbeats() -> None:
    op.drop_table("heartbeats")  # of processes that run the program before this one
    op.create_table(
        "heartbeats",
        column("process", sa.String(80)),
        column("started_at", TIME),
        column("beat_at", TIME),
        column("role", sa.String(10)),
        column("serves", sa.Text()),
        primary("heartbeats", "process"),
    )


def create_subscriptions() -> None:
    op.create_table(
        "subscriptions",
        number(),
        column("owner_id", NUMBER),
        column("asked_by", NUMBER),
        column("at", sa.String(5)),
        column("time_zone", sa.String(64)),
        column("weekdays", sa.String(7)),
        column("at_most", sa.Integer()),
        column("strictness", sa.String(10)),
        column("gap", sa.Integer()),
        column("cross_lists", sa.Boolean()),
        column("silent", sa.Boolean()),
        column("created_at", TIME),
        column("paused_at", TIME, null=True),
        column("paused_until", sa.String(10)),
        column("paused_why", sa.Text()),
        column("next_due_at", TIME, null=True),
        column("last_date", sa.String(10)),
        column("covered_to", TIME),
        column("covered_id", sa.BigInteger()),
        column("said_at", TIME),
        column("planning_until", TIME, null=True),
        primary("subscriptions", "id"),
        leads("subscriptions", "owner_id", "owners"),
        leads("subscriptions", "asked_by", "owners"),
        sqlite_autoincrement=True,
    )
    index("subscriptions", "next_due_at")
    index("subscriptions", "owner_id")
    index("subscriptions", "asked_by")


def create_interests() -> None:
    op.create_table(
        "interests",
        number(),
        column("owner_id", NUMBER),
        column("name", sa.Text()),
        column("name_key", sa.String(300)),
        column("topics", sa.JSON()),
        column("created_at", TIME),
        column("removed_at", TIME, null=True),
        column("subscription_id", NUMBER, null=True),
        primary("interests", "id"),
        leads("interests", "owner_id", "owners"),
        leads("interests", "subscription_id", "subscriptions", lost="SET NULL"),
        sa.UniqueConstraint("owner_id", "name_key", name="uq_interests_owner_id_name_key"),
        sqlite_autoincrement=True,
    )
    index("interests", "subscription_id")


def create_marks() -> None:
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


def bring_back() -> None:
    """A subscription had one interest; now an interest has its subscription, and several may share one."""
    # Nothing was ever sent before this revision: the first digest is due at once, and covers all since then.
    op.execute(
        """
        INSERT INTO subscriptions (id, owner_id, asked_by, at, time_zone, weekdays, at_most, strictness, gap,
            cross_lists, silent, created_at, paused_until, paused_why, next_due_at, last_date, covered_to, said_at,
            covered_id)
        SELECT s.id, i.owner_id, s.asked_by, s.at, s.time_zone, s.weekdays, s.at_most, s.strictness, 0,
            false, false, s.created_at, '', '', s.created_at, '', s.created_at, s.created_at,
            (SELECT coalesce(max(p.id), 0) FROM papers p WHERE p.first_seen <= s.created_at)
        FROM old_subscriptions s JOIN old_interests i ON i.id = s.interest_id
        """
    )
    op.execute(
        """
        INSERT INTO interests (id, owner_id, name, name_key, topics, created_at, removed_at, subscription_id)
        SELECT i.id, i.owner_id, i.name, i.name_key, i.topics, i.created_at, i.removed_at, s.id
        FROM old_interests i LEFT JOIN old_subscriptions s ON s.interest_id = i.id
        """
    )
    columns = "interest_id, paper_id, person_id, kind, because, at"
    op.execute(f"INSERT INTO marks ({columns}) SELECT {columns} FROM old_marks")
    if op.get_bind().dialect.name == "postgresql":
        for table in ("subscriptions", "interests"):
            last = f"(SELECT max(id) FROM {table})"
            op.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last}) WHERE {last} IS NOT NULL")


def upgrade_outbox() -> None:
    op.create_table(
        "outbox",
        number(),
        column("key", sa.String(120)),
        column("kind", sa.String(10)),
        column("subscription_id", NUMBER, null=True),
        column("owner_id", NUMBER),
        column("platform", sa.String(40)),
        column("workspace", sa.String(120)),
        column("user", sa.String(200)),
        column("channel", sa.String(200)),
        column("message", sa.JSON()),
        column("state", sa.String(10)),
        column("due_at", TIME),
        column("created_at", TIME),
        column("not_before", TIME),
        column("tries", sa.Integer()),
        column("looks", sa.Integer()),
        column("token", sa.String(32)),
        column("leased_until", TIME, null=True),
        column("claimed_at", TIME, null=True),
        column("tried_at", TIME, null=True),
        column("uncertain", sa.Boolean()),
        column("window_from", TIME),
        column("window_id", sa.BigInteger()),
        column("done_at", TIME, null=True),
        column("receipt", sa.Text()),
        column("error", sa.Text()),
        primary("outbox", "id"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
        leads("outbox", "subscription_id", "subscriptions"),
        leads("outbox", "owner_id", "owners"),
        sqlite_autoincrement=True,
    )
    index("outbox", "state", "not_before")
    index("outbox", "owner_id")
    index("outbox", "subscription_id")
    op.create_table(
        "shown",
        column("outbox_id", NUMBER),
        column("paper_id", NUMBER),
        primary("shown", "outbox_id", "paper_id"),
        leads("shown", "outbox_id", "outbox"),
        leads("shown", "paper_id", "papers"),
    )
    index("shown", "paper_id")


def upgrade_states() -> None:
    op.create_table(
        "sources",
        column("name", sa.String(80)),
        column("asked_at", TIME, null=True),
        column("answered_at", TIME, null=True),
        column("brought_at", TIME, null=True),
        column("failing_since", TIME, null=True),
        column("behind_since", TIME, null=True),
        column("error", sa.Text()),
        column("rests", sa.Text()),
        column("next_at", TIME, null=True),
        column("leased_until", TIME, null=True),
        primary("sources", "name"),
    )
    op.create_table(
        "workspaces",
        column("platform", sa.String(40)),
        column("workspace", sa.String(120)),
        column("time_zone", sa.String(64)),
        column("channels", sa.String(10)),
        primary("workspaces", "platform", "workspace"),
    )


def downgrade() -> None:
    for table in ("workspaces", "sources", "shown", "outbox"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("fk_interests_subscription_id", "interests")

"""Platforms that many workspaces install: their tokens, and what was delivered to the bot already."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "installs",
        sa.Column("platform", sa.String(40), nullable=False),
        sa.Column("workspace", sa.String(120), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("bot_user", sa.String(200), nullable=False),
        sa.Column("bot_id", sa.String(200), nullable=False),
        sa.Column("app_id", sa.String(200), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("installed_by", sa.String(200), nullable=False),
        sa.Column("installed_at", TIME, nullable=False),
        sa.Column("ended_at", TIME),
        sa.Column("ended_why", sa.Text(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("platform", "workspace", name="pk_installs"),
    )
    op.create_table(
        "deliveries",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_at", "deliveries", ["at"])


def downgrade() -> None:
    op.drop_table("deliveries")
    op.drop_table("installs")

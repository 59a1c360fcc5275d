"""Scores of rated papers again, in a later generation of the index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("shown", sa.Column("again", sa.Float(), nullable=True))
    op.add_column("shown", sa.Column("again_in", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("shown") as table:
        table.drop_column("again_in")
        table.drop_column("again")

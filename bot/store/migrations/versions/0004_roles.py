"""A role whose members may subscribe the channels of a workspace."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("role", sa.String(40), nullable=False, server_default=sa.text("''")))
    op.add_column("workspaces", sa.Column("role_name", sa.Text(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    with op.batch_alter_table("workspaces") as table:
        table.drop_column("role_name")
        table.drop_column("role")

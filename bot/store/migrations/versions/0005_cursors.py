"""How far each source was read, and which sources were chosen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sources", sa.Column("cursor", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "chosen",
        sa.Column("spec", sa.String(500), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("spec", name="pk_chosen"),
    )


def downgrade() -> None:
    op.drop_table("chosen")
    with op.batch_alter_table("sources") as table:
        table.drop_column("cursor")

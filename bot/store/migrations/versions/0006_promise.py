"""How each paper came to be shown, its votes, and where the promise of each subscription's strictness stands."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_WHOLE = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.add_column("papers", sa.Column("votes", sa.Integer(), nullable=False, server_default=sa.text("0")))
    with op.batch_alter_table("shown") as table:
        table.add_column(sa.Column("interest_id", _WHOLE, nullable=True))
        table.add_column(sa.Column("place", sa.Integer(), nullable=False, server_default=sa.text("0")))
        table.add_column(sa.Column("score", sa.Float(), nullable=True))
        table.add_column(sa.Column("generation", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
        table.add_column(sa.Column("tau", sa.Float(), nullable=True))
        table.add_column(sa.Column("chance", sa.Float(), nullable=False, server_default=sa.text("1")))
        table.add_column(sa.Column("aside", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.create_foreign_key("fk_shown_interest_id", "interests", ["interest_id"], ["id"], ondelete="SET NULL")
        table.create_index("ix_shown_interest_id", ["interest_id"])
    op.add_column("subscriptions", sa.Column("tau", sa.Float(), nullable=True))
    op.add_column("subscriptions", sa.Column("tau_first", sa.Float(), nullable=True))
    op.add_column("subscriptions", sa.Column("counted", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("subscriptions", sa.Column("wasted", sa.Float(), nullable=False, server_default=sa.text("0")))
    op.add_column(
        "subscriptions", sa.Column("weighed_id", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    )


def downgrade() -> None:
    with op.batch_alter_table("papers") as table:
        table.drop_column("votes")
    with op.batch_alter_table("subscriptions") as table:
        for name in ("weighed_id", "wasted", "counted", "tau_first", "tau"):
            table.drop_column(name)
    with op.batch_alter_table("shown") as table:
        table.drop_index("ix_shown_interest_id")
        table.drop_constraint("fk_shown_interest_id", type_="foreignkey")
        for name in ("aside", "chance", "tau", "generation", "score", "place", "interest_id"):
            table.drop_column(name)

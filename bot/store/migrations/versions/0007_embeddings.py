"""Dense vectors of texts, and of each paper the hash of the text that is embedded."""

from __future__ import annotations

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_WHOLE = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_BATCH = 1000


def upgrade() -> None:
    op.create_table(
        "embeddings",
        sa.Column("id", _WHOLE, primary_key=True, autoincrement=True),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("model", "hash", name="uq_embeddings_model_hash"),
        sqlite_autoincrement=True,
    )
    op.add_column("papers", sa.Column("text_hash", sa.String(64), nullable=False, server_default=sa.text("''")))
    _hash(op.get_bind())
    op.create_index("ix_papers_text_hash", "papers", ["text_hash"])


def _hash(conn: sa.Connection) -> None:
    papers = sa.table("papers", *(sa.column(name) for name in ("id", "title", "abstract", "text_hash")))
    last = 0
    write = papers.update().where(papers.c.id == sa.bindparam("n")).values(text_hash=sa.bindparam("hash"))
    while True:
        query = sa.select(papers).where(papers.c.id > last).order_by(papers.c.id).limit(_BATCH)
        rows = conn.execute(query).all()
        if not rows:
            return
        last = rows[-1].id
        texts = {row.id: f"{row.title.strip()}. {row.abstract.strip()}" for row in rows}
        hashes = {at: sha256(text.encode("utf-8", "replace")).hexdigest() for at, text in texts.items()}
        conn.execute(write, [{"n": at, "hash": found} for at, found in hashes.items()])


def downgrade() -> None:
    with op.batch_alter_table("papers") as table:
        table.drop_index("ix_papers_text_hash")
        table.drop_column("text_hash")
    op.drop_table("embeddings")

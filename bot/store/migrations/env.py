"""Run the migrations on the connection that the store gives, inside the store's own transaction."""

from __future__ import annotations

from alembic import context

from bot.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=context.config.attributes["version_table"],
    transactional_ddl=False,  # the store holds the transaction and its lock
    render_as_batch=True,
)
context.run_migrations()

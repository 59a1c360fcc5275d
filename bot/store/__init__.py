"""The database: tables, migrations and queries, one file a noun."""

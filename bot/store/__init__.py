"""The store: tables, migrations and queries, one file a noun. The only place that knows SQL."""

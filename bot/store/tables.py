"""The tables. Times are UTC through one type; short numbers are primary keys; JSON holds lists of plain text."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from bot.store.columns import UTCDateTime, number, to

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


# What this database is: its own id, and counters that order changes.
meta = Table("meta", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))
counters = Table(
    "counters", metadata, Column("name", String(40), primary_key=True), Column("value", BigInteger, nullable=False)
)
heartbeats = Table(
    "heartbeats",
    metadata,
    Column("process", String(80), primary_key=True),
    Column("started_at", UTCDateTime, nullable=False),
    Column("beat_at", UTCDateTime, nullable=False),
    Column("role", String(10), nullable=False),  # "all", "worker", "web"
    Column("serves", Text, nullable=False),  # platforms it can send to, with spaces between
)

# One paper, many ids: immutable records, papers derived from them, and aliases that lead to papers.
papers = Table(
    "papers",
    metadata,
    number(),
    Column("key", String(300), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("abstract", Text, nullable=False, default=""),
    Column("authors", JSON, nullable=False),
    Column("published", UTCDateTime),
    Column("year", Integer),
    Column("url", Text, nullable=False, default=""),
    Column("source", String(80), nullable=False, default=""),
    Column("venue", Text, nullable=False, default=""),
    Column("categories", JSON, nullable=False),
    Column("keywords", JSON, nullable=False),
    Column("title_guessed", Boolean, nullable=False, default=False),
    Column("cross_listed", Boolean, nullable=False, server_default=false()),  # announced as a cross-list only
    Column("votes", Integer, nullable=False, server_default=text("0")),  # on Hugging Face
    Column("title_key", String(300), nullable=False, index=True),
    Column("text_hash", String(64), nullable=False, index=True, server_default=text("''")),  # of title and abstract
    Column("first_seen", UTCDateTime, nullable=False, index=True),
    Column("changed", BigInteger, nullable=False, index=True),
    to("papers.id", "merged_into", null=True),
    sqlite_autoincrement=True,
)
records = Table(
    "records",
    metadata,
    number(),
    to("papers.id", "paper_id"),
    Column("source", String(80), nullable=False),
    Column("source_id", String(300), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("content", JSON, nullable=False),
    Column("title_key", String(300), nullable=False, index=True),  # empty where the title proves nothing
    Column("held", Boolean, nullable=False, default=False),  # placed by hand: imports do not move it
    Column("seen_at", UTCDateTime, nullable=False),
    UniqueConstraint("source", "source_id", "hash"),
    Index("ix_records_paper_id", "paper_id"),
)
aliases = Table(
    "aliases",
    metadata,
    Column("alias", String(300), primary_key=True),
    to("papers.id", "paper_id"),
    Index("ix_aliases_paper_id", "paper_id"),
)
# Ids that a paper's records claim while another paper, which it must not merge with, owns the alias.
disputes = Table(
    "disputes",
    metadata,
    Column("alias", String(300), primary_key=True),
    to("papers.id", "paper_id", key=True),
    Index("ix_disputes_paper_id", "paper_id"),
)
categories = Table(
    "categories",
    metadata,
    to("papers.id", "paper_id", key=True),
    Column("name_key", String(200), primary_key=True),
    Column("name", Text, nullable=False),
    Index("ix_categories_name_key", "name_key"),
)
# Dense vectors by what was embedded: of papers (their text_hash) and of topics.
embeddings = Table(
    "embeddings",
    metadata,
    number(),
    Column("model", String(200), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("vector", LargeBinary, nullable=False),  # little-endian float16
    UniqueConstraint("model", "hash"),
    sqlite_autoincrement=True,
)

# People and channels: whoever can have interests.
owners = Table(
    "owners",
    metadata,
    number(),
    Column("platform", String(40), nullable=False),
    Column("workspace", String(120), nullable=False),
    Column("kind", String(10), nullable=False),  # "person" or "channel"
    Column("external", String(200), nullable=False),
    Column("name", Text, nullable=False, default=""),
    Column("time_zone", String(64), nullable=False, default=""),
    Column("created_at", UTCDateTime, nullable=False),
    Column("menu", JSON, nullable=False),  # the actions of the last message there, for platforms that number buttons
    UniqueConstraint("platform", "workspace", "kind", "external"),
    sqlite_autoincrement=True,
)
subscriptions = Table(
    "subscriptions",
    metadata,
    number(),
    to("owners.id", "owner_id"),
    to("owners.id", "asked_by"),
    Column("at", String(5), nullable=False),  # local time, HH:MM
    Column("time_zone", String(64), nullable=False),
    Column("weekdays", String(7), nullable=False),  # digits of ISO weekdays, Monday is 1: "12345"
    Column("at_most", Integer, nullable=False),
    Column("strictness", String(10), nullable=False),
    Column("gap", Integer, nullable=False),  # days from one digest to the next, at least
    Column("cross_lists", Boolean, nullable=False),
    Column("silent", Boolean, nullable=False),  # say nothing where there is nothing
    Column("created_at", UTCDateTime, nullable=False),
    Column("paused_at", UTCDateTime),
    Column("paused_until", String(10), nullable=False),  # local date, or empty
    Column("paused_why", Text, nullable=False),  # empty: somebody asked for it
    Column("next_due_at", UTCDateTime),
    Column("last_date", String(10), nullable=False),  # the last local date that was planned
    Column("covered_to", UTCDateTime, nullable=False),  # when papers were considered last
    Column("covered_id", BigInteger, nullable=False),  # papers up to this number were considered
    Column("said_at", UTCDateTime, nullable=False),
    Column("planning_until", UTCDateTime),  # lease of the process that plans it now
    # The promise of its strictness: the threshold, where it began, the digests that count, the sum of their losses.
    Column("tau", Float),  # none yet
    Column("tau_first", Float),
    Column("counted", Integer, nullable=False, server_default=text("0")),
    Column("wasted", Float, nullable=False, server_default=text("0")),
    Column("weighed_id", BigInteger, nullable=False, server_default=text("0")),  # digests up to this one were looked at
    Index("ix_subscriptions_next_due_at", "next_due_at"),
    Index("ix_subscriptions_owner_id", "owner_id"),
    Index("ix_subscriptions_asked_by", "asked_by"),
    sqlite_autoincrement=True,
)
interests = Table(
    "interests",
    metadata,
    number(),
    to("owners.id", "owner_id"),
    Column("name", Text, nullable=False),
    Column("name_key", String(300), nullable=False),
    Column("topics", JSON, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("removed_at", UTCDateTime),  # kept for a while, unseen, so that removing can be undone
    to("subscriptions.id", "subscription_id", null=True, lost="SET NULL"),  # the digest that it comes in
    UniqueConstraint("owner_id", "name_key"),
    Index("ix_interests_subscription_id", "subscription_id"),
    sqlite_autoincrement=True,
)
marks = Table(
    "marks",
    metadata,
    to("interests.id", "interest_id", key=True),
    to("papers.id", "paper_id", key=True),
    to("owners.id", "person_id", key=True),
    Column("kind", String(4), nullable=False),  # "more" or "less"
    Column("because", Text, nullable=False, default=""),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_marks_person_id", "person_id"),
    Index("ix_marks_paper_id", "paper_id"),
)
saved = Table(
    "saved",
    metadata,
    to("owners.id", "owner_id", key=True),
    to("papers.id", "paper_id", key=True),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_saved_paper_id", "paper_id"),
)
wishes = Table(
    "wishes",
    metadata,
    to("owners.id", "owner_id", key=True),
    Column("kind", String(6), primary_key=True),  # "follow" or "mute"
    Column("words_key", String(300), primary_key=True),
    Column("words", Text, nullable=False),
    Column("at", UTCDateTime, nullable=False),
)

# What a button's short number stands for: a list of papers, a line to run, an undo, a confirmation.
notes = Table(
    "notes",
    metadata,
    number(),
    to("owners.id", "owner_id"),
    Column("kind", String(10), nullable=False),
    Column("content", JSON, nullable=False),
    Column("at", UTCDateTime, nullable=False, index=True),
    Index("ix_notes_owner_id_kind", "owner_id", "kind"),
    sqlite_autoincrement=True,
)

# Digests and notices on their way: frozen when they were planned, each claimed, sent and marked once.
outbox = Table(
    "outbox",
    metadata,
    number(),
    Column("key", String(120), nullable=False, unique=True),  # digest:<subscription>:<local date>
    Column("kind", String(10), nullable=False),  # "digest" or "notice"
    to("subscriptions.id", "subscription_id", null=True),
    to("owners.id", "owner_id"),
    Column("platform", String(40), nullable=False),
    Column("workspace", String(120), nullable=False),
    Column("user", String(200), nullable=False),
    Column("channel", String(200), nullable=False),
    Column("message", JSON, nullable=False),
    Column("state", String(10), nullable=False),  # pending, sent, refused, dead, unknown, held, dropped
    Column("due_at", UTCDateTime, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("not_before", UTCDateTime, nullable=False),  # the next try
    Column("tries", Integer, nullable=False),  # sends that began
    Column("looks", Integer, nullable=False),  # since the last send
    Column("token", String(32), nullable=False),  # of the lease; empty if nobody has it
    Column("leased_until", UTCDateTime),
    Column("claimed_at", UTCDateTime),  # the first time
    Column("tried_at", UTCDateTime),  # when the last send began
    Column("uncertain", Boolean, nullable=False),  # the last send may have arrived
    Column("window_from", UTCDateTime, nullable=False),  # the covered_to and covered_id from which it goes on
    Column("window_id", BigInteger, nullable=False),
    Column("done_at", UTCDateTime),
    Column("receipt", Text, nullable=False),
    Column("error", Text, nullable=False),
    Index("ix_outbox_state_not_before", "state", "not_before"),
    Index("ix_outbox_owner_id", "owner_id"),
    Index("ix_outbox_subscription_id", "subscription_id"),
    sqlite_autoincrement=True,
)
shown = Table(
    "shown",
    metadata,
    to("outbox.id", "outbox_id", key=True),
    to("papers.id", "paper_id", key=True),
    to("interests.id", "interest_id", null=True, lost="SET NULL"),  # the rest tells how it came to be shown
    Column("place", Integer, nullable=False, server_default=text("0")),  # from 1 on
    Column("score", Float),  # in the generation of the index that ranked it
    Column("generation", BigInteger, nullable=False, server_default=text("0")),
    Column("again", Float),  # the score of today, see `bot.store.replay`
    Column("again_in", BigInteger),  # the generation that it was looked for in
    Column("tau", Float),  # the probability that was to be reached
    Column("chance", Float, nullable=False, server_default=text("1")),  # that it was shown
    Column("aside", Boolean, nullable=False, server_default=false()),  # outside the usual, and outside the promise
    Index("ix_shown_paper_id", "paper_id"),
    Index("ix_shown_interest_id", "interest_id"),
)

# How each source of papers does, and what an administrator of a workspace chose.
sources = Table(
    "sources",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("asked_at", UTCDateTime),
    Column("answered_at", UTCDateTime),
    Column("brought_at", UTCDateTime),  # the last new paper
    Column("failing_since", UTCDateTime),
    Column("behind_since", UTCDateTime),
    Column("error", Text, nullable=False),
    Column("rests", Text, nullable=False),  # why nothing is expected now; empty if papers are
    Column("next_at", UTCDateTime),
    Column("leased_until", UTCDateTime),
    Column("cursor", Text, nullable=False, server_default=text("''")),  # how far it was read, in its own words
)
# What sources an administrator chose at a terminal, beside those that the settings name.
chosen = Table(
    "chosen",
    metadata,
    Column("spec", String(500), primary_key=True),  # "arxiv:cs.CL"
    Column("name", Text, nullable=False),  # as the source calls it: "arXiv cs.CL"
    Column("added_at", UTCDateTime, nullable=False),
)
workspaces = Table(
    "workspaces",
    metadata,
    Column("platform", String(40), primary_key=True),
    Column("workspace", String(120), primary_key=True),
    Column("time_zone", String(64), nullable=False),
    Column("channels", String(10), nullable=False),  # who may subscribe channels: "", "managers" or "everyone"
    Column("role", String(40), nullable=False, server_default=text("''")),  # the id of one whose members may too, or ""
    Column("role_name", Text, nullable=False, server_default=text("''")),
)

# Where a platform's app is installed. Its token is encrypted; one that ended has none, and its data stay for a while.
installs = Table(
    "installs",
    metadata,
    Column("platform", String(40), primary_key=True),
    Column("workspace", String(120), primary_key=True),
    Column("token", Text, nullable=False),
    Column("bot_user", String(200), nullable=False),
    Column("bot_id", String(200), nullable=False),
    Column("app_id", String(200), nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("installed_by", String(200), nullable=False),
    Column("installed_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("ended_why", Text, nullable=False),  # in words; empty if it has not ended
    Column("removed", Boolean, nullable=False),  # the app was: after 30 days all of the workspace is deleted
)
# What counts once: deliveries of a platform that were seen, and what was handed out to be brought back once.
deliveries = Table(
    "deliveries",
    metadata,
    Column("key", String(64), primary_key=True),  # of a longer one, its beginning and its SHA-256
    Column("at", UTCDateTime, nullable=False, index=True),
)

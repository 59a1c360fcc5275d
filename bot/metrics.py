"""What is counted, for Prometheus. Everything is in a registry of its own; nothing listens until `serve` is called."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

REGISTRY = CollectorRegistry()
_LATE = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21600, 86400)  # seconds
_LOOKUP = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # seconds

log = structlog.get_logger()


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"paperround_{name}", text, labels, registry=REGISTRY)


def _gauge(name: str, text: str, *labels: str) -> Gauge:
    return Gauge(f"paperround_{name}", text, labels, registry=REGISTRY)


PLANNED = _counter("digests_planned", "Digests that were put into the outbox.")
NOTHING = _counter("digests_nothing", "Digests that were due and had nothing to show.")
SENT = _counter("digests_sent", "Digests that a platform took.", "platform")
REFUSED = _counter("digests_refused", "Digests whose destination is closed to the bot.")
DEAD = _counter("digests_dead", "Digests that were set aside after too many tries.")
UNKNOWN = _counter("digests_unknown", "Digests of which nobody can say whether they arrived.")
RESENT = _counter("resent", "Messages that were sent again since two looks did not show them: each may be a double.")
LATE = Histogram(
    "paperround_late_seconds", "From when a digest was due until it was sent.", buckets=_LATE, registry=REGISTRY
)
DEPTH = Gauge("paperround_outbox_depth", "Messages in the outbox, but those sent.", ["state"], registry=REGISTRY)
OLDEST = Gauge("paperround_outbox_oldest_seconds", "Since when the oldest pending message is due.", registry=REGISTRY)
SOURCE_AGE = _gauge("source_age_seconds", "Since when a source gave no answer.", "source")
SOURCE_FAILING = _gauge("source_failing_seconds", "Since when a source fails; 0 if it does not.", "source")
SOURCE_BEHIND = _gauge("source_behind_seconds", "Since when a source is behind; 0 if it is not.", "source")
SOURCE_NEXT = _gauge("source_next_seconds", "Until a source is asked again; less than 0 if it is overdue.", "source")
LOOKUP = Histogram("paperround_lookup_seconds", "How long an answer took.", buckets=_LOOKUP, registry=REGISTRY)
SLACK_UNKNOWN = _counter("slack_unknown_codes", "Answers of Slack with an error code that nobody has documented.")
DISCORD_UNKNOWN = _counter("discord_unknown_codes", "Refusals of Discord with an error code that is not in our table.")
LOOKUPS = _counter("lookups", "What people asked for.", "outcome")


def serve(address: str) -> Callable[[], None]:
    """Answer Prometheus on "host:port" in a thread, and return what ends it. An empty address serves nothing.

    Port 0 is any free one; the log says which. An address that cannot be used is a line in the log, and no more.
    """
    host, _, port = address.strip().rpartition(":")
    if not address.strip():
        return _nothing
    try:
        server, thread = start_http_server(int(port), host.strip("[]") or "127.0.0.1", REGISTRY)
    except (OSError, ValueError, OverflowError) as error:
        log.warning("no metrics: this address cannot be used", address=address, reason=str(error))
        return _nothing
    log.info("metrics", address=f"http://{host or '127.0.0.1'}:{server.server_port}/metrics")

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return close


def _nothing() -> None:
    """End nothing."""

"""What Prometheus reads: named as the README says, served on one address, and never the end of a process."""

from __future__ import annotations

import socket
from urllib.request import urlopen

import pytest
from structlog.testing import capture_logs

from bot import metrics

NAMES = {
    "paperround_digests_planned_total",
    "paperround_digests_nothing_total",
    "paperround_digests_sent_total",
    "paperround_digests_refused_total",
    "paperround_digests_dead_total",
    "paperround_digests_unknown_total",
    "paperround_resent_total",
    "paperround_late_seconds_bucket",
    "paperround_outbox_depth",
    "paperround_outbox_oldest_seconds",
    "paperround_source_age_seconds",
    "paperround_lookup_seconds_bucket",
    "paperround_lookups_total",
}


def test_everything_is_served_and_ends() -> None:
    metrics.SENT.labels("post").inc()
    metrics.DEPTH.labels("pending").set(3)
    metrics.SOURCE_AGE.labels("arxiv").set(60)
    metrics.LOOKUPS.labels("done").inc()
    with capture_logs() as logs:
        close = metrics.serve("127.0.0.1:0")
    url = logs[0]["address"]
    with urlopen(url) as answer:
        text = answer.read().decode()
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}
    assert names >= NAMES
    assert 'paperround_outbox_depth{state="pending"} 3.0' in text
    close()
    with pytest.raises(OSError, match="refused"):
        urlopen(url)


def test_an_empty_address_serves_nothing() -> None:
    with capture_logs() as logs:
        metrics.serve("")()
        metrics.serve("  ")()
    assert logs == []


def test_an_address_that_cannot_be_used_is_a_line_in_the_log() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, capture_logs() as logs:
        for address in (f"127.0.0.1:{taken.getsockname()[1]}", "127.0.0.1:99999", "127.0.0.1", "localhost:x"):
            metrics.serve(address)()
    assert [line["event"] for line in logs] == ["no metrics: this address cannot be used"] * 4

"""How fast answers of sources are parsed, arXiv's beside feedparser. Prints a table. Run by hand.

    python tests/bench/bench_sources.py            the wanted rate is 2,000 entries a second a core

The payloads are the genuine ones of the shared data beside the project where they are there, else such as the fake
arXiv of the tests makes. Times are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.sources._arxiv_api import parse_api
from bot.sources._arxiv_daily import parse_daily
from bot.sources._arxiv_oai import parse_oai
from bot.sources._feed import parse_feed
from bot.sources._huggingface_day import parse_day
from bot.sources._openalex_works import parse_works as parse_openalex
from bot.sources._openreview_notes import parse_notes
from bot.sources._rxiv import parse_page
from bot.sources._s2_papers import parse_papers
from tests.fakes.arxiv_server import ArxivWorld, Made

WANTED = 2000  # entries a second
ROUNDS = 7
GENUINE = Path(__file__).resolve().parents[2].parent / "shared" / "feeds" / "arxiv-api" / "search_100.xml"
ABSTRACT = (
    "We study how $O(n\\log n)$ attention reads long documents, and why it does so less well than people think. " * 12
)
NAMES = tuple(f'Zo\\"e Number{number}' for number in range(6))


def rate(parse: Callable[[bytes], object], body: bytes, entries: int) -> float:
    """Return how many entries are parsed in a second of the processor, at the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        parse(body)
        best = min(best, time.process_time() - start)
    return entries / best


def payloads() -> list[tuple[str, Callable[[bytes], object], bytes, int]]:
    """Return the name, parser, body and number of entries of each payload."""
    day = date(2026, 4, 27)
    papers = [
        Made(f"2604.{10000 + number}", day, f"Paper {number} on Documents", abstract=ABSTRACT, authors=NAMES)
        for number in range(1000)
    ]
    world = ArxivWorld(papers, lambda: datetime(2026, 4, 27, 12, tzinfo=UTC), batch=1000)
    query = {"search_query": "cat:cs.CL", "max_results": "1000"}
    made: list[tuple[str, Callable[[bytes], object], bytes, int]] = [
        ("API, made", parse_api, world.answer("/api/query", query)[2], 1000),
        ("daily list, made", parse_daily, world.answer("/rss/cs.CL", {})[2], 1000),
        ("OAI-PMH, made", parse_oai, world.answer("/oai", {})[2], 1000),
    ]
    if GENUINE.is_file():
        made.insert(0, ("API, genuine", parse_api, GENUINE.read_bytes(), 100))
    return made


def others() -> list[tuple[str, Callable[[bytes], object], bytes, int]]:
    """Return the same of the other sources, of the tests' payloads with their entries repeated."""
    data, many = Path(__file__).resolve().parents[1] / "data", 300
    made: list[tuple[str, Callable[[bytes], object], bytes, int]] = []
    for name, parse, path, field in (
        ("OpenReview", lambda said: parse_notes(json.dumps(said).encode()), "openreview/v2_venue.json", "notes"),
        ("Semantic Scholar", parse_papers, "semanticscholar/search.json", "data"),
        ("OpenAlex", parse_openalex, "openalex/works.json", "results"),
        ("bioRxiv", lambda said: parse_page(said, "biorxiv", "bioRxiv"), "biorxiv/details.json", "collection"),
        ("Hugging Face", parse_day, "huggingface/daily_papers.json", ""),
    ):
        said = json.loads((data / path).read_bytes())
        entries = (said[field] if field else said) * many
        body = json.dumps({**said, field: entries} if field else entries).encode()
        made.append((name, partial(_parsed, parse), body, len(entries)))
    item = "<item><title>Paper {0}</title><link>https://a.example/{0}</link><description>{1}</description></item>"
    feed = f"<rss version='2.0'><channel>{''.join(item.format(n, ABSTRACT) for n in range(many))}</channel></rss>"
    made.append(
        ("feed", lambda body: parse_feed(body, "https://a.example/", "a.example", "rss:a"), feed.encode(), many)
    )
    return made


def _parsed(parse: Callable[[Any], object], body: bytes) -> object:
    return parse(json.loads(body))


def main() -> None:
    """Print the table."""
    other = import_module("feedparser").parse if find_spec("feedparser") else None
    print(f"{'payload':<18}{'bytes an entry':>16}{'entries/s':>12}{'wanted':>9}{'of feedparser':>16}")
    for name, parse, body, entries in payloads():
        found = rate(parse, body, entries)
        times = f"{found / rate(other, body, entries):.1f} x" if other and parse is not parse_oai else "—"
        print(f"{name:<18}{len(body) // entries:>16,}{found:>12,.0f}{WANTED:>9,}{times:>16}")
    for name, parse, body, entries in others():
        print(f"{name:<18}{len(body) // entries:>16,}{rate(parse, body, entries):>12,.0f}{'':>9}{'—':>16}")


if __name__ == "__main__":
    main()

"""Folders of judgements whose right answers are known by reasoning."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KINDS = {"vision": "image pixels camera lens", "speech": "audio phoneme voice tone", "graph": "nodes edges paths tree"}


def papers(n: int) -> list[dict[str, Any]]:
    """Return n papers about three things in turn, as a set has them: of one kind, the words are the same."""
    kinds = list(KINDS.items())
    return [
        {
            "id": f"p{at}",
            "title": f"{kinds[at % 3][0]} number{at} item{at}",
            "abstract": f"We study {kinds[at % 3][1]} and word{at} and term{at}.",
            "authors": ["Ada Lovelace"],
        }
        for at in range(n)
    ]


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write JSON lines, gzipped if the name says so."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def people(folder: Path, n: int = 60, users: int = 6, header: str = "user_id\tpaper_id\tgrade\n") -> Path:
    """Make a set: each user likes the first papers of one kind, and grades 2 what is of it, 0 what is not."""
    folder.mkdir(parents=True)
    write(folder / "papers.jsonl.gz", papers(n))
    rows, lines = [], [header] if header else []
    for user in range(users):
        kind = user % 3
        profile = [at for at in range(n) if at % 3 == kind][: 1 + user]
        rows.append({"user_id": f"u{user}", "profile": [f"p{at}" for at in profile]})
        lines += [f"u{user}\tp{at}\t{2.0 if at % 3 == kind else 0}\n" for at in range(n - 12, n)]
        lines += [f"u{user}\tp{profile[0]}\t2\n"]  # its own profile paper, which must not count
    write(folder / "users.jsonl", rows)
    (folder / "qrels.tsv").write_text("".join(lines))
    return folder


def queries(folder: Path) -> Path:
    """Make a set of two queries, each a title of one of six candidates, which alone was clicked."""
    folder.mkdir(parents=True)
    some = papers(12)
    write(folder / "papers.jsonl", some)
    asked = [
        {"query_id": f"q{at}", "query": some[at]["title"], "candidates": [f"p{one}" for one in range(at, at + 6)]}
        for at in (0, 5)
    ]
    write(folder / "queries.jsonl.gz", asked)
    (folder / "qrels.tsv").write_text("q0\tp0\t1\nq5\tp5\t2\nq5\tp6\t0\n")
    return folder

"""Small worlds of papers, and the shared corpora where they are."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from recommender.index import Index
from recommender.search import search
from recommender.types import Paper

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def paper(n: int | str, title: str = "", abstract: str = "", **more: Any) -> Paper:
    """Return a paper with the id t:n."""
    return Paper(f"t:{n}", title or f"Paper {n}", abstract, **more)


def world(n: int, start: int = 0) -> list[Paper]:
    """Return n papers about three things in turn, with authors, keywords and categories."""
    kinds = [("vision", "image pixels camera"), ("language", "text words grammar"), ("graph", "nodes edges paths")]
    result = []
    for at in range(start, start + n):
        name, body = kinds[at % 3]
        result.append(
            paper(
                at,
                f"Study {at} of {name} models",
                f"{body} number{at % 7} item{at}. We learn {name} from {body}.",
                authors=(f"Ada Surname{at}", "Bo Li"),
                categories=(name,),
                keywords=(f"{name} learning",),
            )
        )
    return result


def numbers(index: Index) -> dict[str, Any]:
    """Return everything that two equal indexes must agree on."""
    rows = np.arange(index.n_rows)
    counts = index.counts(rows)
    return {
        "ids": index.ids(rows),
        "live": index.live.tolist(),
        "hashes": index.hashes.tolist(),
        "df": index.df.tolist(),
        "indptr": counts.indptr.tolist(),
        "indices": counts.indices.tolist(),
        "data": counts.data.tolist(),
        "lsa": index.lsa(rows).tolist(),
        "hits": [[(hit.row, hit.score) for hit in search(index, query)] for query in ("graph networks", "ada")],
        "near": index.nearest_words("grapf"),
        "sample": index.sample().tolist(),
    }


def corpus(*names: str) -> list[Paper]:
    """Return the papers of shared corpora ("iclr2026", "conferences"), in order.

    Raises FileNotFoundError where the shared folder is missing.
    """
    papers = []
    for name in names:
        with gzip.open(SHARED / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                papers.append(
                    Paper(
                        id=f"openreview:{entry['id']}",
                        title=entry["title"] or "",
                        abstract=entry["abstract"] or "",
                        authors=tuple(entry.get("authors") or ()),
                        keywords=tuple(entry.get("keywords") or ()),
                        categories=(entry["area"],) if entry.get("area") else (),
                    )
                )
    return papers


def seed_titles() -> list[str]:
    """Return the titles of the seed papers. Raises FileNotFoundError where the shared folder is missing."""
    entries = json.loads((SHARED / "seeds" / "iclr2026-metadata.json").read_text(encoding="utf-8"))
    return [entry["title"] for entry in entries]


def slip(title: str, draw: random.Random) -> str:
    """Return a title with one slip of the pen: a letter dropped, doubled, or swapped with the next."""
    places = [at for at in range(len(title) - 1) if title[at : at + 2].isalpha() and title[at] != title[at + 1]]
    at, kind = draw.choice(places), draw.randrange(3)
    if kind == 0:
        return title[:at] + title[at + 1 :]
    if kind == 1:
        return title[:at] + title[at] + title[at:]
    return title[:at] + title[at + 1] + title[at] + title[at + 2 :]

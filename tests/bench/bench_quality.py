"""How good the rankers are, on judgements made by people: prints a markdown table. Run by hand; takes some minutes.

    python tests/bench/bench_quality.py            needs the shared data beside the project

As deployed: the index is fitted on both corpora, less the titles of the set, and the papers of the profiles; the
candidates are appended. Areas and keywords are those of the corpora; the sets have titles and abstracts only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from bot.plugins import load
from recommender.index import Index
from recommender.metrics import mrr, ndcg_at_k, pairwise_loss
from recommender.text import plain
from recommender.types import FloatArray, Interest, Mark, Paper

SHARED = Path(__file__).parents[2].parent / "shared"
CORPORA = ("iclr2026", "conferences")
DAY = datetime(2026, 1, 1, tzinfo=UTC)
METRICS = {
    "goldstandard-reviewer": "goldstandard: pairwise loss",
    "csfcube": "csfcube: nDCG@10",
    "authors-nlp": "authors-nlp: nDCG@10 (MRR)",
}


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file, gz or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def paper(raw: dict[str, Any], namespace: str) -> Paper:
    """Return one line of a corpus or a set as a paper."""
    return Paper(
        id=f"{namespace}:{raw['id']}",
        title=raw.get("title") or "",
        abstract=raw.get("abstract") or "",
        year=raw.get("year"),
        categories=(raw["area"],) if raw.get("area") else (),
        keywords=tuple(raw.get("keywords") or ()),
    )


def corpus(names: tuple[str, ...] = CORPORA) -> list[Paper]:
    """Return the papers of the corpora, in order."""
    return [paper(raw, name) for name in names for raw in read(SHARED / "corpora" / f"{name}.jsonl.gz")]


class Judged:
    """One set: its index, its users' profiles and their graded candidates."""

    def __init__(self, name: str, background: list[Paper]) -> None:
        self.name = name
        folder = SHARED / "eval" / name
        raws = list(read(folder / "papers.jsonl.gz"))
        papers = {raw["id"]: paper(raw, "set") for raw in raws}
        self.users = {raw["user_id"]: raw["profile"] for raw in read(folder / "users.jsonl")}
        pool = [raw["id"] for raw in raws if raw.get("split") == "candidate"]
        grades: dict[str, dict[str, float]] = {user: dict.fromkeys(pool, 0.0) for user in self.users}
        for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            user, one, grade = line.split("\t")
            grades[user][one] = float(grade)
        own = dict.fromkeys(one for profile in self.users.values() for one in profile)
        judged = {one for graded in grades.values() for one in graded} - set(own)
        titles = {plain(one.title) for one in papers.values()}
        self.index = Index()
        self.index.append([one for one in background if plain(one.title) not in titles] + [papers[one] for one in own])
        self.index.fit()
        self.index.append([papers[one] for one in sorted(judged)])
        self.grades = {
            user: {one: grade for one, grade in graded.items() if name != "csfcube" or one not in self.users[user]}
            for user, graded in grades.items()
        }

    def rank(self, ranker: Any) -> list[tuple[FloatArray, list[float]]]:
        """Return (scores, grades) of each user; a ranker of None draws the scores."""
        result, rng = [], np.random.default_rng(0)
        for user, profile in self.users.items():
            interest = Interest(user, liked=tuple(Mark(f"set:{one}", DAY) for one in profile))
            graded = self.grades[user]
            rows = self.index.rows([f"set:{one}" for one in graded])
            scores = rng.random(rows.size, np.float32) if ranker is None else ranker.score([interest], rows)[0]
            result.append((scores, list(graded.values())))
        return result

    def measure(self, ranker: Any) -> str:
        """Return the cell of the table."""
        ranked = self.rank(ranker)
        if self.name == "goldstandard-reviewer":
            return f"{pairwise_loss(ranked):.3f}"
        ndcg = np.mean([ndcg_at_k(scores, grades, 10) for scores, grades in ranked])
        if self.name == "csfcube":
            return f"{ndcg:.3f}"
        return f"{ndcg:.3f} ({np.mean([mrr(scores, grades) for scores, grades in ranked]):.3f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(METRICS), help="which sets: " + ", ".join(METRICS))
    parser.add_argument("--no-svm", action="store_true", help="leave out the svm ranker, which is slow")
    chosen = parser.parse_args()
    background = corpus()
    rankers: dict[str, Any] = load("recommender.rankers", "ranker") | {"random": None}
    if chosen.no_svm:
        del rankers["svm"]
    table: dict[str, list[str]] = {name: [] for name in rankers}
    for name in chosen.sets:
        judged = Judged(name, background)
        for key, made in rankers.items():
            table[key].append(judged.measure(made and made(judged.index)))
            print(f"  {name} {key} {table[key][-1]}", file=sys.stderr, flush=True)
    print("| ranker | " + " | ".join(METRICS[name] for name in chosen.sets) + " |")
    print("|---" * (len(chosen.sets) + 1) + "|")
    for key, cells in table.items():
        print(f"| {key} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

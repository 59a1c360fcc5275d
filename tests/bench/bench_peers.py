"""What others do, on the same judgements: prints a markdown table for each set. Run by hand.

    python tests/bench/bench_peers.py MODEL    a folder with an ONNX model, as PAPERROUND_EMBEDDER takes it

It embeds 18,000 abstracts the first time, 40 ms each on one processor; the vectors are kept as `paperround eval` keeps
them. Deployed, three seeds. The peers' methods are written from what they say that they do, with this project's words
and with the given model instead of their own, larger ones:

- arxiv-sanity-lite: TF-IDF and a linear support vector machine against all papers: `paperround eval --ranker svm`;
- zotero-arxiv-daily: the mean cosine of dense vectors with the library's;
- Scholar Inbox: a logistic regression for each person on dense vectors, against random papers.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.eval_dense import embeds_of
from recommender.evaluate.places import corpora, sets
from recommender.evaluate.scoring import Maker
from recommender.evaluate.table import as_table
from recommender.evaluate.whole import Whole
from recommender.index import Index
from recommender.profile import weigh
from recommender.rankers._base import Base
from recommender.rankers._desk import SAMPLE
from recommender.rankers.default import Default
from recommender.rankers.tfidf import Tfidf
from recommender.types import FloatArray, Interest, RowArray

SETS = ("goldstandard-reviewer", "csfcube", "authors-nlp")


class Cosine(Base):
    """The mean cosine with the liked papers' dense vectors, an older like counting less."""

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part dense, (n_rows,)."""
        liked = weigh(self.index, interest)
        own, weights = vectors(self.index, liked.likes), liked.weights
        return {"dense": vectors(self.index, rows) @ (weights @ own / np.maximum(weights.sum(), 1e-9))}


class Logistic(Base):
    """A logistic regression on dense vectors: liked papers against random stored ones."""

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part dense, (n_rows,)."""
        from sklearn.linear_model import LogisticRegression

        likes = weigh(self.index, interest).likes
        others = np.setdiff1d(self.index.sample(SAMPLE), likes)
        target = np.arange(likes.size + others.size) < likes.size
        model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1_000)
        model.fit(vectors(self.index, np.concatenate([likes, others])), target)
        return {"dense": (vectors(self.index, rows) @ model.coef_[0]).astype(np.float32)}


def vectors(index: Index, rows: RowArray) -> FloatArray:
    """Return the dense vectors of rows, (n_rows, d)."""
    assert index.dense is not None
    return index.dense.of(index.ids(rows))


def words_alone(index: Index) -> Default:
    """Return the default ranker without dense vectors, on an index that has some."""
    ranker = Default(index)
    ranker._density.part = lambda *_: None  # type: ignore[method-assign]
    return ranker


def main() -> None:
    """Print a table for each set."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    embeds = embeds_of(sys.argv[1], partial(print, file=sys.stderr))
    makers: dict[str, Maker] = {
        "default": words_alone,
        "default with dense": Default,
        "tfidf": Tfidf,
        "dense: mean cosine": Cosine,
        "dense: logistic regression": Logistic,
    }
    folders = [str(one) for one in sets() if one.name in SETS]
    files = corpora([Path(one) for one in folders])
    whole = Whole(folders, files, makers, tell=partial(print, file=sys.stderr), embeds=embeds)
    for told in whole.outcomes():
        print(f"\n{told.outcome.name}\n\n{as_table(told.outcome, told.metrics)}", flush=True)


if __name__ == "__main__":
    main()

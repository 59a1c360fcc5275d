"""Centroid discriminant analysis beside other linear classifiers. Prints markdown tables. Run by hand.

    python tests/bench/bench_cda.py            three data sets that scikit-learn ships, by cross-validation
    python tests/bench/bench_cda.py rankers    as rankers, on the judgements beside the project (ten minutes)

As rankers they learn the liked papers of a profile against 1,000 random stored papers, from TF-IDF or from latent
coordinates; deployed, under one seed.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender.cda import CDA, LEAST
from recommender.evaluate.background import Background
from recommender.evaluate.folder import load
from recommender.evaluate.jsonl import corpus
from recommender.evaluate.places import corpora, sets
from recommender.evaluate.run import run
from recommender.evaluate.table import as_table, telling
from recommender.profile import weigh
from recommender.rankers._base import Base
from recommender.rankers.cda import OTHERS, Cda
from recommender.rankers.tfidf import Tfidf
from recommender.types import FloatArray, Interest, RowArray

PLAIN: dict[str, Callable[[], Any]] = {
    "CDB0": lambda: CDA(max_steps=0),
    "CDA": lambda: CDA(),
    "LDA": lambda: LinearDiscriminantAnalysis(),
    "linear SVM": lambda: LinearSVC(max_iter=20_000, random_state=0),
    "logistic regression": lambda: LogisticRegression(max_iter=5_000),
}
TRAINED = PLAIN | {
    "LDA": lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "linear SVM": lambda: LinearSVC(class_weight="balanced", random_state=0),
    "logistic regression": lambda: LogisticRegression(class_weight="balanced", max_iter=1_000),
}
SETS = ("goldstandard-reviewer", "csfcube", "authors-nlp")


def tasks(digits: bool) -> Iterator[tuple[Any, Any]]:
    """Yield (X, y) of each binary task of a shipped set with many classes: one class against the rest."""
    X, y = (load_digits if digits else load_wine)(return_X_y=True)
    yield from ((X, y == one) for one in np.unique(y))


def shipped() -> None:
    """Print balanced accuracy, AUC and the time of a fit: mean and deviation over tasks, repeats and folds."""
    data = {
        "breast_cancer": [load_breast_cancer(return_X_y=True)],
        "digits, one against the rest": list(tasks(digits=True)),
        "wine, one against the rest": list(tasks(digits=False)),
    }
    print("| set | classifier | balanced accuracy | AUC | fit, ms |\n|---|---|---|---|---|")
    for name, pairs in data.items():
        for label, make in PLAIN.items():
            found = np.array([one for X, y in pairs for one in folds(make, X, y)])
            (accuracy, auc, ms), (spread, apart, _) = found.mean(axis=0), found.std(axis=0)
            print(f"| {name} | {label} | {accuracy:.3f} ± {spread:.3f} | {auc:.3f} ± {apart:.3f} | {ms:.1f} |")


def folds(make: Any, X: Any, y: Any) -> Iterator[tuple[float, float, float]]:
    """Yield balanced accuracy, AUC and milliseconds of each fold: five folds, twice, features standardised."""
    for learn, held in RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(X, y):
        model = make_pipeline(StandardScaler(), make())
        began = time.perf_counter()
        model.fit(X[learn], y[learn])
        ms = 1000 * (time.perf_counter() - began)
        accuracy = balanced_accuracy_score(y[held], model.predict(X[held]))
        yield accuracy, roc_auc_score(y[held], model.decision_function(X[held])), ms


def on_words(label: str) -> type[Cda]:
    """Return the ranker `cda` with another classifier."""

    class OnWords(Cda):
        def classifier(self) -> Any:
            return TRAINED[label]()

    return OnWords


def on_meaning(label: str) -> type[Base]:
    """Return a ranker of liked papers against random ones by their latent coordinates."""

    class OnMeaning(Base):
        def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
            likes, index = weigh(self.index, interest).likes, self.index
            others = np.setdiff1d(index.sample(OTHERS), likes)
            target = np.arange(likes.size + others.size) < likes.size
            model = TRAINED[label]().fit(index.lsa(np.concatenate([likes, others])), target)
            return {"meaning": (index.lsa(rows) @ model.coef_[0]).astype(np.float32)}

    return OnMeaning


def rankers() -> None:
    """Print each set's table, with the time of a case, and how many cases have fewer than ten liked papers."""
    makers: dict[str, Any] = {"tfidf": Tfidf}
    makers |= {f"{label}, TF-IDF": on_words(label) for label in TRAINED if label != "LDA"}  # too wide for it
    makers |= {f"{label}, LSA": on_meaning(label) for label in TRAINED}
    folders = [folder for name in SETS for folder in sets() if folder.name == name]
    background = Background(corpus(corpora(folders)))
    for folder in folders:
        task = load(folder)
        few = sum(case.size < LEAST for case in task.cases)
        print(f"\n**{task.name}**: {len(task.cases)} cases, {few} with fewer than {LEAST} papers: there CDA is CDB0\n")
        found = run(task, background, makers, (0,), tell=lambda line: print(line, file=sys.stderr, flush=True))
        print(as_table(found, telling(task)), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", "Only one sample")
    rankers() if "rankers" in sys.argv[1:] else shipped()

"""Centroid discriminant analysis: a linear classifier that turns the line between two centroids."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from recommender.centroid import between, reweighted, turns, upright
from recommender.cut import FOLDS, Floats, best_cuts, groups

LEAST = 10
"""Samples of a class below which the line between the centroids is kept: two in each of the five folds."""
TAKEN = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
ROW, SAME = 10, 1e-3  # it stops when ten scores in a row vary by less than 0.1 %


class CDA(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Centroid discriminant analysis for two classes, dense or sparse, with nothing drawn by chance.

    Starts from the unit difference of the class centroids (CDB0). Each of at most `max_steps` steps gives samples near
    the cut more weight, takes the part of the new difference of centroids that is orthogonal to the line, and turns the
    line in that plane by the angle, of `n_angles` from -90° to 90°, that scores best (a grid, where the paper has
    Bayesian optimisation). The best line is kept; `score_` is its ps on the samples, see `cut.performance`. With fewer
    than ten samples of a class, or nothing to turn to, that is CDB0; `max_steps=0` asks for it.
    `coef_` (1, n_features) has unit length, `intercept_` is (1,), `n_iter_` the steps taken. Source: the idea of
    "A Generalized Geometric Theoretical Framework of Centroid Discriminant Analysis […]", ICLR 2026.
    """

    def __init__(self, max_steps: int = 50, n_angles: int = 37) -> None:
        self.max_steps = max_steps
        self.n_angles = n_angles

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # noqa: N803
        """Learn from X (n, n_features), dense or sparse, and labels y (n,) of two classes. Raises ValueError."""
        X, y = validate_data(self, X, y, **TAKEN)  # noqa: N806
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            kind = "one class only" if len(self.classes_) == 1 else type_of_target(y)
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        line, cut = self._search(X, y == self.classes_[1])
        self.coef_, self.intercept_ = line[None, :], np.array([-cut])
        return self

    def _search(self, X: Any, target: NDArray[np.bool_]) -> tuple[Floats, float]:  # noqa: N803
        """Return the best line (n_features,) and its cut."""
        enough = min(target.sum(), (~target).sum()) >= LEAST
        group, angles, weights = groups(target, FOLDS if enough else 1), turns(self.n_angles), np.ones(target.size)
        line = between(X, target, weights)
        at = X @ line
        (cut,), (self.score_,) = best_cuts(at[None, :], group)
        best, scores = (line, float(cut)), [self.score_]
        for _ in range(self.max_steps if enough else 0):
            weights = reweighted(weights, np.abs(at - cut))
            other = upright(between(X, target, weights), line)
            if not other.any():
                break
            places = angles @ np.stack([at, X @ other])
            cuts, found = best_cuts(places, group)
            top = int(np.argmax(found))  # of equal ones the smallest turn
            line, at, cut = angles[top] @ np.stack([line, other]), places[top], cuts[top]
            scores.append(found[top])
            if scores[-1] > self.score_:
                best, self.score_ = (line, float(cut)), scores[-1]
            if len(scores) >= ROW and np.ptp(scores[-ROW:]) <= SAME * np.mean(scores[-ROW:]):
                break
        self.n_iter_ = len(scores) - 1
        return best

    def decision_function(self, X: ArrayLike) -> Floats:  # noqa: N803
        """Return signed distances from the plane, (n,), of X (n, n_features); above 0 is `classes_[1]`."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **TAKEN)  # noqa: N806
        return np.asarray(X @ self.coef_[0] + self.intercept_[0], np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803
        """Return the class of each row of X (n, n_features), (n,)."""
        above = self.decision_function(X) > 0
        return np.asarray(self.classes_[above.astype(np.int64)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

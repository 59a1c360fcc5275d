"""Centroid discriminant analysis, piece by piece."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.utils.estimator_checks import parametrize_with_checks

from recommender.cda import CDA


@parametrize_with_checks([CDA()])  # type: ignore[untyped-decorator]
def test_it_is_an_estimator(estimator: CDA, check: Callable[[CDA], None]) -> None:
    check(estimator)

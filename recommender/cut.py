"""Where to cut a line in two, so that either side holds one class: the score that centroid discriminants maximise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FOLDS = 5
CUTS = 64
"""Cuts tried at the least: all of them on small data, where the root of n would be too few."""
ROUNDING = 1e-12
"""A gap this much smaller than the farthest sample is none."""


def groups(target: NDArray[np.bool_], n_folds: int) -> NDArray[np.int64]:
    """Return 2 · fold + class of each of n samples, (n,); samples of one class go to the folds in turn."""
    turn = np.where(target, np.cumsum(target), np.cumsum(~target)) - 1
    found: NDArray[np.int64] = 2 * (turn % n_folds) + target
    return found


def performance(tp: Floats, fp: Floats, positives: Floats, negatives: Floats) -> Floats:
    """Return ps = (mean of the F1 of both classes + harmonic mean of both recalls) / 2, from 0 to 1, of any one shape.

    `tp` of the `positives` and `fp` of the `negatives`, both at least 1, are called positive.
    """
    fn, tn = positives - tp, negatives - fp
    f1 = tp / (2 * tp + fp + fn) + tn / (2 * tn + fp + fn)  # half of either F1 is its share of the mean
    recall, specificity = tp / positives, tn / negatives
    total = recall + specificity
    harmonic = 2 * recall * specificity / np.where(total > 0, total, 1)
    score: Floats = (f1 + harmonic) / 2
    return score


def best_cuts(lines: Floats, group: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return for each of k lines the cut with the best ps and that ps, (k,) each.

    `lines` (k, n) are positions of samples, those above a cut are called positive; `group` (n,) is from `groups`, with
    both classes in each fold. Cuts are the middles between neighbours at about √n quantiles (64 or more); ps is its
    mean over the folds. Of equal cuts the one in the widest gap is taken. On a line where all are the same: (there, 0).
    """
    k, n = lines.shape
    n_groups = int(group.max()) + 1
    places = np.unique(np.linspace(1, n - 1, min(n - 1, max(CUTS, round(n**0.5)))).round().astype(np.int64))
    order = np.argsort(lines, axis=1, kind="stable")
    ordered = np.take_along_axis(lines, order, axis=1)
    gaps = ordered[:, places] - ordered[:, places - 1]
    # of each line, fold and class: how many lie between one cut and the next, then above each cut
    bins = np.searchsorted(places, np.arange(n), side="right")
    size = places.size + 1
    cells = (np.arange(k)[:, None] * n_groups + group[order]) * size + bins
    counts = np.bincount(cells.ravel(), minlength=k * n_groups * size).reshape(k, n_groups, size).astype(np.float64)
    above = counts[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
    tp, fp = above[:, 1::2, 1:], above[:, ::2, 1:]
    scores = performance(tp, fp, above[:, 1::2, :1], above[:, ::2, :1]).mean(axis=1)
    scores = np.where(gaps > ROUNDING * np.abs(lines).max(axis=1, keepdims=True), scores, 0.0)
    top = scores.max(axis=1)
    chosen = np.where(scores >= top[:, None] - 1e-12, gaps, -1.0).argmax(axis=1)
    at, lane = places[chosen], np.arange(k)
    return (ordered[lane, at - 1] + ordered[lane, at]) / 2, top

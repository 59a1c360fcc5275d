"""Which of several papers that fit a query equally well is more likely the one that is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recommender import text
from recommender.index import Index
from recommender.postings import Floats, column, postings

WHOLE, WHOLE_WORDS = 0.2, 100
"""What a paper gets for its text, in full from so many words (a title's count three times): a notice, a review or a
second record of a paper has a title and no abstract, and is rarely what somebody looks for."""
NEW, NEW_YEARS = 0.1, 15
"""What a paper of the newest year gets; one that is so many years older, nothing."""
NAMED = 0.3
"""What a paper gets whose year the query names, or that names the year too."""
MOST = WHOLE + NEW + NAMED

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def named(index: Index, plain: str) -> list[int]:
    """Return the years that a `text.plain` query names: years of papers, and not all that it says."""
    if _YEAR.sub("", plain).strip() == "":
        return []
    years = sorted({int(year) for year in _YEAR.findall(plain)})
    return [year for year in years if (column(index, "years") == year).any()]


def without(query: str, years: Sequence[int]) -> str:
    """Return a query without years."""
    return _YEAR.sub(lambda said: "" if int(said[0]) in years else said[0], query) if years else query


def worth(index: Index, years: Sequence[int], rows: NDArray[np.int64]) -> Floats:
    """Return what rows (n,) get beside their fit to a query that names years, (n,): 0 to `MOST`.

    The newest year is the one that a hundredth of all papers reach, so that no slip of a source makes all others old.
    A paper whose year nobody knows counts as new.
    """
    lengths, dates = column(index, "lengths")[rows], column(index, "years")
    at = len(dates) - 1 - len(dates) // 100
    newest = int(np.partition(dates, at)[at]) if len(dates) else 0
    own = dates[rows].astype(np.float64)
    age = np.where(own > 0, np.clip(newest - own, 0, NEW_YEARS), 0)
    found: Floats = WHOLE * np.minimum(1, lengths / WHOLE_WORDS) + NEW * (1 - age / NEW_YEARS)
    if not years:
        return found
    said = [one.rows for one in postings(index, text.hash_terms([str(year) for year in years]).tolist())]
    return found + NAMED * (np.isin(own, years) | np.isin(rows, np.concatenate(said)))

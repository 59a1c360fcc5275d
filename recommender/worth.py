"""Which of several papers that fit a query equally well is more likely the one that is meant."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from recommender.index import Index
from recommender.postings import Floats, column

WHOLE, WHOLE_WORDS = 0.2, 100
"""What a paper gets for its text, in full from so many words (a title's count three times): a notice, a review or a
second record of a paper has a title and no abstract, and is rarely what somebody looks for."""
NEW, NEW_YEARS = 0.1, 15
"""What a paper of the newest year gets; one that is so many years older, nothing."""
NAMED = 0.3
"""What a paper gets whose year the query names."""
MOST = WHOLE + NEW + NAMED

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def worth(index: Index, plain: str, rows: NDArray[np.int64]) -> Floats:
    """Return what rows (n,) get beside their fit to a `text.plain` query, (n,): 0 to `MOST`.

    The newest year is the one that a hundredth of all papers reach, so that no slip of a source makes all others old.
    A paper whose year nobody knows counts as new. A query that is a year and nothing else names none.
    """
    lengths, years = column(index, "lengths")[rows], column(index, "years")
    named = {int(year) for year in _YEAR.findall(plain)} if not _YEAR.fullmatch(plain) else set()
    at = len(years) - 1 - len(years) // 100
    newest = int(np.partition(years, at)[at]) if len(years) else 0
    own = years[rows].astype(np.float64)
    age = np.where(own > 0, np.clip(newest - own, 0, NEW_YEARS), 0)
    found: Floats = WHOLE * np.minimum(1, lengths / WHOLE_WORDS) + NEW * (1 - age / NEW_YEARS)
    return found + NAMED * np.isin(own, list(named)) if named else found

"""Which of arXiv's papers were withdrawn: their comments or abstracts say so, in some words. Pure."""

from __future__ import annotations

import re

WITHDRAWN = "withdrawn"  # the keyword of a paper that its authors, or arXiv, took back
_THING = r"(?:paper|article|submission|manuscript|preprint|work|e-?print|document|version)"
_GONE = r"(?:has been|have been|had been|is|was|were|is being|hereby)\s+(?:\w+\s+)?withdrawn"
_IN_COMMENT = re.compile(
    rf"^\W*withdrawn\b(?!-)|\b{_THING}\s+{_GONE}\b|\bwithdrawn\s+(?:by|due|because|from arxiv|as|since)\b"
    rf"|\bauthors?\s+(?:\w+\s+)?(?:withdrew|withdraws?)\b|^\W*withdraw(?:al)?\W*$",
    re.IGNORECASE,
)
_IN_ABSTRACT = re.compile(rf"\W*(?:(?:this|the|our)\s+{_THING}\s+{_GONE}\b|withdrawn\b)", re.IGNORECASE)


def is_withdrawn(comment: str, abstract: str) -> bool:
    """Say whether a comment, or the first words of an abstract, tell that the paper was taken back."""
    return bool(_IN_COMMENT.search(comment[:1000]) or _IN_ABSTRACT.match(abstract[:300]))

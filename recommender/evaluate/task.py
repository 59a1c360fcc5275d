"""What is evaluated: cases of one kind, each an interest or a query with graded candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recommender.types import Interest, Paper


@dataclass(frozen=True, slots=True)
class Case:
    """One user or query. `grades` are those of candidates, by id; candidates in `pool` without one have grade 0.

    `group` is what is drawn at once in a bootstrap: cases of one group are no independent witnesses. `size` is the
    number of papers in the profile. `query`, if not empty, is what a person typed to find something.
    """

    name: str
    interest: Interest
    pool: tuple[str, ...]
    grades: Mapping[str, float]
    group: str
    size: int = 0
    query: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """Cases over papers. `stored` are learnt from under each protocol, `candidates` only if all is fitted.

    `titles` (folded) are those of all its papers: the background must not hold them. `alone`: no background is added.
    `remarks` say what was left out on reading.
    """

    name: str
    cases: tuple[Case, ...]
    stored: tuple[Paper, ...]
    candidates: tuple[Paper, ...] = ()
    alone: bool = False
    titles: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    @property
    def searched(self) -> bool:
        """Return whether it is lookups that are evaluated, not interests."""
        return any(case.query for case in self.cases)

    @property
    def levels(self) -> int:
        """Return how many different grades there are, 0 of those without one included."""
        found = {grade for case in self.cases for grade in case.grades.values()}
        return len(found | {0.0} if any(len(case.pool) > len(case.grades) for case in self.cases) else found)

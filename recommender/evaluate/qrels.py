"""Grades that people gave to papers, as lines of a table; its first line may be a header."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from recommender.evaluate.jsonl import GROUP, BadSetError, lines

Grades = dict[str, dict[str, float]]


def read_grades(file: Path, users: Set[str], papers: Set[str]) -> tuple[Grades, tuple[str, ...]]:
    """Return user -> paper -> grade, and a remark on lines about users and papers that are not there.

    A line is user, paper, grade, or as TREC writes it: user, 0, paper, grade. Raises BadSetError if one has no grade,
    or if nobody has any.
    """
    grades: Grades = {}
    strays: list[str] = []
    for number, line in lines(file):
        cells = line.split("\t") if "\t" in line else line.split()
        user, one, grade = (cells[0], cells[2], cells[3]) if len(cells) == 4 else (*cells[:3], *[""] * (3 - len(cells)))
        try:
            value = float(grade)
        except ValueError:
            if number == 1:
                continue  # the header
            raise BadSetError(f"{file}, line {number}: {grade[:40]!r} is no grade") from None
        if not abs(value) < float("inf"):
            raise BadSetError(f"{file}, line {number}: {grade[:40]!r} is no grade")
        if user in users and f"{GROUP}:{one}" in papers:
            grades.setdefault(user, {})[f"{GROUP}:{one}"] = value
        else:
            strays.append(f"line {number}: {user} {one}")
    if not grades:
        raise BadSetError(f"{file}: no line grades a paper of papers.jsonl for anybody ({'; '.join(strays[:1])})")
    return grades, (f"{len(strays)} lines of {file.name} left out, such as {strays[0]}",) if strays else ()

"""Which records are one paper. Pure: the answer depends on the set of records, never on the order they came in.

Records that share an id are one paper, unless that would give it two arXiv ids or two publisher DOIs. After that, the
title rule: the same normalised title of four words or more, a folded surname in common, years that are both known and
within two, and no "part II", erratum or reply. An unknown year or author proves nothing. The rule is never transitive:
a paper joins others by title only if it matches each one of them by a record of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bot.store.text import fold, title_key
from bot.store.text import words as words_of
from recommender.types import Paper

WORDS_NEEDED = 4
YEARS_APART = 2

# A preprint server's DOI says nothing about the publisher's: a paper may have one of each.
_DEPOSITS = re.compile(
    r"doi:10\.(1101/\d|64898/|21203/|31234/|31219/|2139/|26434/|20944/|36227/|5281/|6084/|48550/|22541/)"
)
_SERIES = re.compile(
    r"\b(part|chapter|volume|vol|episode|lecture) ([ivxlc]+|\d+|one|two|three|four|five)\b"
    r"|\b(i|ii|iii|iv|vi|vii|viii|ix)$"
)
_ABOUT_ANOTHER = re.compile(
    r"^(erratum|errata|corrigend\w+|addendum|addenda|retract\w+|withdrawn|rejoinder|reply|replies|comments?|response)\b"
    r"|^(publisher |author )?corrections?\b|^discussion (of|on)\b|^editorial\b"
    r"|\b(erratum|errata|corrigend\w+|rejoinder)$|\b(reply|response|correction|erratum|corrigendum|addendum) to\b"
    r"|\b(comment|comments) on\b"
)
_NOBODY = {"", "al", "others", "et al", "and others", "anonymous", "anonymous authors", "unknown"}
_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What identity looks at in one record. `hash` orders records; `title` is empty where the title proves nothing.

    `ids` holds the record's own id first. `place` is the number of the paper it is in, None for a new record; a
    record that is `held` was placed there by hand and stays with what else is held there.
    """

    hash: str
    ids: tuple[str, ...]
    title: str
    surnames: frozenset[str]
    year: int | None
    place: int | None = None
    held: bool = False


def facts(paper: Paper, digest: str, place: int | None = None, held: bool = False) -> Facts:
    """Return what identity looks at in a paper as one record tells it. Of two arXiv ids or DOIs the first counts."""
    ids: dict[str, None] = {paper.id: None}
    for other in sorted(paper.ids):
        if not conflict((*ids, other)):
            ids[other] = None
    year = paper.year or (paper.published.year if paper.published else None)
    return Facts(digest, tuple(ids), proof(paper), frozenset(map(surname, paper.authors)) - {""}, year, place, held)


def proof(paper: Paper) -> str:
    """Return the title's key if the title can prove that two records are one paper, else ""."""
    key = title_key(paper.title)
    if paper.title_guessed or len(words_of(paper.title)) < WORDS_NEEDED:
        return ""
    return "" if _SERIES.search(key) or _ABOUT_ANOTHER.search(key) else key


def surname(name: str) -> str:
    """Return the folded surname: the last word before a comma or of the whole, without initials and "Jr."."""
    if fold(name).strip(" .") in _NOBODY:
        return ""
    words = [word for word in re.split(r"[\s\-\u2010-\u2015]+", name.partition(",")[0]) if word.strip(".")]
    while len(words) > 1 and _is_no_surname(words[-1]):
        words.pop()
    return "".join(words_of(words[-1])) if words else ""


def _is_no_surname(word: str) -> bool:
    bare = word.strip(".")
    initials = len(bare) == 1 or word.endswith(".") or (len(bare) == 2 and bare.isascii() and bare.isupper())
    return initials or fold(bare) in _SUFFIXES


def same_title(one: Facts, other: Facts) -> bool:
    """Say whether the title rule makes two records one paper, their ids apart."""
    if not one.title or one.title != other.title or not one.surnames & other.surnames:
        return False
    return one.year is not None and other.year is not None and abs(one.year - other.year) <= YEARS_APART


def conflict(ids: Iterable[str]) -> bool:
    """Say whether these ids cannot all be one paper's: two arXiv ids, or two publisher DOIs."""
    seen: dict[str, str] = {}
    for each in ids:
        namespace = each.partition(":")[0]
        exclusive = namespace == "arxiv" or (namespace == "doi" and not _DEPOSITS.match(each))
        if exclusive and seen.setdefault(namespace, each) != each:
            return True
    return False


class _Groups:
    """Records united step by step; a step that would make a conflict is refused."""

    def __init__(self, records: Sequence[Facts]) -> None:
        self.of = list(range(len(records)))
        self.members = {number: [number] for number in self.of}
        self.ids = {number: set(record.ids) for number, record in enumerate(records)}
        self.held = {number: record.place if record.held else None for number, record in enumerate(records)}

    def unite(self, one: int, other: int, *, by_hand: bool = False) -> None:
        """Make the groups of two records one, the lower number's, if nothing forbids it."""
        keep, gone = sorted((self.of[one], self.of[other]))
        if keep == gone:
            return
        held = {self.held[keep], self.held[gone]} - {None}
        if not by_hand and (len(held) > 1 or conflict(sorted(self.ids[keep] | self.ids[gone]))):
            return
        for member in self.members[gone]:
            self.of[member] = keep
        self.members[keep] += self.members.pop(gone)
        self.ids[keep] |= self.ids.pop(gone)
        self.held[keep] = next(iter(held), None)


def partition(records: Iterable[Facts]) -> list[list[Facts]]:
    """Return the records in groups, one a paper, in an order that depends only on the records themselves."""
    ordered = sorted(records, key=lambda record: (record.hash, record.ids))
    groups = _Groups(ordered)
    for members in _by(ordered, lambda record: [str(record.place)] if record.held else []):
        for member in members[1:]:
            groups.unite(members[0], member, by_hand=True)
    for members in _by(ordered, lambda record: record.ids):
        for one, other in _pairs(members, groups):
            groups.unite(one, other)
    cores = {core: list(members) for core, members in groups.members.items()}
    core_of = {member: core for core, members in cores.items() for member in members}
    for _, one, other in sorted(_title_pairs(ordered, core_of)):
        if groups.of[one] != groups.of[other] and _match(one, other, groups, cores, core_of, ordered):
            groups.unite(one, other)
    return [[ordered[member] for member in sorted(members)] for _, members in sorted(groups.members.items())]


def _pairs(members: list[int], groups: _Groups) -> Iterable[tuple[int, int]]:
    """Yield pairs that may unite: each record with the first of each group so far, since one refusal is not final."""
    firsts: list[int] = []
    for member in members:
        for first in firsts:
            yield first, member
        if all(groups.of[member] != groups.of[first] for first in firsts):
            firsts.append(member)


def _title_pairs(records: Sequence[Facts], core_of: Mapping[int, int]) -> set[tuple[int, int, int]]:
    """Return the pairs of cores that match by title, each behind the years between: the nearest are united first."""
    found = set()
    for members in _by(records, lambda record: [record.title] if record.title else []):
        for a, b in combinations(members, 2):
            if core_of[a] != core_of[b] and same_title(records[a], records[b]):
                years = abs((records[a].year or 0) - (records[b].year or 0))
                found.add((years, min(core_of[a], core_of[b]), max(core_of[a], core_of[b])))
    return found


def _match(
    one: int, other: int, groups: _Groups, cores: dict[int, list[int]], core_of: dict[int, int], records: list[Facts]
) -> bool:
    """Say whether each core in the one's group matches each core in the other's by a record of its own."""
    here = {core_of[member] for member in groups.members[groups.of[one]]}
    there = {core_of[member] for member in groups.members[groups.of[other]]}
    return all(
        any(same_title(records[a], records[b]) for a in cores[left] for b in cores[right])
        for left in here
        for right in there
    )


def _by(records: Sequence[Facts], keys: Callable[[Facts], Iterable[str]]) -> list[list[int]]:
    """Return the numbers of the records that share a key, for each shared key; arXiv ids and DOIs come first."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        for key in keys(record):
            found[key].append(number)
    shared = [(not key.startswith(("arxiv:", "doi:")), key) for key, members in found.items() if len(members) > 1]
    return [found[key] for _, key in sorted(shared)]

"""Which records are one paper. Pure: the answer depends on the set of records, never on the order they came in.

Records that share an id are one paper, unless that would give it two arXiv ids or two publisher DOIs. What a collector
(Semantic Scholar, OpenAlex) says of ids that others gave out is a weak id: it unites two records only if they agree
besides (`agrees`). A record whose own id it is, and that agrees with none who say so, refutes it. After that, the title
rule: the same normalised title of four words or more, a folded surname in common, years that are both known and within
two, and no "part II", erratum or reply. An unknown year or author proves nothing, nor does a title that a crowd bears.
The rule is never transitive: a paper joins others by title only if it matches each one of them by a record of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from bot.store.facts import Facts, clash

YEARS_APART = 2
CROWD = 200  # a title that more papers bear than that, each united by ids, is the name of a series and proves nothing


def same_title(one: Facts, other: Facts) -> bool:
    """Say whether the title rule makes two records one paper, their ids apart."""
    if not one.title or one.title != other.title or not one.surnames & other.surnames:
        return False
    return _near(one, other)


def agrees(one: Facts, other: Facts) -> bool:
    """Say whether two records bear out an id that only a collector says they share.

    They do if their titles are the same (of titles that prove nothing, only if no names speak against it), or if they
    have a surname in common and years within two; then neither may be a part of something, an erratum or a reply.
    """
    shared = bool(one.surnames & other.surnames)
    if one.name and one.name == other.name:
        return bool(one.title and other.title) or shared or not (one.surnames and other.surnames)
    return shared and not (one.apart or other.apart) and _near(one, other)


def _near(one: Facts, other: Facts) -> bool:
    return one.year is not None and other.year is not None and abs(one.year - other.year) <= YEARS_APART


class _Groups:
    """Records united step by step; a step that would make a conflict is refused. Refuted ids count for nothing."""

    def __init__(self, records: Sequence[Facts]) -> None:
        refuted = _refuted(records)
        self.of = list(range(len(records)))
        self.members = {number: [number] for number in self.of}
        self.ids = {number: set(record.ids) - refuted[number] for number, record in enumerate(records)}
        self.held = {number: record.place if record.held else None for number, record in enumerate(records)}

    def unite(self, one: int, other: int, *, by_hand: bool = False) -> None:
        """Make the groups of two records one, the lower number's, if nothing forbids it."""
        keep, gone = sorted((self.of[one], self.of[other]))
        if keep == gone:
            return
        held = {self.held[keep], self.held[gone]} - {None}
        if not by_hand and (len(held) > 1 or clash(self.ids[keep], self.ids[gone])):
            return
        for member in self.members[gone]:
            self.of[member] = keep
        self.members[keep] += self.members.pop(gone)
        self.ids[keep] |= self.ids.pop(gone)
        self.held[keep] = next(iter(held), None)


def partition(records: Iterable[Facts]) -> list[list[Facts]]:
    """Return the records in groups, one a paper, in an order that depends only on the records themselves."""
    ordered = sorted(records, key=lambda record: (record.hash, record.ids))
    groups = _united_by_ids(ordered)
    cores = {core: list(members) for core, members in groups.members.items()}
    core_of = {member: core for core, members in cores.items() for member in members}
    for _, one, other in sorted(_title_pairs(ordered, core_of)):
        if groups.of[one] != groups.of[other] and _match(one, other, groups, cores, core_of, ordered):
            groups.unite(one, other)
    return _listed(groups, ordered)


def by_ids(records: Iterable[Facts], *, weak: bool = True) -> list[list[Facts]]:
    """Return the records in groups as their ids alone unite them, hands and titles aside; without the weak ids too."""
    ordered = sorted((replace(record, held=False) for record in records), key=lambda record: (record.hash, record.ids))
    return _listed(_united_by_ids(ordered, weak=weak), ordered)


def _listed(groups: _Groups, records: Sequence[Facts]) -> list[list[Facts]]:
    return [[records[member] for member in sorted(members)] for _, members in sorted(groups.members.items())]


def _united_by_ids(records: Sequence[Facts], *, weak: bool = True) -> _Groups:
    """Unite what a hand put together, then what shares an id that is no guess, then what a guess that agrees unites."""
    groups = _Groups(records)
    for members in _by(records, lambda record: [str(record.place)] if record.held else []):
        for member in members[1:]:
            groups.unite(members[0], member, by_hand=True)
    for members in _by(records, lambda record: record.strong):
        for one, other in _pairs(members, groups):
            groups.unite(one, other)
    guesses = {each for record in records for each in record.weak} if weak else set()
    for members in _by(records, lambda record: guesses.intersection(record.ids)):
        # Any of a group may agree, so that each pair is asked.
        for one, other in combinations(members, 2):
            if groups.of[one] != groups.of[other] and agrees(records[one], records[other]):
                groups.unite(one, other)
    return groups


def _refuted(records: Sequence[Facts]) -> list[set[str]]:
    """Return, for each record, those of its weak ids that belong to others, none of which agrees with it."""
    guesses = {each for record in records for each in record.weak}
    holders: defaultdict[str, list[Facts]] = defaultdict(list)
    for record in records:
        for each in guesses & record.strong:
            holders[each].append(record)
    return [
        {each for each in record.weak if holders[each] and not any(agrees(record, one) for one in holders[each])}
        for record in records
    ]


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
        if len({core_of[member] for member in members}) > CROWD:
            continue
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

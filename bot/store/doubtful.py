"""Papers that may be two, and pairs that may be one: what a person should look at. It changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, func, select

from bot.store import records as told
from bot.store.derive import Record, key_of
from bot.store.facts import clash
from bot.store.identity import CROWD, by_ids, same_title
from bot.store.statements import chunks
from bot.store.tables import aliases, disputes, records
from bot.store.text import fold, words

LOOKED_AT = 20_000  # papers of several records, and as many pairs, that are looked at: the newest
_PREPRINTS = {"arxiv", "biorxiv", "medrxiv", "corr", "preprint", "ssrn"}


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing to look at: the title, the ids of one paper or of two, and what speaks against how it is."""

    title: str
    ids: tuple[str, ...]
    why: str
    refused: bool = False  # they share an id and can never be one: a source is wrong

    @property
    def todo(self) -> str:
        """The command that changes it, or that lets it be where nothing can."""
        if self.refused:
            return f"paperround papers keep {' '.join(self.ids)}"
        return f"paperround papers {'merge' if len(self.ids) > 1 else 'unmerge'} {' '.join(self.ids)}"


@dataclass(frozen=True, slots=True)
class Doubts:
    """What a person should look at; what a person decided is left out.

    Papers that were `merged` by a title or a collector's word while something speaks against it, and pairs that were
    kept `apart` though an id or the title says that they are one. A title says nothing of two that each have an arXiv
    id, or a publisher's DOI, of their own: a talk and its article, say.
    """

    merged: tuple[Doubt, ...]
    apart: tuple[Doubt, ...]


def find(conn: Connection) -> Doubts:
    """Look at the newest papers with several records, and at the pairs that share an id or a title; newest first."""
    return Doubts(tuple(_merged(conn)), tuple(_apart(conn)))


def _merged(conn: Connection) -> Iterable[Doubt]:
    several = func.count(records.c.id) > 1
    query = select(records.c.paper_id).group_by(records.c.paper_id).having(several)
    numbers = list(conn.execute(query.order_by(records.c.paper_id.desc()).limit(LOOKED_AT)).scalars())
    for some in chunks(numbers):
        by_paper = _of(conn, some)
        for number in some:
            whole = by_paper[number]
            why = "" if all(record.held for record in whole) else _against(whole)
            if why:
                yield Doubt(_title(whole), (_name(whole),), why)


def _against(whole: Sequence[Record]) -> str:
    """Say what speaks against one paper; "" if nothing does, or if ids that are no guess unite it."""
    of = {record.facts.hash: record for record in whole}
    cores = [[of[look.hash] for look in core] for core in by_ids(record.facts for record in whole)]
    for one, other in combinations(cores, 2):
        if why := _strange(one, other):
            return f"united by the title alone, but {why}"
    if len(by_ids((record.facts for record in whole), weak=False)) > len(cores):
        parts = by_ids((record.facts for record in whole), weak=False)
        for left, right in combinations(parts, 2):
            if not {look.name for look in left} & {look.name for look in right}:
                return "united by a collector's word alone, but the titles differ"
    return ""


def _strange(one: Sequence[Record], other: Sequence[Record]) -> str:
    ours, theirs = _people(one), _people(other)
    if 2 * len(ours & theirs) < min(len(ours), len(theirs)):
        return "most authors differ"
    years = {record.facts.year for record in one}, {record.facts.year for record in other}
    venues = _venues(one), _venues(other)
    if all(venues) and not venues[0] & venues[1] and not years[0] & years[1]:
        return "venue and year differ"
    return ""


def _people(some: Iterable[Record]) -> set[str]:
    """Return surnames: of the keys of names, those of one word."""
    return {name for record in some for name in record.facts.surnames if " " not in name}


def _venues(some: Iterable[Record]) -> set[str]:
    """Return what the venues are called, years and preprint servers aside."""
    named = (" ".join(word for word in words(record.content["venue"]) if not word.isdecimal()) for record in some)
    return {name for name in named if name and not _PREPRINTS & set(fold(name).split())}


def _apart(conn: Connection) -> Iterable[Doubt]:
    pairs = _pairs(conn)
    for some in chunks(pairs):
        by_paper = _of(conn, {number for pair in some for number in pair})
        for one, other in some:
            doubt = _parted(by_paper[one], by_paper[other])
            if doubt is not None:
                yield doubt


def _parted(one: Sequence[Record], other: Sequence[Record]) -> Doubt | None:
    if not one or not other or all(record.held for record in (*one, *other)):
        return None
    refused = _refused(one, other)
    if refused:
        why = "they share an id, and stay two: each has an arXiv id, or a publisher's DOI, of its own"
    elif any(same_title(a.facts, b.facts) for a in one for b in other):
        why = "the title is the same, but not all that belongs to them fits"
    else:
        why = "they share an id by a collector's word alone"
    return Doubt(_title(one), (_name(one), _name(other)), why, refused)


def _pairs(conn: Connection) -> list[tuple[int, int]]:
    """Return the pairs of papers that claim one id, or that match by title; the newest first."""
    claims = select(disputes.c.paper_id, aliases.c.paper_id).join(aliases, aliases.c.alias == disputes.c.alias)
    found = {(min(a, b), max(a, b)) for a, b in conn.execute(claims.limit(LOOKED_AT)) if a != b}
    many = func.count(records.c.paper_id.distinct()).between(2, CROWD)
    titles = select(records.c.title_key).where(records.c.title_key != "").group_by(records.c.title_key).having(many)
    shared: defaultdict[str, set[int]] = defaultdict(set)
    for some in chunks(conn.execute(titles.limit(LOOKED_AT)).scalars().all()):
        query = select(records.c.title_key, records.c.paper_id).where(records.c.title_key.in_(some))
        for title, number in conn.execute(query):
            shared[title].add(number)
    close = [pair for numbers in shared.values() for pair in combinations(sorted(numbers)[:20], 2)]
    for some_pairs in chunks(close):
        by_paper = _of(conn, {number for pair in some_pairs for number in pair})
        found |= {(a, b) for a, b in some_pairs if _match(by_paper[a], by_paper[b])}
    return sorted(found, reverse=True)[:LOOKED_AT]


def _match(one: Sequence[Record], other: Sequence[Record]) -> bool:
    return not _refused(one, other) and any(same_title(a.facts, b.facts) for a in one for b in other)


def _refused(one: Sequence[Record], other: Sequence[Record]) -> bool:
    """Say whether two papers can never be one: see `clash`."""
    return clash(*({each for record in some for each in record.facts.strong} for some in (one, other)))


def _of(conn: Connection, numbers: Collection[int]) -> defaultdict[int, list[Record]]:
    found: defaultdict[int, list[Record]] = defaultdict(list)
    for record in told.of(conn, numbers):
        found[record.place or 0].append(record)
    return found


def _title(some: Sequence[Record]) -> str:
    titles: list[Any] = [record.content["title"] for record in some]
    return str(max(titles, key=len, default=""))


def _name(some: Sequence[Record]) -> str:
    """Return an id that leads to the paper: one that is no guess, if there is one."""
    sure = {each for record in some for each in record.facts.strong}
    return key_of(sure or {each for record in some for each in record.facts.ids})

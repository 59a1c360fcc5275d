"""A set of judgements as a folder: papers.jsonl, users.jsonl or queries.jsonl, and qrels.tsv, each gzipped or not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recommender.evaluate.jsonl import GROUP, BadSetError, find, paper, records
from recommender.evaluate.qrels import read_grades
from recommender.evaluate.task import Case, Task
from recommender.text import plain
from recommender.types import Interest, Mark, Paper

DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""When all of a profile's papers were liked: the sets do not say, so none decays."""


def load(folder: Path) -> Task:
    """Read a set. Raises BadSetError, which names the file and the line."""
    if not folder.is_dir():
        raise BadSetError(f"{folder} is no folder")
    file, people = find(folder, "papers.jsonl"), find(folder, "users.jsonl") or find(folder, "queries.jsonl")
    qrels = find(folder, "qrels.tsv")
    if file is None or people is None or qrels is None:
        needs = {"papers.jsonl": file, "users.jsonl or queries.jsonl": people, "qrels.tsv": qrels}
        lacking = " and ".join(name for name, one in needs.items() if one is None)
        raise BadSetError(f"{folder} is no set: it has no {lacking} (each may end in .gz)")
    papers, pool = _papers(file)
    users = _users(people)
    grades, remarks = read_grades(qrels, users.keys(), papers.keys())
    if not pool and len({grade for graded in grades.values() for grade in graded.values()}) == 1:
        profiles = {one for raw in users.values() for one in _ids(raw, "profile", papers)}
        pool = tuple(one for one in papers if one not in profiles)  # among the graded there is nothing to order
    cases = tuple(_case(name, raw, papers, pool, grades.get(name, {})) for name, raw in users.items())
    own = dict.fromkeys(mark.paper for case in cases for mark in case.interest.liked)
    wanted = {one for case in cases for one in case.pool} - own.keys()
    return Task(
        name=folder.resolve().name,
        cases=cases,
        stored=tuple(papers[one] for one in own),
        candidates=tuple(one for name, one in papers.items() if name in wanted),
        titles=frozenset(plain(one.title) for one in papers.values()),
        remarks=remarks,
    )


def _papers(file: Path) -> tuple[dict[str, Paper], tuple[str, ...]]:
    """Return the papers by id, and the ids of those that are candidates of everybody."""
    papers, pool = {}, []
    for where, raw in records(file):
        made = paper(where, raw, GROUP)
        if made.id in papers:
            raise BadSetError(f"{where}: the id {raw['id']!r} stands there twice")
        papers[made.id] = made
        if raw.get("split") == "candidate":
            pool.append(made.id)
    return papers, tuple(pool)


def _users(file: Path) -> dict[str, dict[str, Any]]:
    """Return the users or queries by id. Two of one id are no set: nobody knows whose the grades are."""
    users: dict[str, dict[str, Any]] = {}
    for where, raw in records(file):
        name, user = _user(where, raw)
        if name in users:
            raise BadSetError(f"{where}: the id {name[:40]!r} stands there twice")
        users[name] = user
    return users


def _user(where: str, raw: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    name = next((raw[key] for key in ("user_id", "query_id", "id") if raw.get(key) not in (None, "")), None)
    if name is None:
        raise BadSetError(f"{where}: no user_id or query_id")
    if not isinstance(raw.get("profile"), list) and not isinstance(raw.get("query"), str):
        raise BadSetError(f"{where}: neither a profile (a list of paper ids) nor a query (a text)")
    return str(name), raw


def _ids(raw: dict[str, Any], key: str, papers: dict[str, Paper]) -> tuple[str, ...]:
    """Return the ids of a list that are those of papers, each once."""
    found = raw.get(key)
    named = dict.fromkeys(f"{GROUP}:{one}" for one in found) if isinstance(found, list) else ()
    return tuple(one for one in named if one in papers)


def _case(
    name: str, raw: dict[str, Any], papers: dict[str, Paper], pool: tuple[str, ...], grades: dict[str, float]
) -> Case:
    profile, query = _ids(raw, "profile", papers), str(raw.get("query") or "")
    among = _ids(raw, "candidates", papers) or pool
    among = tuple(one for one in dict.fromkeys((*among, *grades)) if one not in profile)
    topics = raw["topics"] if isinstance(raw.get("topics"), list) else [query] if query else []
    interest = Interest(name, tuple(map(str, topics)), tuple(Mark(one, DAY) for one in profile))
    kept = {one: grade for one, grade in grades.items() if one not in profile}
    group = profile[0] if len(profile) == 1 else name
    return Case(name, interest, among, kept, group, len(profile), query)

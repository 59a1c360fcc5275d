"""Reading sets: what is tolerated, what is refused by name, and that nothing leaks."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from recommender.evaluate.folder import load
from recommender.evaluate.jsonl import BadSetError
from tests.fakes import judged

SETS = Path(__file__).resolve().parents[2].parent / "shared" / "eval"


def test_a_set_of_users_is_read(tmp_path: Path) -> None:
    task = load(judged.people(tmp_path / "toy"))
    assert (task.name, len(task.cases), task.searched, task.levels) == ("toy", 6, False, 2)
    first = task.cases[0]
    assert [mark.paper for mark in first.interest.liked] == ["set:p0"]
    assert (first.size, len(first.pool), set(first.grades.values())) == (1, 12, {0.0, 2.0})
    assert not {"set:p0"} & set(first.pool), "its own profile is no candidate"
    assert {one.id for one in task.candidates}.isdisjoint(one.id for one in task.stored)
    assert all(not one.authors for one in (*task.stored, *task.candidates)), "no names, since they leak"
    assert not task.remarks


def test_a_profile_paper_that_others_grade_is_stored_and_their_candidate(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    with (folder / "qrels.tsv").open("a") as file:
        file.write("u1\tp0\t1\n")
    task = load(folder)
    assert "set:p0" in task.cases[1].pool
    assert "set:p0" in {one.id for one in task.stored}


def test_queries_have_candidates_of_their_own(tmp_path: Path) -> None:
    task = load(judged.queries(tmp_path / "asked"))
    assert task.searched
    assert [case.query for case in task.cases] == [case.interest.topics[0] for case in task.cases]
    assert task.cases[0].pool == tuple(f"set:p{at}" for at in range(6))
    assert task.cases[0].grades == {"set:p0": 1.0}


def test_all_rank_the_pool_where_papers_are_marked_as_candidates(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    rows = [{**row, "split": "candidate" if at >= 30 else "history"} for at, row in enumerate(judged.papers(60))]
    judged.write(folder / "papers.jsonl.gz", rows)
    (folder / "qrels.tsv").write_text("u0\tp33\t1\n")
    task = load(folder)
    assert [len(case.pool) for case in task.cases] == [30] * 6, "who has no positive counts too"
    assert task.cases[1].grades == {}


def test_where_all_grades_are_the_same_every_paper_of_no_profile_is_a_candidate(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    (folder / "qrels.tsv").write_text("u0\tp33\t1\nu1\tp34\t1\n")
    task = load(folder)
    held = {mark.paper for case in task.cases for mark in case.interest.liked}
    assert {frozenset(case.pool) for case in task.cases} == {frozenset({f"set:p{at}" for at in range(60)} - held)}
    judged.queries(tmp_path / "asked")
    (tmp_path / "asked" / "qrels.tsv").write_text("q0\tp0\t1\n")
    assert [len(case.pool) for case in load(tmp_path / "asked").cases] == [6, 6], "a query's own list comes first"


def test_the_same_single_paper_makes_a_group(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    rows = [{"user_id": f"u{at}", "profile": ["p0"], "facet": "method"} for at in range(3)]
    judged.write(folder / "users.jsonl", [*rows, {"user_id": "u3", "profile": ["p0", "p3"]}])
    assert [case.group for case in load(folder).cases] == ["set:p0"] * 3 + ["u3"]


def test_a_header_is_not_needed_and_trec_columns_do(tmp_path: Path) -> None:
    bare = load(judged.people(tmp_path / "toy", header=""))
    folder = judged.people(tmp_path / "trec", header="")
    lines = (folder / "qrels.tsv").read_text().splitlines()
    (folder / "qrels.tsv").write_text("".join(" ".join((u, "0", p, g)) + "\n" for u, p, g in map(str.split, lines)))
    assert [case.grades for case in load(folder).cases] == [case.grades for case in bare.cases]


def test_little_is_enough(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    judged.write(folder / "papers.jsonl", [{"id": 1, "title": None}, {"id": 2, "abstract": "Words."}])
    judged.write(folder / "users.jsonl", [{"id": 7, "profile": [1, 1, 99]}])
    (folder / "qrels.tsv.gz").write_bytes(gzip.compress(b"7\t2\t0.5\r\n7\t99\t1\nnobody\t2\t1\n"))
    task = load(folder)
    assert task.cases[0].grades == {"set:2": 0.5}
    assert task.cases[0].size == 1
    assert task.remarks == ("2 lines of qrels.tsv.gz left out, such as line 2: 7 99",)


def _cut(folder: Path) -> None:
    whole = (folder / "papers.jsonl.gz").read_bytes()
    (folder / "papers.jsonl.gz").write_bytes(whole[: len(whole) // 2])


def _users(folder: Path, *names: object) -> None:
    judged.write(folder / "users.jsonl", [{"user_id": name, "profile": ["p0"]} for name in names])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "papers.jsonl.gz").unlink(), r"no set: it has no papers\.jsonl \("),
        (lambda folder: (folder / "users.jsonl").unlink(), r"no users\.jsonl or queries\.jsonl"),
        (lambda folder: (folder / "qrels.tsv").unlink(), r"no qrels\.tsv"),
        (_cut, r"papers\.jsonl\.gz cannot be read"),
        (lambda folder: (folder / "papers.jsonl.gz").write_bytes(b"plain"), r"papers\.jsonl\.gz cannot be read"),
        (lambda folder: (folder / "users.jsonl").write_bytes(b"\xff\xfe"), r"users\.jsonl cannot be read"),
        (lambda folder: (folder / "users.jsonl").write_text("{}\n{"), r"users\.jsonl, line 1: no user_id"),
        (lambda folder: (folder / "users.jsonl").write_text("\n{"), r"users\.jsonl, line 2: no JSON"),
        (lambda folder: (folder / "users.jsonl").write_text("[" * 100_000), r"users\.jsonl, line 1: no JSON"),
        (lambda folder: (folder / "users.jsonl").write_text("[1]"), r"line 1: not an object but list"),
        (lambda folder: (folder / "users.jsonl").write_text('{"user_id": "u0"}'), r"line 1: neither a profile"),
        (lambda folder: _users(folder, "u0", "u1", "u0"), r"users\.jsonl, line 3: the id 'u0' stands there twice"),
        (lambda folder: _users(folder, "1", 1), r"users\.jsonl, line 2: the id '1' stands there twice"),
        (lambda folder: judged.write(folder / "papers.jsonl", [{"title": "x"}]), r"papers\.jsonl, line 1: no id"),
        (lambda folder: judged.write(folder / "papers.jsonl", [{"id": 1}] * 2), r"line 2: the id 1 stands there twice"),
        (lambda folder: (folder / "qrels.tsv").write_text("u\tp\tg\nu0\tp50\tx"), r"line 2: 'x' is no grade"),
        (lambda folder: (folder / "qrels.tsv").write_text("u\tp\tg\nu0\tp50"), r"line 2: '' is no grade"),
        (lambda folder: (folder / "qrels.tsv").write_text("u\tp\tg\nu0\tp50\tnan"), r"line 2: 'nan' is no grade"),
        (lambda folder: (folder / "qrels.tsv").write_text("u\tp\tg\nu0\tp99\t1"), r"no line grades .* u0 p99"),
        (lambda folder: (folder / "qrels.tsv").write_text(""), r"qrels\.tsv: no line grades"),
    ],
)
def test_what_is_wrong_is_said_by_name(tmp_path: Path, spoil: Callable[[Path], object], said: str) -> None:
    folder = judged.people(tmp_path / "toy")
    spoil(folder)
    with pytest.raises(BadSetError, match=said) as caught:
        load(folder)
    assert "toy" in str(caught.value)


def test_grades_of_papers_that_are_not_there_are_left_out_and_told(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    before = load(folder)
    with (folder / "qrels.tsv").open("a") as file:
        file.write("u1\tunknown\t1\nu9\tp1\t1\n")
    after = load(folder)
    assert after.cases == before.cases
    assert len(after.remarks) == 1
    assert after.remarks[0].startswith("2 lines of qrels.tsv left out, such as line ")
    assert after.remarks[0].endswith(": u1 unknown")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadSetError, match="is no folder"):
        load(tmp_path / "nowhere")


@pytest.mark.skipif(not SETS.is_dir(), reason="the shared data are not beside this checkout")
def test_the_shared_sets_are_read_whole() -> None:
    sizes = {}
    for folder in sorted(SETS.iterdir()):
        task = load(folder)
        graded = sum(len(case.grades) for case in task.cases)
        sizes[task.name] = (len(task.cases), graded, len({case.group for case in task.cases}))
        assert not task.remarks
    assert sizes["goldstandard-reviewer"] == (58, 476, 58)
    assert sizes["authors-nlp"] == (300, 895, 300)
    assert sizes["s2-search-sample"] == (100, 1000, 100)
    assert sizes["csfcube"] == (50, 6242, 34), "two of its 6,244 grades are of a query against itself"

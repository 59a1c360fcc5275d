from __future__ import annotations

import io
import json
import multiprocessing
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recommender import segment, text
from recommender.index import Index
from recommender.search import search
from recommender.types import Paper

WORDS = ["graph", "graphs", "neural", "network", "vision", "speech", "the", "protein", "multi-modal", "量子計算"]


def paper(n: int | str, title: str = "", abstract: str = "", **more: Any) -> Paper:
    return Paper(f"t:{n}", title or f"Paper {n}", abstract, **more)


def world(n: int, start: int = 0) -> list[Paper]:
    """Return n papers about three things, with authors and categories."""
    kinds = [("vision", "image pixels camera"), ("language", "text words grammar"), ("graph", "nodes edges paths")]
    result = []
    for at in range(start, start + n):
        name, body = kinds[at % 3]
        result.append(
            paper(
                at,
                f"Study {at} of {name} models",
                f"{body} number{at % 7} item{at}. We learn {name} from {body}.",
                authors=(f"Ada Surname{at}", "Bo Li"),
                categories=(name,),
                keywords=(f"{name} learning",),
            )
        )
    return result


papers = st.builds(
    lambda n, title, abstract, area, author: paper(n, title, abstract, categories=area, authors=author),
    st.integers(0, 6),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
    st.lists(st.sampled_from(["Ada Lovelace", "Bo Li"]), max_size=2).map(tuple),
)


def numbers(index: Index) -> dict[str, Any]:
    """Return everything that two equal indexes must agree on."""
    rows = np.arange(index.n_rows)
    counts = index.counts(rows)
    return {
        "ids": index.ids(rows),
        "live": index.live.tolist(),
        "hashes": index.hashes.tolist(),
        "df": index.df.tolist(),
        "indptr": counts.indptr.tolist(),
        "indices": counts.indices.tolist(),
        "data": counts.data.tolist(),
        "lsa": index.lsa(rows).tolist(),
        "hits": [[(hit.row, hit.score) for hit in search(index, query)] for query in ("graph networks", "ada")],
        "near": index.nearest_words("grapf"),
        "sample": index.sample().tolist(),
    }


@given(st.lists(papers, max_size=12), st.lists(st.integers(0, 12), max_size=4), st.lists(st.integers(0, 7), max_size=2))
@settings(max_examples=150, deadline=None)
def test_appending_in_parts_is_appending_at_once(batch: list[Paper], cuts: list[int], gone: list[int]) -> None:
    whole, parts = Index(), Index()
    whole.append(batch)
    edges = [0, *sorted(cuts), len(batch)]
    for start, end in pairwise(edges):
        parts.append(batch[start:end])
    for index in (whole, parts):
        index.remove([f"t:{n}" for n in gone])
    assert numbers(whole) == numbers(parts)


@given(st.lists(papers, max_size=10), st.lists(papers, max_size=5), st.lists(st.integers(0, 7), max_size=2))
@settings(max_examples=60, deadline=None)
def test_fitting_is_building_anew_from_what_is_live(first: list[Paper], second: list[Paper], gone: list[int]) -> None:
    grown = Index()
    grown.append(first)
    grown.fit()
    grown.append(second)
    grown.remove([f"t:{n}" for n in gone])
    order = grown.ids(np.flatnonzero(grown.live))
    newest = {one.id: one for one in [*first, *second]}
    grown.fit()
    fresh = Index()
    fresh.append([newest[one] for one in order])
    fresh.fit()
    after, before = numbers(fresh), numbers(grown)
    for changing in ("sample", "near"):  # drawn anew in each generation; knows spellings of removed papers
        after.pop(changing)
        before.pop(changing)
    assert before == after


@given(st.lists(papers, max_size=10))
@settings(max_examples=60, deadline=None)
def test_document_frequencies_are_those_of_live_papers(batch: list[Paper]) -> None:
    index = Index()
    for one in batch:
        index.append([one])
        assert np.array_equal(index.df, (index.counts(np.flatnonzero(index.live)) > 0).sum(axis=0).A1)


def test_counts_are_those_of_the_text() -> None:
    index = Index()
    index.append(world(5))
    row = index.counts([3])
    wanted = [*text.term_hashes(text.paper_text(world(5)[3])).tolist(), text.area_hash("vision")]
    held = index.hashes[row.indices]
    assert dict(zip(held.tolist(), row.data.tolist(), strict=True)) == {h: wanted.count(h) for h in set(wanted)}
    assert row.dtype == np.float32
    assert row.has_sorted_indices
    assert row.shape == (1, index.n_terms)


def test_rows_in_any_order_and_twice() -> None:
    index = Index()
    for at in range(0, 40, 8):
        index.append(world(8, at))
    rows = np.array([39, 0, 17, 17, 3])
    dense = index.counts(np.arange(40)).toarray()
    assert np.array_equal(index.counts(rows).toarray(), dense[rows])
    assert index.counts([]).shape == (0, index.n_terms)
    assert index.ids(rows) == ["t:39", "t:0", "t:17", "t:17", "t:3"]
    assert index.rows(["t:17", "nobody", "t:39"]).tolist() == [17, -1, 39]
    assert index.lsa(rows).shape == (5, 0)


def test_segments_stay_few() -> None:
    index = Index()
    for at in range(64):
        index.append(world(1, at))
    assert len(index.parts) <= 7
    assert len(index) == 64


def test_removed_and_appended_again() -> None:
    index = Index()
    index.append(world(4), last=4)
    index.remove(["t:1", "t:1", "unknown"], last=5)
    assert (len(index), index.n_rows, index.last) == (3, 4, 5)
    assert index.rows(["t:1"]).tolist() == [-1]
    index.append([paper(1, "Quite another title")], last=6)
    assert index.rows(["t:1"]).tolist() == [4]
    assert index.live.tolist() == [True, False, True, True, True]
    index.append([paper(1, "A third title")])
    assert (len(index), index.rows(["t:1"]).tolist(), index.last) == (4, [5], 6)
    index.fit()
    assert (len(index), index.n_rows, index.last) == (4, 4, 6)
    assert index.ids(index.rows(["t:1", "t:0"])) == ["t:1", "t:0"]


def test_the_last_of_one_batch_wins() -> None:
    index = Index()
    index.append([paper(1, "old words"), paper(2), paper(1, "new terms")])
    assert len(index) == 2
    assert index.rows(["t:1"]).tolist() == [2]
    assert not search(index, "old words")
    assert search(index, "new terms")[0].row == 2


def test_live_is_not_changed_under_a_reader() -> None:
    index = Index()
    index.append(world(3))
    held = index.live
    index.remove(["t:0"])
    assert held.all()
    assert not index.live.all()


def test_vectorise_drops_unknown_terms_and_knows_areas() -> None:
    index = Index()
    index.append(world(6))
    counts = index.vectorise(["pixels and zebras", "VISION!", "zzz", ""])
    assert counts.shape == (4, index.n_terms)
    assert counts.sum(axis=1).A1.tolist() == [1, 2, 0, 0]
    assert set(index.hashes[counts[1].indices].tolist()) == {
        text.area_hash("vision"),
        *text.hash_terms(["vision"]).tolist(),
    }
    assert index.columns(np.zeros(0, np.uint64)).tolist() == []


def test_sample_stays_while_papers_come() -> None:
    index = Index()
    index.append(world(400))
    index.fit()
    before = index.sample(300)
    assert len(set(before.tolist())) == 300
    index.append(world(50, 400))
    assert np.array_equal(index.sample(300), before)
    index.remove(index.ids(before[:10]))
    assert len(index.sample(300)) == 300
    assert not set(before[:10].tolist()) & set(index.sample(300).tolist())
    assert Index().sample().tolist() == []


def test_sample_of_a_small_fit_is_of_all_papers() -> None:
    index = Index()
    index.append(world(10))
    index.fit()
    index.append(world(100, 10))
    assert len(index.sample(300)) == 110


def test_nearest_words() -> None:
    index = Index()
    assert index.nearest_words("grapf") == []
    index.append([paper(1, "Graph theory", "graph graphs language"), paper(2, "Grape", "languages"), paper(3, "graph")])
    assert index.nearest_words("grapf") == ["graph", "grape", "graphs"][: len(index.nearest_words("grapf"))]
    assert index.nearest_words("GRPAH")[0] == "graph"
    assert index.nearest_words("langauge")[0] == "language"
    assert index.nearest_words("zzz") == []
    assert index.nearest_words("") == []
    index.remove(["t:2"])
    assert "grape" not in index.nearest_words("grapf")


@pytest.mark.parametrize("n", [0, 1, 2, 19, 20])
def test_small_corpora(n: int, tmp_path: Path) -> None:
    index = Index(tmp_path)
    index.append(world(n))
    index.fit()
    assert len(index) == n
    assert index.lsa(np.arange(n)).shape == (n, index.k)
    assert np.isfinite(index.lsa(np.arange(n))).all()
    index.append(world(3, n))
    assert len(index) == n + 3
    assert numbers(Index(tmp_path)) == numbers(index)
    assert search(index, f"Study {n} of")[0].row == n


@pytest.mark.parametrize(
    "abstract",
    ["", "the of and", "1 2 3 4", "a a a", "x", "量子計算機", r"$\alpha_\b{c$ \textbf{", "\u200b\u202e\ufeff", "ﬁ\x00ﬂ",
     "😀" * 50, "\ud800", "word " * 200_000],
)  # fmt: skip
def test_hostile_abstracts(abstract: str, tmp_path: Path) -> None:
    index = Index(tmp_path)
    same = [
        Paper(f"t:{n}\ud800", abstract[:90], abstract, (abstract[:50],), keywords=(abstract[:20],)) for n in range(5)
    ]
    index.append([*same, *(Paper(f"e:{n}", "") for n in range(3))])
    index.fit()
    index.append([Paper("late", "x", abstract)])
    assert len(index) == 9
    assert numbers(Index(tmp_path)) == numbers(index)
    search(index, abstract)


def test_identical_papers() -> None:
    index = Index()
    index.append([Paper(f"t:{n}", "Same title here", "Same abstract about graphs.") for n in range(50)])
    index.fit()
    lsa = index.lsa(np.arange(50))
    assert np.allclose(lsa, lsa[0])


def test_reopened_from_disk(tmp_path: Path) -> None:
    index = Index(tmp_path / "deep" / "index")
    index.append(world(30), last=30)
    index.fit()
    index.append(world(10, 30), last=40)
    index.remove(["t:5", "t:35"], last=42)
    again = Index(tmp_path / "deep" / "index")
    assert numbers(again) == numbers(index)
    assert (again.last, again.generation, again.damaged, len(again)) == (42, index.generation, "", 38)
    again.append(world(5, 40), last=50)
    assert Index(tmp_path / "deep" / "index").last == 50


def test_disk_and_memory_agree(tmp_path: Path) -> None:
    stored, held = Index(tmp_path), Index()
    for index in (stored, held):
        index.append(world(30))
        index.fit()
        index.append(world(10, 30))
    assert numbers(stored) == numbers(held)


def test_clear(tmp_path: Path) -> None:
    index = Index(tmp_path)
    index.append(world(5), last=5)
    before = index.generation
    index.clear()
    assert (len(index), index.n_terms, index.last) == (0, 0, 0)
    assert index.generation > before
    assert len(Index(tmp_path)) == 0


def test_readers_keep_their_generation_while_a_writer_switches(tmp_path: Path) -> None:
    writer = Index(tmp_path)
    writer.append(world(30), last=30)
    writer.fit()
    one, two = Index(tmp_path), Index(tmp_path)
    before = numbers(one)
    writer.append(world(10, 30), last=40)
    writer.remove(["t:3"])
    writer.fit()
    writer.append(world(10, 40), last=50)
    assert numbers(one) == before
    assert two.refresh()
    assert not two.refresh()
    assert numbers(two) == numbers(writer)
    assert numbers(one) == before
    assert one.refresh()
    assert one.generation == writer.generation
    assert len(list(tmp_path.glob("[0-9]*"))) == 1, "old generations go"


def test_a_second_writer_reads_first(tmp_path: Path) -> None:
    one, two = Index(tmp_path), Index(tmp_path)
    one.append(world(5), last=5)
    two.append(world(5, 5), last=10)
    one.remove(["t:7"])
    assert len(one) == 9
    assert len(Index(tmp_path)) == 9


def _append_some(folder: Path, start: int) -> None:
    for at in range(start, start + 5):
        Index(folder).append(world(1, at), last=at)


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_append_some, args=(tmp_path, start)) for start in (0, 100, 200)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(Index(tmp_path)) == 15


def test_a_write_that_fails_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index(tmp_path)
    index.append(world(5), last=5)
    before = numbers(index)
    # the place of the next file is taken by a folder, as a full disk would refuse it
    (tmp_path / str(index.generation) / "000002.cols.npy").mkdir()
    with pytest.raises(OSError, match="000002"):
        index.append(world(5, 5), last=10)
    assert numbers(index) == before
    assert index.last == 5
    assert numbers(Index(tmp_path)) == before


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    index = Index(tmp_path)
    index.append(world(30), last=30)
    index.fit()
    index.append(world(10, 30), last=40)
    index.remove(["t:1"])
    return tmp_path


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def _flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(bytes(raw))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [_cut, _flip, _empty, _folder, Path.unlink])
def test_each_damaged_file_is_noticed(folder: Path, harm: Callable[[Path], None]) -> None:
    names = sorted(path.relative_to(folder) for path in folder.rglob("*.npy") if path.stat().st_size > 128)
    assert len(names) > 25
    for name in names:
        kept = (folder / name).read_bytes()
        harm(folder / name)
        index = Index(folder)
        assert (len(index), index.last) == (0, 0), name
        assert name.name in index.damaged
        if (folder / name).is_dir():
            (folder / name).rmdir()
        (folder / name).write_bytes(kept)
    assert Index(folder).damaged == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\x80\x04K\x01.",
        b'{"format": 99}',
        b'{"format": 1, "crc": 0, "body": "{}"}',
        b"[" * 9999,
    ],
)
def test_a_foreign_manifest_is_noticed(folder: Path, content: bytes) -> None:
    (folder / "CURRENT").write_bytes(content)
    index = Index(folder)
    assert (len(index), index.last) == (0, 0)
    assert "CURRENT" in index.damaged


def _rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    whole = json.loads((folder / "CURRENT").read_text())
    body = json.loads(whole["body"])
    change(body)
    whole["body"] = json.dumps(body)
    whole["crc"] = zlib.crc32(whole["body"].encode())
    (folder / "CURRENT").write_text(json.dumps(whole))


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.clear(),
        lambda body: body.update(generation="../elsewhere"),
        lambda body: body.update(counters=[1]),
        lambda body: body.update(segments=7),
        lambda body: body.update(segments=[["000001", {}]]),
        lambda body: body.update(basis=None),
        lambda body: body.update(dead=["000001", 3]),
    ],
)
def test_a_manifest_that_makes_no_sense_is_noticed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    _rewrite(folder, change)
    index = Index(folder)
    assert (len(index), index.last) == (0, 0)
    assert index.damaged


class _Bomb:
    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return (pytest.fail, ("was unpickled",))


def test_a_pickle_is_refused_even_with_its_checksum(folder: Path) -> None:
    path = sorted(folder.rglob("*.cols.npy"))[0]
    buffer = io.BytesIO()
    np.save(buffer, np.array([_Bomb()], dtype=object), allow_pickle=True)
    path.write_bytes(buffer.getvalue())
    _claim(folder, path)
    index = Index(folder)
    assert len(index) == 0
    assert path.name in index.damaged


def _claim(folder: Path, path: Path) -> None:
    prefix, name, _ = path.name.split(".")

    def change(body: dict[str, Any]) -> None:
        for held, sums in [*body["segments"], body["basis"], body["dead"]]:
            if held == prefix:
                sums[name] = zlib.crc32(path.read_bytes())

    _rewrite(folder, change)


def test_arrays_of_another_type_or_length_are_refused(folder: Path) -> None:
    for array in (np.zeros(3, np.float64), np.zeros(3, np.int32), np.zeros((2, 2), np.int32), np.zeros(0, np.int32)):
        path = sorted(folder.rglob("*.cols.npy"))[0]
        np.save(path, array)
        _claim(folder, path)
        index = Index(folder)
        assert len(index) == 0
        assert index.damaged


def test_a_damaged_index_is_rebuilt_by_appending(folder: Path) -> None:
    before = Index(folder).generation
    _cut(sorted(folder.rglob("*.cols.npy"))[0])
    index = Index(folder)
    assert index.damaged
    assert index.generation > before
    index.append(world(40), last=40)
    assert index.damaged == ""
    again = Index(folder)
    assert (len(again), again.last, again.damaged) == (40, 40, "")
    assert again.generation > before


def test_damage_under_a_running_reader_is_noticed_at_refresh(folder: Path) -> None:
    reader = Index(folder)
    (folder / "CURRENT").write_bytes(b"junk")
    assert reader.refresh()
    assert reader.damaged
    assert not reader.refresh()
    writer = Index(folder)
    writer.append(world(3), last=3)
    assert reader.refresh()
    assert (len(reader), reader.damaged) == (3, "")


def test_opening_writes_nothing(tmp_path: Path) -> None:
    assert len(Index(tmp_path / "not" / "there")) == 0
    assert not (tmp_path / "not").exists()


def test_lookups_do_not_import_scikit_learn(folder: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from recommender.index import Index;"
        "from recommender.search import search;"
        "i = Index(Path(sys.argv[1])); assert search(i, 'graph'); i.project(i.vectorise(['graph models']));"
        "i.append([]); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, cwd=Path(__file__).parents[2])


def test_every_array_has_a_type() -> None:
    assert set(segment.DTYPES) == set(segment.build([], lambda hashes: np.zeros(0, np.int64), 0).arrays())

from __future__ import annotations

import io
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recommender.index import Index
from tests.fakes.worlds import numbers, world


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


ROOT = Path(__file__).parents[2]
_WRITER = """
import sys
from pathlib import Path
from recommender.index import Index
from recommender.types import Paper
for at in range(5):
    Index(Path(sys.argv[1])).append([Paper(f"{sys.argv[2]}:{at}", "Graph models")], last=at)
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("a", "b", "c")]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(Index(tmp_path)) == 15


_FITTER = _WRITER.replace("for at in range(5):", "for at in range(12):").replace(
    "    Index(Path(sys.argv[1]))", "    index = Index(Path(sys.argv[1])); index.fit(); index"
)


def test_readers_that_open_while_a_writer_switches_are_never_lost(tmp_path: Path) -> None:
    Index(tmp_path).append(world(30), last=1)
    writer = subprocess.Popen([sys.executable, "-c", _FITTER, str(tmp_path), "w"], cwd=ROOT)
    opened = 0
    while writer.poll() is None:
        index = Index(tmp_path)
        assert index.damaged == ""
        assert len(index) >= 30
        opened += 1
    assert writer.returncode == 0
    assert opened > 3
    assert len(Index(tmp_path)) == 42


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
    code = (
        "import sys; from pathlib import Path; from recommender.index import Index;"
        "from recommender.search import search;"
        "i = Index(Path(sys.argv[1])); assert search(i, 'graph'); i.project(i.vectorise(['graph models']));"
        "i.append([]); assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, cwd=ROOT)

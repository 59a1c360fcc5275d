"""`paperround eval`: what it prints, where it looks, and how it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.app import DATABASE
from bot.cli import cli, main
from bot.eval_dense import _read
from bot.store.address import sqlite_url
from bot.store.engine import Store
from tests.fakes import judged
from tests.fakes.small_model import model_folder


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder that has nothing beside it, and let the checkout be there too."""
    here = tmp_path / "here" / "checkout"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.setattr("recommender.evaluate.places.CHECKOUT", here)


def corpus(path: Path, n: int = 40) -> Path:
    """Make a corpus of papers with keywords, of which each is held by a third, and with many words of their own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = judged.papers(n)
    for at, row in enumerate(rows):
        row["keywords"] = [row["title"].split()[0]]
        row["title"] += f" titled{at}"
        row["abstract"] += "".join(f" {letter}{chr(97 + at % 26)}{chr(97 + at // 26)}thing" for letter in "abcdefghij")
    return judged.write(path, rows)


def refusal(*args: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the program, which has to end with exit code 2; return what it says."""
    monkeypatch.setattr(sys, "argv", ["paperround", "eval", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_json_is_by_set_ranker_and_metric(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "eval" / "toy")
    args = ["eval", str(folder), "--ranker", "default", "--ranker", "tfidf", "--seeds", "1", "--json"]
    done = CliRunner().invoke(cli, args, catch_exceptions=False)
    made = json.loads(done.stdout)
    assert list(made["toy"]) == ["default", "tfidf"]
    assert set(made["toy"]["default"]) == {"pairwise_loss", "ndcg@10", "recall@100", "mrr", "pair_accuracy"}
    assert made["toy"]["default"]["pairwise_loss"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert "toy, deployed, seed 0: default in" in done.stderr
    assert "No corpora: fitted on the papers of the profiles only." in done.stderr


def test_tables_of_both_protocols_and_the_corpora_beside_the_sets(tmp_path: Path) -> None:
    corpus(tmp_path / "corpora" / "some.jsonl.gz")
    folder = judged.queries(tmp_path / "eval" / "asked")
    args = ["eval", str(folder), "--ranker", "default", "--protocol", "both", "--seeds", "1"]
    done = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert "40 papers of the corpora counted" in done.stderr
    assert "**asked**: 2 cases in 2 groups. `default` is the search here." in done.stdout
    assert "**asked (refit)**" in done.stdout
    assert "| default | " in done.stdout


def test_without_a_folder_all_of_the_shared_ones_and_what_corpora_make(tmp_path: Path) -> None:
    shared = tmp_path / "here" / "shared"
    corpus(shared / "corpora" / "iclr2026.jsonl.gz")
    judged.people(shared / "eval" / "toy")
    judged.queries(shared / "eval" / "asked")
    args = ["eval", "--ranker", "default", "--seeds", "1", "--json"]
    made = json.loads(CliRunner().invoke(cli, args, catch_exceptions=False).stdout)
    kinds = ["with a slip", "half the words", "six rare words"]
    plain = [name for name in made if " (" not in name or name.startswith("known")]
    assert [name for name in plain if "(seeds)" not in name] == [
        "asked", "toy", "topic-words", *(f"known-items ({kind})" for kind in kinds),
    ]  # fmt: skip
    assert set(made["known-items (half the words)"]["default"]) == {"found_first", "mrr"}


def test_two_sets_of_one_name_stay_apart(tmp_path: Path) -> None:
    both = [str(judged.queries(tmp_path / place / "asked")) for place in ("a", "b")]
    args = ["eval", *both, "--ranker", "random", "--seeds", "1", "--json"]
    made = json.loads(CliRunner().invoke(cli, args, catch_exceptions=False).stdout)
    assert {name for name in made if not name.endswith(")")} == set(both)


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*args: str) -> str:
        return refusal(*args, capsys=capsys, monkeypatch=monkeypatch)

    folder = judged.people(tmp_path / "toy")
    assert said() == ("paperround: There are no sets in ../shared/eval. Say where one is: paperround eval FOLDER\n")
    assert said("nowhere") == "paperround: nowhere is no folder\n"
    assert said(str(tmp_path)).startswith(f"paperround: {tmp_path} is no set: it has no papers.jsonl and users.jsonl")
    assert "--ranker: there is no “best”. There are: cda, default, " in said(str(folder), "--ranker", "best")
    assert "--protocol: “x” is none. Type deployed, refit or both." in said(str(folder), "--protocol", "x")
    assert "none.jsonl cannot be read" in said(str(folder), "--corpus", "none.jsonl")
    assert "topic-words needs a corpus" in said("topic-words")
    assert "known-items needs a corpus" in said("known-items")


def test_own_feedback_needs_a_database_and_ratings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERROUND_DATA_DIR", str(tmp_path / "data"))
    assert "so there is no feedback." in refusal("--own", capsys=capsys, monkeypatch=monkeypatch)
    (tmp_path / "data").mkdir()
    Store.open(sqlite_url(tmp_path / "data" / DATABASE)).close()
    done = CliRunner().invoke(cli, ["eval", "--own", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout) == {}
    assert "Nobody has rated enough" in done.stderr


def test_dense_vectors_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUND_DATA_DIR", str(tmp_path / "data"))
    model = model_folder(tmp_path / "minilm")
    folder = judged.people(tmp_path / "eval" / "toy", n=9, users=3)
    args = ["eval", str(folder), "--ranker", "default", "--seeds", "1", "--json", "--embedder", str(model)]
    first, again = (CliRunner().invoke(cli, args, catch_exceptions=False) for _ in range(2))
    assert json.loads(first.stdout)["toy"]["default"]["pairwise_loss"]["mean"] == 0.0
    assert first.stdout == again.stdout
    assert "9 of 9 texts embedded" in first.stderr
    assert "embedded" not in again.stderr
    (kept,) = (tmp_path / "data").glob("eval-*.npz")
    assert len(_read(kept)) == 9
    kept.write_bytes(kept.read_bytes()[:500])
    assert _read(kept) == {}, "what cannot be read is made anew"


def test_a_model_that_is_none_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = judged.people(tmp_path / "toy", n=15, users=3)
    args = (str(folder), "--ranker", "default", "--embedder", str(tmp_path))
    told = refusal(*args, capsys=capsys, monkeypatch=monkeypatch)
    assert "--embedder: " in told
    assert "model.onnx cannot be read: No such file" in told

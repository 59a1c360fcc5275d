"""The embedder of a local model: near texts are nearer, a text has one vector, and bad files are named."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bot.embedders._unit import unit
from bot.embedders.onnx import Onnx, embedder
from bot.errors import EmbedderError
from tests.fakes.small_model import model_folder

TEXTS = (
    "Protein folding with neural networks. We predict structures of proteins from their sequences.",
    "Predicting the structure of proteins. A deep network folds amino acid chains.",
    "A survey of medieval trade routes. Salt was carried from the sea to the mountains.",
)


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[Onnx]:
    made = Onnx(model_folder(tmp_path / "minilm"))
    yield made
    await made.close()


async def test_texts_on_the_same_are_nearer(model: Onnx) -> None:
    vectors = await model.embed(TEXTS)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    near = vectors @ vectors.T
    assert near[0, 1] > near[0, 2] + 0.3


async def test_a_text_has_one_vector_whatever_stands_beside_it(model: Onnx) -> None:
    together, alone = await model.embed(TEXTS), await model.embed(TEXTS[:1])
    assert np.array_equal(together[:1], alone)
    assert (await model.embed([])).shape[0] == 0


async def test_odd_texts_have_vectors_too(model: Onnx) -> None:
    odd = ["", " ", "\ud800 lone", "\x00", "word " * 100_000, "数学 \U0001f9ee"]
    vectors = await model.embed(odd)
    assert np.isfinite(vectors).all()


async def test_the_event_loop_goes_on_meanwhile(model: Onnx) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    task = asyncio.create_task(beat())
    await model.embed(TEXTS)
    task.cancel()
    assert beats > 10


def test_the_name_changes_with_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    names = []
    for content in (b"one", b"two"):
        (folder / "model.onnx").write_bytes(content)
        (folder / "tokenizer.json").write_bytes(b"{}")
        names.append(Onnx(folder).name())
    assert names[0] != names[1]
    assert names[0].startswith("tiny:")


async def test_a_model_that_was_cut_is_named(tmp_path: Path) -> None:
    whole = model_folder(tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "tokenizer.json").symlink_to(whole / "tokenizer.json")
    (cut / "model.onnx").write_bytes((whole / "model.onnx").read_bytes()[:1_000_000])
    made = Onnx(cut)
    for _ in range(2):
        with pytest.raises(EmbedderError, match=r"The model in .*cut cannot be used: "):
            await made.embed(TEXTS[:1])
    await made.close()


async def test_a_tokenizer_that_is_none_is_named(tmp_path: Path) -> None:
    whole = model_folder(tmp_path / "whole")
    (whole / "tokenizer.json").unlink()
    (whole / "tokenizer.json").write_text("{")
    made = Onnx(whole)
    with pytest.raises(EmbedderError, match="cannot be used"):
        await made.embed(TEXTS[:1])
    await made.close()


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    for name in {"model.onnx", "tokenizer.json"} - {missing}:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(EmbedderError, match=f"{missing} cannot be read: No such file"):
        Onnx(tmp_path).name()


def test_it_is_chosen_by_a_folder_alone() -> None:
    def chosen(embedder_: str) -> object:
        return embedder.open(SimpleNamespace(embedder=embedder_))

    assert chosen("") is None
    assert chosen("https://api.example.org/v1") is None
    assert isinstance(chosen("models/minilm"), Onnx)


class TestUnit:
    def test_vectors_are_scaled(self) -> None:
        assert unit([[3, 4], [0, 1e-20]], 2, "It").tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 1]]

    @pytest.mark.parametrize(
        ("found", "why"),
        [
            ([[1, 2]], r"array of \(1, 2\) for 2 texts"),
            ([[1, 2], [1]], "no vectors of one length"),
            ([[1, 2], ["a", "b"]], "no vectors of one length"),
            ([[1], [2]], "for 2 texts"),
            ([1, 2], "for 2 texts"),
            (None, "for 2 texts"),
            ([[1, 2], [math.nan, 1]], "no number"),
            ([[1, 2], [math.inf, 1]], "no number"),
            ([[1, 2], [10**400, 1]], "."),
            ([[1, 2], [0, 0]], "zero"),
        ],
    )
    def test_what_is_no_vector_is_refused(self, found: object, why: str) -> None:
        with pytest.raises(EmbedderError, match=f"It .*{why}"):
            unit(found, 2, "It")

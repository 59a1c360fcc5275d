"""A sentence model in a folder: model.onnx and tokenizer.json. Nothing is ever downloaded.

It needs the extra `dense` (onnxruntime and tokenizers), which is imported with the first text only. One text at a time:
of a model with 8-bit numbers, a text's vector would otherwise depend on what stands beside it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import numpy as np

from bot.embedders._unit import unit
from bot.errors import EmbedderError
from recommender.types import FloatArray

TOKENS, CHARACTERS = 256, 8_000  # of a text that are read
NICENESS = 10  # of the one thread that it works in
_FILES = ("model.onnx", "tokenizer.json")
_RECIPE = b"mean of the last layer, 256 tokens"  # changes with what is made of a text


class Onnx:
    """The model of a folder: mean of the last layer's vectors over the tokens, as sentence-transformers has it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads: ThreadPoolExecutor | None = None

    @classmethod
    def open(cls, settings: Any, http: Any = None) -> Onnx | None:
        """Return that of the folder that the settings name, or None if they name no folder."""
        del http
        where = settings.embedder
        return cls(Path(where).expanduser()) if where and "://" not in where else None

    def name(self) -> str:
        """Return the folder's name and a digest of its files. Raises EmbedderError."""
        return self._name

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, (len(texts), d). Raises EmbedderError."""
        loop = asyncio.get_running_loop()
        thread = self._threads = self._threads or ThreadPoolExecutor(1, "embedder", initializer=_yield_to_others)
        found = [await loop.run_in_executor(thread, self._vector, text) for text in texts]
        return unit(found, len(texts), self._who) if found else np.zeros((0, 0), np.float32)

    async def close(self) -> None:
        """End the thread, once it is done with its text."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    @property
    def _who(self) -> str:
        return f"The model in {self._folder}"

    @cached_property
    def _name(self) -> str:
        digest = sha256(_RECIPE)
        for name in _FILES:
            try:
                with (self._folder / name).open("rb") as file:
                    digest.update(file_digest(file, "sha256").digest())
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise EmbedderError(f"{self._folder / name} cannot be read: {reason}.") from error
        return f"{self._folder.resolve().name[:60]}:{digest.hexdigest()[:16]}"

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        """Return the tokenizer and the session."""
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise EmbedderError(f'{self._who} needs more packages: pip install "paperround[dense]".') from error
        self.name()  # a file that is missing is named
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what is wrong is raised, too
        try:
            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(TOKENS)
            model = str(self._folder / "model.onnx")
            return tokenizer, onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # both libraries raise bare Exceptions
            raise EmbedderError(f"{self._who} cannot be used: {_first_line(error)}.") from error

    def _vector(self, text: str) -> FloatArray:
        tokenizer, session = self._model
        try:
            read = text[:CHARACTERS].encode("utf-8", "replace").decode()
            ids = np.array([tokenizer.encode(read).ids], np.int64)
            whole = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            given = {one.name: whole[one.name] for one in session.get_inputs()}
            last = session.run(None, given)[0]
            mean: FloatArray = last[0].mean(axis=0) if last.ndim == 3 else last[0]
        except Exception as error:
            raise EmbedderError(f"{self._who} cannot read a text: {_first_line(error)}.") from error
        return mean


def _yield_to_others() -> None:
    """Let all other threads go first. Linux knows a niceness of threads."""
    if hasattr(os, "setpriority"):
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        except OSError:
            return


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(". ")


embedder = Onnx

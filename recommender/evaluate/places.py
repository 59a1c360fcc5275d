"""Where sets and corpora lie if nobody says: in a folder `shared` beside the current folder or beside the checkout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recommender.evaluate.jsonl import BadSetError

CHECKOUT = Path(__file__).resolve().parents[2]
CORPORA = "*.jsonl.gz"


def shared() -> list[Path]:
    """Return the shared folders that are there."""
    beside = dict.fromkeys(folder.resolve().parent / "shared" for folder in (Path.cwd(), CHECKOUT))
    return [folder for folder in beside if folder.is_dir()]


def sets() -> list[Path]:
    """Return the folders of all sets in the first shared folder. Raises BadSetError, which says what to give."""
    for folder in shared():
        if found := sorted(one for one in (folder / "eval").glob("*") if one.is_dir()):
            return found
    raise BadSetError("There are no sets in ../shared/eval. Say where one is: paperround eval FOLDER")


def corpora(folders: Sequence[Path]) -> list[Path]:
    """Return the files of corpora: those beside the sets' folder, else the shared ones; none if there are none."""
    beside = dict.fromkeys(folder.resolve().parent.parent / "corpora" for folder in folders)
    for some in ([*beside], [folder / "corpora" for folder in shared()]):
        if found := sorted(file for folder in some for file in folder.glob(CORPORA)):
            return sorted(found, key=lambda file: file.stat().st_size)
    return []

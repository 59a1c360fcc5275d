"""JSON as nobody should send it: any of its values may be another."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 9999, 10**30, 1.5, float("nan"), "", "None", "x" * 5000,
    "nul\x00 \x1b[31m\ud800 \u202eleft",
    "9999-99-99", "0000-01-01", [], [None], [[]], [[None]], [[True, True, True]], {}, {"name": None}, {"value": []},
)  # fmt: skip


def spoilt(value: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the same JSON with a few of its values replaced."""
    places = list(_places(value))
    changes = st.lists(st.tuples(st.sampled_from(places), st.sampled_from(ODD)), min_size=1, max_size=4)
    return changes.map(lambda chosen: _changed(value, dict(chosen)))


Place = tuple[Any, ...]


def _places(value: Any, at: Place = ()) -> Any:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from _places(each, (*at, name))


def _changed(value: Any, changes: dict[Place, Any], at: Place = ()) -> Any:
    if at in changes:
        return changes[at]
    if isinstance(value, dict):
        return {name: _changed(each, changes, (*at, name)) for name, each in value.items()}
    if isinstance(value, list):
        return [_changed(each, changes, (*at, place)) for place, each in enumerate(value)]
    return value


def clean(paper: Any) -> bool:
    """Say whether a paper is fit to be stored and shown: a title, and nothing that is no text or cannot be seen."""
    texts = [paper.title, paper.abstract, paper.venue, paper.url, paper.id]
    texts += [*paper.authors, *paper.keywords, *paper.categories, *paper.ids]
    year = paper.year is None or 1600 <= paper.year <= 2100
    shown = all(isinstance(text, str) and not set(text) & set("\x00\x1b\ud800\u202e") for text in texts)
    named = not {"None", "nan", "True"} & {paper.title, paper.venue, *paper.authors, *paper.keywords}
    return bool(paper.title) and year and shown and named

"""Words and names as people write them against those of papers: case, accents and order of names do not matter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from recommender.text import plain
from recommender.types import Paper


def by(paper: Paper, names: Sequence[str]) -> bool:
    """Say whether one of the names is an author's: in full, the surname, or "M. Beck", case and accents aside."""
    if not names or not paper.authors:
        return False
    authors = [author_name(author) for author in paper.authors]
    wanted = [name for name in map(author_name, names) if name]
    return any(_is(author, name) for author in authors for name in wanted)


def _is(author: str, name: str) -> bool:
    """Say whether a folded author has this folded name: in full, the surname, or the initial and the surname."""
    initial, surname = abbreviated(name)
    short = bool(initial) and author.startswith(initial) and author.endswith(f" {surname}")
    return short or author == name or author.endswith(f" {name}")


def abbreviated(name: str) -> tuple[str, str]:
    """Return the initial and the surname of a folded name such as "m beck"; two empty strings of any other."""
    initial, _, surname = name.partition(" ")
    return (initial, surname) if len(initial) == 1 and surname else ("", "")


def mentions(paper: Paper, phrases: Sequence[str]) -> bool:
    """Say whether the title or the abstract holds one of the phrases as whole words; case and accents do not matter.

    Text without spaces between words (Chinese, Japanese) is searched as it stands.
    """
    if not phrases:
        return False
    text = searchable(paper)
    return any(holds(text, phrase) for phrase in phrases)


def searchable(paper: Paper) -> str:
    """Return the folded title and abstract for `holds`: no phrase reaches from one into the other."""
    return f" {plain(paper.title)} | {plain(paper.abstract)} "


def holds(text: str, phrase: str) -> bool:
    """Say whether a `searchable` text holds a phrase; one without letters and digits is held by none."""
    folded = _folded(phrase)
    return bool(folded) and (f" {folded} " in text or (ord(folded[0]) >= 0x3040 and folded in text))


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return plain(text)


@lru_cache(maxsize=65_536)
def author_name(name: str) -> str:
    """Return a folded name, given names first: "Oord, Aäron van den" is "aaron van den oord"."""
    surname, _, given = name.partition(",")
    return plain(f"{given} {surname}")

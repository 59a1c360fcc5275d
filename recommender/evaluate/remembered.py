"""How people misremember a paper: a title with a slip of the pen, half of its words, or a few rare words of it."""

from __future__ import annotations

import re

from numpy.random import Generator

from recommender import text
from recommender.index import Index

RARE = 6
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def slip(title: str, rng: Generator) -> str:
    """Return a title with one slip of the pen in a word of four letters or more: lost, doubled, wrong or swapped."""
    places = [at for word in re.finditer(r"[A-Za-z]{4,}", title) for at in range(word.start(), word.end() - 1)]
    if not places:
        return title[:-1]
    at = int(rng.choice(places))
    first, second = title[at], title[at + 1]
    other = str(rng.choice([letter for letter in LETTERS if letter != first.lower()]))
    made = ["", first + first, other]  # in the place of one letter
    if first != second:
        made.append(second + first)  # of two
    which = int(rng.integers(len(made)))
    return title[:at] + made[which] + title[at + (2 if which == 3 else 1) :]


def half(title: str, rng: Generator) -> str:
    """Return half of a title's words, drawn by chance, in their order; one more than half if they are odd."""
    words = words_of(title)
    return " ".join(words[at] for at in sorted(rng.permutation(len(words))[: (len(words) + 1) // 2].tolist()))


def rarest(index: Index, abstract: str) -> str:
    """Return the six words of an abstract, as written, that the fewest papers of the index use."""
    words = list(dict.fromkeys(word for word in words_of(abstract) if word.isalpha()))
    columns = index.columns(text.hash_terms([text.stem(text.fold(word)) for word in words]))
    used = [(int(index.df[column]), at) for at, column in enumerate(columns.tolist()) if column >= 0]
    return " ".join(words[at] for _, at in sorted(used)[:RARE])


def words_of(said: str) -> list[str]:
    """Return the words and numbers of a text, as written."""
    return re.findall(r"[^\W_]+", text.clean(said))

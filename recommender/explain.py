"""Why a paper was picked: its own words that raised it most, the nearest liked paper, and its most telling sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender.rankers._base import Base
from recommender.rankers._vectors import unit
from recommender.text import LONGEST, clean, hash_terms, meant, paper_text, terms, words
from recommender.types import FloatArray, Interest, Paper, Ranker, Why

TERMS = 3
"""Terms in a reason."""

LEAST = 0.1
"""Least worth of a told term as a share of the best one's: what hardly counted is no reason."""

_PHRASES = frozenset(
    """
    abstract achieve achieved achieves achieving address addressed addressing aim approach art available based
    baseline best better challenge challenging characterize code common compared comprehensive conduct consistent
    consistently crucial degrade demonstrate demonstrated demonstrating different diverse effective effectively
    effectiveness empirical empirically enable enabling enhance evaluation existing experiment experimental
    experimentally extensive extensively framework furthermore help high however https impact important improve
    improved improvement improving introduce introduced key large largely leading limitation limited link long low
    lower many method methodology model need new novel outperform outperformed outperforming paper performance
    poorly present prior problem propose proposed provide real recent recently remain remaining remarkable result
    show shown significant significantly small sota source standard state strong study substantial substantially
    success successfully superior task technique theoretical theoretically training two understood various well work
    world
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that abstracts are made of. They count, but alone or with each other they tell nobody anything."""

_PAPERS = 3_000

_SENTENCE = (30, 400)
"""Least and most characters of a sentence that is shown."""

_BREAK = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+(?=[\"'(\[]?[^\W_a-z])|\n\s*\n|(?<=[。！？])")
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|resp|fig|eq|sec|no|dr|prof|approx|w\.r\.t)|\b[A-Za-z])\.$", re.IGNORECASE
)
_SHORTEST = 12  # characters that hold every abbreviation
_MATH = re.compile(r"\$[^$]{1,300}\$|\\\(.{1,300}?\\\)|\\\[.{1,300}?\\\]", re.DOTALL)
_TYPESET = re.compile(r"[\\$^{}<>|*`]|\(cid:")
_HALF = re.compile(r"(?<=-)[^\W_]+|(?<![^\W_])[^\W_]+(?=-[^\W_])")
_COMPOUND = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_WORD = re.compile(r"[^\W_]+")
_SHOWN = re.compile(r"[^\W\d_][^\W_]+(?:[ -][^\W_]{2,}){0,3}")


@dataclass(frozen=True, slots=True)
class _Read:
    """What reasons take from a paper alone: its terms as it spells them, and its sentences, in one state of the index.

    `text` is what it says, cleaned; `columns` and `weights` are its unit row of TF-IDF; `keys`, spelled as
    `surfaces`, stand at `places` of it (-1: nowhere), and the two words of a pair at `words` (n_keys, 2) of `keys`.
    `sentences` have `cells` of (sentence, column, weight).
    """

    text: str
    columns: NDArray[np.int32]
    weights: FloatArray
    keys: tuple[str, ...]
    surfaces: tuple[str, ...]
    places: NDArray[np.int32]
    words: NDArray[np.int32]
    sentences: list[str]
    cells: tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]


class Explainer:
    """Tells why a ranker gives papers their scores. What it has read of the last 3,000 papers (30 kB each) is kept."""

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker
        self._read: dict[tuple[int, int, int, int], _Read] = {}

    def why(self, interest: Interest, paper: Paper) -> Why:
        """Return why the ranker gives a paper its score for an interest; see `explain`."""
        ranker = self._ranker
        row = int(ranker.index.rows([paper.id])[0]) if isinstance(ranker, Base) else -1
        if not isinstance(ranker, Base) or row < 0:
            return Why()
        parts = {name: float(part[0]) for name, part in ranker.parts(interest, np.array([row], np.int64)).items()}
        query = ranker.query(interest, row)
        told = tuple((name, value) for name, value in parts.items() if value)
        if not query.nnz:
            return Why(parts=told)
        read, near = self._of(ranker, row, paper), ranker.near(interest, row)
        return Why(
            terms=_terms(read.weights * _weights(query, read.columns), read),
            near=ranker.index.ids([near])[0] if near >= 0 else "",
            sentence=_sentence(query, read),
            parts=told,
        )

    def _of(self, ranker: Base, row: int, paper: Paper) -> _Read:
        index = ranker.index
        key = (index.generation, index.n_rows, len(index), row)  # terms weigh by how many papers use them
        found = self._read.pop(key, None) or _read(ranker, row, paper)
        self._read[key] = found
        if len(self._read) > _PAPERS:
            del self._read[next(iter(self._read))]
        return found


def explain(ranker: Ranker, interest: Interest, paper: Paper) -> Why:
    """Return why `ranker` gives a paper its score for an interest; empty where nothing can be told truthfully.

    `parts` sum to the score. `terms` are the paper's words with the greatest contributions to the part "words", pairs
    before the words in them. `near` is the id of the nearest liked paper, if it is nearer than papers usually are.
    """
    return Explainer(ranker).why(interest, paper)


def contributions(ranker: Base, query: csr_matrix, row: int) -> dict[int, float]:
    """Return column -> what a term of the paper adds to the part "words" before it is centred.

    They sum to the product of `query` (1, n_terms) with the paper's own term weights.
    """
    product = ranker.own(row).multiply(query).tocsr()
    return dict(zip(product.indices.tolist(), product.data.tolist(), strict=True))


def _weights(query: csr_matrix, columns: NDArray[np.int32]) -> FloatArray:
    """Return the weights that a query (1, n_terms), columns sorted, gives these columns, (n_columns,)."""
    at = np.searchsorted(query.indices, columns)
    at[at == query.nnz] = 0
    return np.where(query.indices[at] == columns, query.data[at], np.float32(0.0)).astype(np.float32)


def _read(ranker: Base, row: int, paper: Paper) -> _Read:
    index, own = ranker.index, ranker.own(row)
    spelled = spellings(paper_text(paper))
    keys = tuple(spelled)
    numbers = {key: at for at, key in enumerate(keys)}
    held = {column: at for at, column in enumerate(own.indices.tolist())}
    pairs = [(*key.split(" "), "", "")[:2] if " " in key else ("", "") for key in keys]
    told = _told(paper.abstract)
    cells = unit(index, index.vectorise(told))
    return _Read(
        text=clean(paper_text(paper)),
        columns=own.indices.astype(np.int32),
        weights=own.data,
        keys=keys,
        surfaces=tuple(spelled.values()),
        places=np.array([held.get(column, -1) for column in index.columns(hash_terms(keys)).tolist()], np.int32),
        words=np.array([[numbers.get(word, -1) for word in pair] for pair in pairs], np.int32).reshape(-1, 2),
        sentences=told,
        cells=(
            np.repeat(np.arange(len(told), dtype=np.int32), np.diff(cells.indptr)),
            cells.indices.astype(np.int32),
            cells.data,
        ),
    )


def _terms(worth: FloatArray, read: _Read) -> tuple[str, ...]:
    """Return the terms worth most as the paper writes them; a pair is worth its words too, and no word shows twice.

    `worth` is that of the paper's columns.
    """
    own = np.append(worth.astype(np.float64), 0.0)[read.places]
    whole = own + np.append(own, 0.0)[read.words].sum(axis=1)
    telling = np.flatnonzero(own > 0.0)
    least = LEAST * whole[telling].max(initial=0.0)
    chosen: list[str] = []
    told: set[str] = set()
    best = sorted((-whole[at], read.keys[at], read.surfaces[at]) for at in telling.tolist() if whole[at] >= least)
    for _, key, surface in best:
        if told.isdisjoint(key.split(" ")):
            whole_key, phrase = _longer(key, surface, [(one, other) for _, one, other in best], read.text, told)
            chosen.append(phrase)
            told.update(whole_key.split(" "))
        if len(chosen) == TERMS:
            break
    return tuple(chosen)


def _longer(
    key: str, surface: str, pairs: Sequence[tuple[str, str]], text: str, told: Collection[str]
) -> tuple[str, str]:
    """Return a pair as part of the three words that the paper writes, where the pair with the third tells, too.

    "graph neural" and "neural networks" are half a name each.
    """
    first, _, second = key.partition(" ")
    for other, written in pairs:
        one, _, two = other.partition(" ")
        if not second or not two or {one, two} <= {first, second} or " " not in written:
            continue
        if one == second and two not in told:
            longer, whole = f"{key} {two}", f"{surface} {written.split(' ', 1)[1]}"
        elif two == first and one not in told:
            longer, whole = f"{one} {key}", f"{written.split(' ', 1)[0]} {surface}"
        else:
            continue
        if found := re.findall(rf"(?<!\w){re.escape(whole)}(?!\w)", text, re.IGNORECASE):
            return longer, min(found, key=_capitals)
    return key, surface


def spellings(text: str) -> dict[str, str]:
    """Return the terms of a text that tell people something, as it writes them with the fewest capitals, by key."""
    spelled: dict[str, str] = {}
    text = _MATH.sub(". ", text)
    halves = set(_HALF.findall(clean(text)))
    # what reads badly: halves ("shot" of "zero-shot"), unless they stand alone elsewhere
    whole = [(key, surface) for key, surface in terms(text) if halves.isdisjoint(surface.split())]
    alone = terms(_COMPOUND.sub(". ", clean(text))) if halves else []
    for key, surface in dict.fromkeys((*whole, *alone)):
        if key in spelled and _capitals(surface) >= _capitals(spelled[key]):
            continue
        if not key or not _SHOWN.fullmatch(surface) or _PHRASES.issuperset(key.split(" ")):
            continue
        if _close(surface):
            spelled[key] = surface
    return spelled


def _close(surface: str) -> bool:
    """Say whether no stop word stands in a term as it is written: pairs over some read badly ("derived from the X")."""
    found = _WORD.findall(surface)
    return all(map(meant, found)) if surface.isascii() else len(words(surface)) == len(found)


def _capitals(text: str) -> int:
    return 0 if text.islower() else sum(map(str.isupper, text))


def _told(abstract: str) -> list[str]:
    """Return the sentences that may be shown; those with typesetting only if there are no others."""
    found = [(clean(raw), raw) for raw in sentences(abstract[:LONGEST])]
    found = [(one, raw) for one, raw in found if _SENTENCE[0] <= len(one) <= _SENTENCE[1]]
    return [one for one, raw in found if not _TYPESET.search(raw)] or [one for one, _ in found]


def _sentence(query: csr_matrix, read: _Read) -> str:
    """Return the sentence with the greatest cosine to the query, or nothing if none has any."""
    if not read.sentences:
        return ""
    numbers, columns, weights = read.cells
    closeness = np.bincount(numbers, weights * _weights(query, columns), len(read.sentences))
    best = int(np.argmax(closeness))
    return read.sentences[best] if closeness[best] > 0 else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of an abstract as they are written; abbreviations and initials do not end one."""
    found: list[str] = []
    for piece in _BREAK.split(text):
        if found and _SHORT.search(found[-1][-_SHORTEST:]):  # its end alone: the text may be one long list of initials
            found[-1] += " " + piece
        else:
            found.append(piece)
    return [" ".join(one.split()) for one in found if one.strip()]

"""Why a paper was picked: its own words that raised it most, the nearest liked paper, and its most telling sentence."""

from __future__ import annotations

import re

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.rankers._base import Base
from recommender.rankers._vectors import unit
from recommender.text import LONGEST, clean, hash_terms, paper_text, terms, words
from recommender.types import Interest, Paper, Ranker, Why

TERMS = 3
"""Terms in a reason."""

LEAST = 0.1
"""Least worth of a told term as a share of the best one's: what hardly counted is no reason."""

_PHRASES = frozenset(
    """
    abstract achieve achieved achieves achieving address addressed addressing aim approach art available based baseline
    challenge challenging code common compared comprehensive conduct consistent consistently crucial degrade demonstrate
    demonstrated demonstrating different diverse effective effectively effectiveness empirical empirically enable
    enabling enhance evaluation existing experiment experimental experimentally extensive extensively framework
    furthermore however https important improve improved improvement improving introduce introduced key large largely
    leading limitation limited link lower many method methodology model new novel outperform outperforming outperformed
    paper performance present prior problem propose proposed provide remain remaining remarkable result show shown
    significant significantly sota source standard state strong study substantial substantially success successfully
    superior task technique theoretical theoretically training two various well work world
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that abstracts are made of. They count, but alone or with each other they tell nobody anything."""

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
_SHOWN = re.compile(r"[^\W\d_][^\W_]+(?:[ -][^\W_]{2,}){0,3}")


def explain(ranker: Ranker, interest: Interest, paper: Paper) -> Why:
    """Return why `ranker` gives a paper its score for an interest; empty where nothing can be told truthfully.

    `parts` sum to the score. `terms` are the paper's words with the greatest contributions to the part "words", pairs
    before the words in them. `near` is the id of the nearest liked paper, if it is nearer than papers usually are.
    """
    row = int(ranker.index.rows([paper.id])[0]) if isinstance(ranker, Base) else -1
    if not isinstance(ranker, Base) or row < 0:
        return Why()
    parts = {name: float(part[0]) for name, part in ranker.parts(interest, np.array([row], np.int64)).items()}
    query = ranker.query(interest, row)
    told = tuple((name, value) for name, value in parts.items() if value)
    if not query.nnz:
        return Why(parts=told)
    near = ranker.near(interest, row)
    return Why(
        terms=_terms(contributions(ranker.index, query, row), ranker.index, paper),
        near=ranker.index.ids([near])[0] if near >= 0 else "",
        sentence=_sentence(ranker.index, query, paper.abstract),
        parts=told,
    )


def contributions(index: Index, query: csr_matrix, row: int) -> dict[int, float]:
    """Return column -> what a term of the paper adds to the part "words" before it is standardised.

    They sum to that part's raw value, the product of `query` (1, n_terms) with the paper's unit row of TF-IDF.
    """
    own = unit(index, index.counts([row]))
    product = own.multiply(query).tocsr()
    return dict(zip(product.indices.tolist(), product.data.tolist(), strict=True))


def _terms(worth: dict[int, float], index: Index, paper: Paper) -> tuple[str, ...]:
    """Return the terms worth most as the paper writes them; a pair is worth its words too, and no word shows twice."""
    spelled = spellings(paper_text(paper))
    keys = list(spelled)
    columns = index.columns(hash_terms(keys)).tolist()
    own = {key: worth.get(column, 0.0) for key, column in zip(keys, columns, strict=True)}
    whole = {key: own[key] + sum(own.get(word, 0.0) for word in key.split(" ") if " " in key) for key in keys}
    telling = [key for key in keys if own[key] > 0.0]
    least = LEAST * max((whole[key] for key in telling), default=0.0)
    chosen: list[str] = []
    told: set[str] = set()
    for key in sorted(telling, key=lambda key: (-whole[key], key)):
        if whole[key] >= least and told.isdisjoint(key.split(" ")) and len(chosen) < TERMS:
            chosen.append(spelled[key])
            told.update(key.split(" "))
    return tuple(chosen)


def spellings(text: str) -> dict[str, str]:
    """Return the terms of a text that tell people something, as it writes them with the fewest capitals, by key."""
    spelled: dict[str, str] = {}
    text = _MATH.sub(". ", text)
    halves = set(_HALF.findall(clean(text)))
    for key, surface in terms(text):
        # what reads badly: pairs over stop words ("derived from the Papangelou"), halves ("shot" of "zero-shot")
        whole_words = len(words(surface)) == len(re.findall(r"[^\W_]+", surface)) and halves.isdisjoint(surface.split())
        if not key or not whole_words or not _SHOWN.fullmatch(surface) or _PHRASES.issuperset(key.split(" ")):
            continue
        if key not in spelled or _capitals(surface) < _capitals(spelled[key]):
            spelled[key] = surface
    return spelled


def _capitals(text: str) -> int:
    return sum(letter.isupper() for letter in text)


def _sentence(index: Index, query: csr_matrix, abstract: str) -> str:
    """Return the sentence with the greatest cosine to the query; one with typesetting only if there is no other."""
    found = [(clean(raw), raw) for raw in sentences(abstract[:LONGEST])]
    found = [(one, raw) for one, raw in found if _SENTENCE[0] <= len(one) <= _SENTENCE[1]]
    found = [(one, raw) for one, raw in found if not _TYPESET.search(raw)] or found
    if not found:
        return ""
    closeness = (unit(index, index.vectorise([one for one, _ in found])) @ query.T).toarray()[:, 0]
    best = int(np.argmax(closeness))
    return found[best][0] if closeness[best] > 0 else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of an abstract as they are written; abbreviations and initials do not end one."""
    found: list[str] = []
    for piece in _BREAK.split(text):
        if found and _SHORT.search(found[-1][-_SHORTEST:]):  # its end alone: the text may be one long list of initials
            found[-1] += " " + piece
        else:
            found.append(piece)
    return [" ".join(one.split()) for one in found if one.strip()]

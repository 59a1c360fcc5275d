"""Text to terms: one cleaning, one tokeniser and one hash for the index, the rankers, the lookups and the reasons.

A term is a stemmed word or a pair of adjacent stemmed words. Inside the index a term is a 64-bit hash, so ranking
needs no vocabulary of strings; the words of a reason come back by tokenising the paper's own text again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from recommender.clean import clean, fold
from recommender.stem import STOP, stem
from recommender.types import Paper

__all__ = [
    "AREA", "LONGEST", "LOOKUP", "PAIR", "WORD", "area_hash", "clean", "fold", "hash_key", "hash_terms", "meant",
    "occurrences", "paper_text", "plain", "stem", "term_hashes", "terms", "words",
]  # fmt: skip

HashArray = NDArray[np.uint64]

WORD, PAIR, AREA, LOOKUP = 0, 1, 2, 3
"""Kinds of terms: the lowest two bits of a hash. LOOKUP keys (names, trigrams) serve lookups only, never ranking."""

LONGEST = 50_000
"""Characters of one text that are read: an abstract of a million characters costs no more than a long one."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_BREAK = r"[.!?;:]\s|\n\n"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+|{_BREAK}")
_ASCII_TOKEN = re.compile(rf"[A-Za-z0-9]+|{_BREAK}")
_COMPOUND = re.compile(rf"[^\W_{_CJK}]+(?:-[^\W_{_CJK}]+){{1,3}}")
_PLAIN, _ASCII_PLAIN = re.compile(r"[^\W_]+"), re.compile("[a-z0-9]+")
_HAS_CJK = re.compile(f"[{_CJK}]")
_STOPPED, _BARRIER = 0, 1
_MEMO = 1_000_000


def hash_key(key: str, kind: int) -> int:
    """Return the 64-bit hash of a key; the lowest two bits are its kind, and no hash is below 4."""
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") & ~7) | 4 | kind


class _Hashes(dict[str, int]):
    """Token as written -> hash of its stem; 0 for a stop word, 1 for the end of a sentence. Bounded."""

    def __missing__(self, token: str) -> int:
        if len(self) > _MEMO:
            self.clear()
        if not token[0].isalnum():
            value = _BARRIER
        else:
            key = _key(token)
            value = hash_key(key, WORD) if key else _STOPPED
        self[token] = value
        return value


@lru_cache(30_000)
def _key(token: str) -> str:
    """Return the stem of a token, or nothing for stop words and single letters and digits."""
    folded = fold(token)
    if folded in STOP or (len(folded) < 2 and not _HAS_CJK.match(folded)):
        return ""
    return stem(folded)


_hashes = _Hashes()


def meant(token: str) -> bool:
    """Say whether a word of a cleaned text, letters and digits alone, is a term: no stop word, no single letter."""
    return _hashes[token] > _BARRIER


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (token, start, end) of a cleaned text; ends of sentences are tokens, CJK runs are overlapping pairs."""
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    for match in pattern.finditer(text):
        token, start = match.group(), match.start()
        if len(token) > 2 and _HAS_CJK.match(token):
            for at in range(len(token) - 1):
                yield token[at : at + 2], start + at, start + at + 2
        else:
            yield token, start, match.end()


def _compounds(text: str) -> list[tuple[str, str]]:
    """Return (joined, as written) of hyphenated words: "pre-training" is also "pretraining"."""
    if "-" not in text:
        return []
    found = _COMPOUND.findall(" ".join([chunk for chunk in text.split() if "-" in chunk]))
    joined = [(word.replace("-", ""), word) for word in found]
    return [(token, word) for token, word in joined if not token.isdigit()]


def _tokens(text: str) -> list[str]:
    """Return the tokens of a cleaned text with its joined compounds behind barriers at the end."""
    if text.isascii():
        found: list[str] = _ASCII_TOKEN.findall(text)
    elif not _HAS_CJK.search(text):
        found = _TOKEN.findall(text)
    else:
        found = [token for token, _, _ in _spans(text)]
    for joined, _ in _compounds(text):
        found += ("\n\n", joined)
    return found


def words(text: str) -> list[str]:
    """Return the folded words of a text in order, without stop words and single letters; CJK as pairs of characters.

    The parts of a hyphenated word are words of their own.
    """
    folded = (fold(token) for token, _, _ in _spans(clean(text[:LONGEST])) if token[0].isalnum())
    return [word for word in folded if _key(word)]


def terms(text: str) -> list[tuple[str, str]]:
    """Return (term key, surface) for each word and each adjacent pair of a text, in order, with repetitions.

    A key is the stem, or two stems with a space between; the surface is how the (cleaned) text writes it. Pairs
    step over stop words but not over ends of sentences. Joined compounds come last: ("pretraining", "pre-training").
    """
    cleaned = clean(text[:LONGEST])
    result: list[tuple[str, str]] = []
    last: tuple[str, int] | None = None
    for token, start, end in _spans(cleaned):
        if not token[0].isalnum():
            last = None
            continue
        key = _key(token)
        if not key:
            continue
        if last is not None:
            result.append((f"{last[0]} {key}", cleaned[last[1] : end]))
        result.append((key, cleaned[start:end]))
        last = (key, start)
    compounds = ((_key(joined), surface) for joined, surface in _compounds(cleaned))
    return result + [(key, surface) for key, surface in compounds if key]


def hash_terms(keys: Sequence[str]) -> HashArray:
    """Return the hashes, shape (n,), of term keys as `terms` gives them."""
    split = [key.partition(" ") for key in keys]
    values = np.array([hash_key(first, WORD) for first, _, _ in split], np.uint64)
    paired = [at for at, (_, _, second) in enumerate(split) if second]
    seconds = np.array([hash_key(split[at][2], WORD) for at in paired], np.uint64)
    values[paired] = _pairs(values[paired], seconds)
    return values


def _pairs(first: HashArray, second: HashArray) -> HashArray:
    """Mix the hashes of two words into that of their pair (multiply and xor-shift, as in MurmurHash3's finaliser)."""
    mixed = first * np.uint64(0x9E3779B97F4A7C15) ^ (second >> np.uint64(29)) ^ second * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    kind: HashArray = (mixed & np.uint64(0xFFFFFFFFFFFFFFF8)) | np.uint64(4 | PAIR)
    return kind


def term_hashes(text: str) -> HashArray:
    """Return the hash of each occurrence of each term of a text: the words first, then the pairs.

    Equals `hash_terms` of the keys of `terms`, as a multiset.
    """
    return occurrences([text])[0]


def occurrences(texts: Sequence[str], written: set[str] | None = None) -> tuple[HashArray, NDArray[np.int64]]:
    """Return (hashes, places): each occurrence of each term of many texts, (n,), and which text it is of, (n,).

    The words come first, then the pairs. What the texts write as words is put into `written`.
    """
    found, lengths = [np.zeros(0, np.uint64)], []
    seen: set[str] = set()
    for text in texts:
        tokens = _tokens(clean(text[:LONGEST]))
        tokens.append("\n\n")  # no pair crosses over to the next text
        seen.update(tokens)
        found.append(np.fromiter(map(_hashes.__getitem__, tokens), np.uint64, len(tokens)))
        lengths.append(len(tokens))
    if written is not None:
        written |= {token for token in seen if _hashes[token] > _BARRIER}
    hashes, places = np.concatenate(found), np.repeat(np.arange(len(lengths)), lengths)
    kept = hashes != _STOPPED
    hashes, places = hashes[kept], places[kept]
    word = hashes != _BARRIER
    paired = np.flatnonzero(word[:-1] & word[1:])
    pairs = _pairs(hashes[paired], hashes[paired + 1])
    return np.concatenate([hashes[word], pairs]), np.concatenate([places[word], places[paired]])


def plain(text: str) -> str:
    """Return a text as its folded words and numbers, stop words kept, one space between: how titles are compared."""
    cleaned = clean(text[:LONGEST])
    if cleaned.isascii():
        return " ".join(_ASCII_PLAIN.findall(cleaned.lower()))
    return " ".join(fold(token) for token in _PLAIN.findall(cleaned))


@lru_cache(1024)
def area_hash(name: str) -> int:
    """Return the hash of the term that a paper carries for each of its categories; the same for any spelling."""
    return hash_key("\0area " + plain(name), AREA)


def paper_text(paper: Paper) -> str:
    """Return what a paper is ranked by: title, abstract and keywords, each a paragraph, each at most `LONGEST`."""
    parts = (paper.title, paper.abstract[:LONGEST], ". ".join(paper.keywords))
    return "\n\n".join(part for part in parts if part)[:LONGEST]

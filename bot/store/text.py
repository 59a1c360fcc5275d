"""Text as both databases take it, and the keys by which text is found again."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import Any

from recommender.clean import STROKES

ID_LIMIT = 250  # characters of a paper's id: a column holds 300, and a merged paper's key stands behind a prefix

_REFUSED = re.compile("[\x00\ud800-\udfff]")
_LATEX = re.compile(r"\\[a-zA-Z]+\*?|\\[\"'`^~=.]|[$\\]")
_APOSTROPHES = re.compile("['’ʼ`´{}]")
_WORDS = re.compile(r"[^\W_]+")


def storable(text: str) -> str:
    """Return the text without NUL and lone surrogates, which PostgreSQL, JSON and UTF-8 refuse."""
    return _REFUSED.sub("", text)


def short(text: str, limit: int) -> str:
    """Return the storable text if it has at most `limit` characters, else its beginning and its SHA-256.

    Two different texts never become the same one by being cut. The hash has 64 digits, or half of a small `limit`.
    """
    text = storable(text)
    if len(text) <= limit:
        return text
    digest = sha256(text.encode()).hexdigest()[: min(64, limit // 2)]
    return f"{text[: limit - len(digest) - 1]}~{digest}"


def fold(text: str) -> str:
    """Return the text in lower case without accents, with single spaces: what two spellings of a name share."""
    taken_apart = unicodedata.normalize("NFKD", storable(text)).casefold().translate(STROKES)
    kept = "".join(letter for letter in taken_apart if not unicodedata.combining(letter))
    return " ".join(unicodedata.normalize("NFC", kept).split())


def key(text: str, limit: int = 300) -> str:
    """Return the folded text in at most `limit` characters: what a name is found by."""
    return short(fold(text), limit)


def words(text: str) -> list[str]:
    """Return the folded words of a text: letters and digits only, LaTeX commands and apostrophes dropped."""
    return _WORDS.findall(_APOSTROPHES.sub("", fold(_LATEX.sub("", text))))


def title_key(title: str) -> str:
    """Return the normalised title: its folded words, single-spaced, in at most 300 characters."""
    return short(" ".join(words(title)), 300)


def paper_id(text: str) -> str:
    """Return a paper's id as it is stored. One of more than 250 characters keeps its namespace and becomes a hash."""
    text = storable(text)
    if len(text) <= ID_LIMIT:
        return text
    namespace, colon, _ = text.partition(":")
    prefix = f"{namespace}:" if colon and len(namespace) <= 40 else ""
    return f"{prefix}sha256-{sha256(text.encode()).hexdigest()}"


def storable_json(value: Any) -> Any:
    """Return the same plain JSON with storable text, in keys too; tuples become lists."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable_json(name): storable_json(each) for name, each in value.items()}
    return [storable_json(each) for each in value] if isinstance(value, list | tuple) else value

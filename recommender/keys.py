"""Keys of lookups that are no words: the trigrams of titles and the names of authors."""

from __future__ import annotations

from functools import lru_cache

from recommender import text

_MEMO = 1_000_000


class _Keys(dict[str, int]):
    """A string -> the hash of the prefix and the string. Bounded."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, key: str) -> int:
        if len(self) > _MEMO:
            self.clear()
        value = self[key] = text.hash_key(self._prefix + key, text.LOOKUP)
        return value


_grams, _names = _Keys("\0tri "), _Keys("\0name ")


def trigram_keys(plain: str) -> list[int]:
    """Return the lookup keys of the distinct character trigrams of a `text.plain` title, edges included."""
    padded = f" {plain} "
    return [_grams[gram] for gram in {padded[at : at + 3] for at in range(len(padded) - 2)}]


def name_key(*parts: str) -> int:
    """Return the lookup key of a part of a name, or of two parts in any order (all folded)."""
    return _names[" ".join(sorted(parts))]


@lru_cache(200_000)
def author_keys(author: str) -> tuple[int, ...]:
    """Return the keys of each part of a name ("Ada Lovelace" or "Lovelace, Ada"), and of first and last together."""
    last, comma, first = author.partition(",")
    parts = [part for part in text.plain(f"{first} {last}" if comma else author).split() if len(part) > 1]
    keys = [name_key(part) for part in parts]
    if len(parts) > 1:
        keys.append(name_key(parts[0], parts[-1]))
    return tuple(keys)

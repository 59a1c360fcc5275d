"""Names as one types them: all titles, folded, in one line of bytes that is looked through in a millisecond. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from bot.store.text import fold

LOOKED_AT = 2000  # titles with the longest of the words that are looked at for the others


class Titles:
    """Papers (id and title) that are found by words of their titles, case and accents aside; in order of worth."""

    def __init__(self, papers: Iterable[tuple[str, str]] = ()) -> None:
        self._papers: Sequence[tuple[str, str]] = list(papers)
        lines = [b" " + folded(title).encode() for _, title in self._papers]
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._text = b"\n".join([*lines, b""])

    def __len__(self) -> int:
        return len(self._papers)

    def find(self, typed: str, most: int) -> list[tuple[str, str]]:
        """Return at most `most` papers (id, title) whose titles have words that begin as all of these words do.

        Those that go on as was typed come first. Nothing was typed: the first papers.
        """
        words = [word.encode() for word in folded(typed).split()]
        if not words:
            return list(self._papers[:most])
        found = dict.fromkeys(self._lines(b" " + b" ".join(words), most))
        if len(found) < most and len(words) > 1:
            longest = max(words, key=len)
            for line in self._lines(b" " + longest, LOOKED_AT):
                text = self._text[self._starts[line] : self._starts[line + 1]]
                if all(b" " + word in text for word in words):
                    found[line] = None
                if len(found) >= most:
                    break
        return [self._papers[line] for line in list(found)[:most]]

    def _lines(self, part: bytes, most: int) -> Iterator[int]:
        """Give the places of at most `most` titles that hold this part, in their order."""
        at = 0
        for _ in range(most):
            at = self._text.find(part, at)
            if at < 0:
                return
            line = bisect_right(self._starts, at) - 1
            yield line
            at = self._starts[line + 1]


def folded(text: str) -> str:
    """Return a text as titles are looked through: folded, its words of letters and digits with one space between."""
    lower = text.lower() if text.isascii() else fold(text)
    return " ".join("".join(mark if mark.isalnum() else " " for mark in lower).split())


def fits(typed: str, name: str) -> bool:
    """Say whether a name has words that begin as all that were typed."""
    text = f" {folded(name)}"
    return all(f" {word}" in text for word in folded(typed).split())


def matching(typed: str, names: Iterable[str]) -> list[str]:
    """Return the names that fit what was typed, each once, those that begin so themselves first."""
    once: dict[str, str] = {}
    for name in names:
        once.setdefault(folded(name), name)
    begun = folded(typed)
    return sorted((name for name in once.values() if fits(typed, name)), key=lambda n: not folded(n).startswith(begun))

"""What ranks while the chosen ranker fails: the default one, and where that fails too, the newest come first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar

from bot.errors import RankerError
from bot.store.engine import Store
from bot.store.failing import Failing
from bot.store.picks import Picker
from bot.store.wish import Picked, Wish
from recommender.index import Index
from recommender.rankers._base import Base
from recommender.rankers.default import Default
from recommender.types import FloatArray, Interest, Ranker, RowArray

PAUSE = 0.0005  # seconds between two digests in which a person's request gets its turn

P = ParamSpec("P")
T = TypeVar("T")
Make = Callable[[Index], Ranker]


class Newest(Base):
    """Tells nothing apart, so that the newest papers come first and are noted as that. It cannot fail."""

    name = "newest"

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return no part: all scores are 0."""
        del interest, rows
        return {}


class Rankings:
    """One state of the index, ranked by the chosen ranker, and what that fails at by the next that does not.

    Each ranking is tried anew with the chosen one: what fails for one interest may do for all others.
    """

    def __init__(self, store: Store, index: Index, chosen: Make, failing: Failing) -> None:
        self._store, self._index, self._failing = store, index, failing
        self._makes: Sequence[Make] = (chosen, Newest) if chosen is Default else (chosen, Default, Newest)
        self._pickers: dict[int, Picker] = {}

    @property
    def first(self) -> Picker:
        """Return the rankings of the chosen ranker alone. Raises RankerError if it cannot be made."""
        return self._picker(0)

    def pick_many(self, wishes: Sequence[Wish]) -> list[Picked]:
        """Return the digest of each wish. A person's request, from another thread, waits for one of them at most."""
        result = []
        self._failing.begin()
        for wish in wishes:
            result.append(self.ask(_digest, wish))
            time.sleep(PAUSE)  # without it, the thread that gives the lock back is the one that takes it again
        if wishes:
            self._failing.end()
        return result

    def ask(self, fn: Callable[Concatenate[Picker, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `fn` answers, asked of the rankers in turn until one does not fail."""
        for at in range(len(self._makes) - 1):
            try:
                return fn(self._picker(at), *args, **kwargs)
            except RankerError as error:
                self._failing.note(error)
        return fn(self._picker(len(self._makes) - 1), *args, **kwargs)

    def _picker(self, at: int) -> Picker:
        found = self._pickers.get(at)
        if found is None:
            make = self._makes[at]
            try:
                ranker = make(self._index)
            except Exception as error:
                raise RankerError(getattr(make, "name", "") or getattr(make, "__name__", "?"), error) from error
            found = self._pickers[at] = Picker(self._store, self._index, ranker)
        return found


def _digest(picker: Picker, wish: Wish) -> Picked:
    """Return the digest of a wish: where no ranker works, the newest papers are better than none."""
    return picker.pick(replace(wish, loose=True) if picker.ranker == Newest.name else wish)

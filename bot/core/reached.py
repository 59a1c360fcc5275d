"""What is asked of sources when somebody looks a paper up, and what they said. Pure, but for the port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.core.card import clip
from bot.core.plain import plain

BUSY = "Many papers are being looked up just now: please try again in a minute."


@dataclass(frozen=True, slots=True)
class Wish:
    """What sources are asked for: to `find` the paper of a normalised id, or to `look` for words."""

    kind: Literal["find", "look"]
    text: str


@dataclass(frozen=True, slots=True)
class Reached:
    """What came of a wish. `asked` and `failed` are sources, as people call them; who failed was asked too.

    `lists` are the numbers of the papers that are stored now, a list for each source that has any, the best first.
    `busy`: nobody was asked, since too many wait already.
    """

    asked: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    lists: tuple[tuple[int, ...], ...] = ()
    busy: bool = False


class Reach(Protocol):
    """Asks sources for what the store does not have, and keeps what they give.

    `soon` is for how many seconds somebody waits without a word.
    """

    soon: float

    def can(self, wish: Wish) -> bool:
        """Say whether there is a source to be asked."""

    async def ask(self, wish: Wish) -> Reached:
        """Ask, for a bounded time; what is found is stored then. Raises StoreError."""


def not_found(wish: Wish, reached: Reached) -> str:
    """Say that a paper was not found, by whom, and who did not answer."""
    if reached.busy:
        return BUSY
    shown = clip(plain(wish.text.partition(":")[2]), 80)
    silent = f"{named(reached.failed)} did not answer"
    knew = [name for name in reached.asked if name not in reached.failed]
    none = f"{named(knew)} {'knows' if len(knew) == 1 else 'know'} no paper {shown}"
    if not reached.failed:
        return f"{none}."
    return f"{silent}, and {none}. Try again later." if knew else f"{silent} about {shown}. Try again later."


def asked_too(reached: Reached) -> str:
    """Say which sources were asked too, and which of them did not answer."""
    if reached.busy:
        return f"Only what is here. {BUSY}"
    knew = [name for name in reached.asked if name not in reached.failed]
    said = [f"Also asked: {named(knew)}."] if knew else []
    if reached.failed:
        said.append(f"{named(reached.failed)} did not answer.")
    return " ".join(said)


def named(names: Sequence[str]) -> str:
    """Put names in a row: "arXiv, Crossref and OpenAlex"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)

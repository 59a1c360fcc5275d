"""Lookups that reach out: a paper that is not here is asked for where it is, and kept.

What is kept so is no news. Of such a paper nobody can tell when it came, so it counts from the day it came out; see
`bot.store.records.add`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import structlog

from bot.core.digest import spoken
from bot.core.reached import Reached, Wish
from bot.errors import SourceError
from bot.store import papers, records
from bot.store.engine import Store
from bot.store.library import Library
from recommender.types import Paper

# Who is asked first: whoever publishes, then archives, then collectors. What plug-ins bring comes last.
ORDER = ("arxiv", "openreview", "acl", "biorxiv", "medrxiv", "crossref", "openalex", "semanticscholar")
HOMES = {"arxiv": "arxiv", "openreview": "openreview", "acl": "acl", "s2": "semanticscholar"}  # who gives such ids
LOOKS = ("arxiv", "semanticscholar", "openalex")  # who is asked for words, all at the same time
PREPRINTS = ("biorxiv", "medrxiv")  # these know DOIs of their own only
PREPRINT_DOIS = ("doi:10.1101/", "doi:10.64898/")
MOST = 10  # papers of each source for some words
SOON, EACH, WITHIN, REMEMBER = 2.4, 8.0, 20.0, 60.0  # seconds: see `Reach`
AT_ONCE, IN_LINE = 4, 40  # lookups that are at work, and with those that wait
KNOWN = 1000  # answers that are remembered, at most
CHANGES = 300  # papers that one lookup brings into the index, at most

Keep = Callable[[str, Sequence[Paper]], Awaitable[list[int]]]
_Asked = Sequence[tuple[str, Any]]  # sources, by the name that their papers are stored under
_Answers = dict[str, list[Paper] | None]  # of each source that was asked; None: it did not answer
log = structlog.get_logger()


class Reach:
    """Asks kinds of sources, by module name, with `http`; `keep` stores what the source of this name gave.

    The same thing is asked once, however many people ask for it at once, and again only after `remember` seconds.
    A source is given up after `each` seconds, and everything after `within`. All of it is for one event loop.
    """

    def __init__(
        self,
        kinds: Mapping[str, Any],
        http: Any,
        keep: Keep,
        *,
        soon: float = SOON,
        each: float = EACH,
        within: float = WITHIN,
        remember: float = REMEMBER,
    ) -> None:
        self.soon = soon
        self._kinds = _in_order(kinds)
        self._http = http
        self._keep = keep
        self._each, self._within, self._remember = each, within, remember
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._at_work: dict[Wish, asyncio.Task[Reached]] = {}
        self._known: dict[Wish, tuple[float, Reached]] = {}

    def can(self, wish: Wish) -> bool:
        """Say whether there is a source to be asked."""
        return bool(self._whom(wish))

    async def ask(self, wish: Wish) -> Reached:
        """Ask for something, for a bounded time, and keep what is found. Raises StoreError."""
        loop = asyncio.get_running_loop()
        until, known = self._known.get(wish, (0.0, Reached()))
        if loop.time() < until:
            return known
        task = self._at_work.get(wish)
        if task is None:
            if len(self._at_work) >= IN_LINE:
                return Reached(busy=True)
            task = self._at_work[wish] = loop.create_task(self._asked(wish))
            task.add_done_callback(partial(self._done, wish))
        return await asyncio.shield(task)  # others may wait for it too

    async def close(self) -> None:
        """Give up what is at work."""
        tasks = list(self._at_work.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, wish: Wish, task: asyncio.Task[Reached]) -> None:
        """Remember an answer. Whoever did not answer is asked again when somebody wants to know again."""
        self._at_work.pop(wish, None)
        if task.cancelled() or task.exception() is not None or task.result().failed:
            return
        self._known.pop(wish, None)
        self._known[wish] = (task.get_loop().time() + self._remember, task.result())
        if len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]

    def _whom(self, wish: Wish) -> _Asked:
        """Return the sources to be asked, the first first."""
        if wish.kind == "look":
            return [(name, kind) for name, kind in self._kinds if name in LOOKS and hasattr(kind, "look")]
        namespace = wish.text.partition(":")[0]
        able = [(name, kind) for name, kind in self._kinds if namespace in getattr(kind, "finds", ())]
        if namespace == "doi":
            theirs = wish.text.startswith(PREPRINT_DOIS)
            able = [one for one in able if theirs or one[0] not in PREPRINTS]
            able.sort(key=lambda one: one[0] not in PREPRINTS)
        return able

    async def _asked(self, wish: Wish) -> Reached:
        asked = self._whom(wish)
        answers: _Answers = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._within), self._turns:
                await (self._look if wish.kind == "look" else self._find)(wish.text, asked, answers)
        found = [(name, given) for name, given in answers.items() if given]
        failed = [name for name, given in answers.items() if given is None]
        if wish.kind == "find" and found:
            failed = []  # whoever has it is enough
        lists = [tuple(await self._keep(name, given)) for name, given in found]
        return Reached(tuple(map(spoken, answers)), tuple(map(spoken, failed)), tuple(filter(None, lists)))

    async def _find(self, id_: str, asked: _Asked, answers: _Answers) -> None:
        """Ask one source after the other until one has the paper, or the one that gave the id knows no such paper."""
        home = HOMES.get(id_.partition(":")[0])

        async def given(kind: Any) -> list[Paper]:
            paper = await kind.find(id_, self._http)
            return [] if paper is None else [paper]

        for name, kind in asked:
            answers[name] = None
            answers[name] = said = await self._answer(name, given(kind))
            if said or (said is not None and name == home):
                return

    async def _look(self, words: str, asked: _Asked, answers: _Answers) -> None:
        """Ask all sources at the same time. What has come when the time is over counts."""

        async def one(name: str, kind: Any) -> None:
            answers[name] = await self._answer(name, kind.look(words, MOST, self._http))

        async with asyncio.TaskGroup() as group:
            for name, kind in asked:
                answers[name] = None
                group.create_task(one(name, kind))

    async def _answer(self, name: str, answer: Awaitable[Sequence[Paper]]) -> list[Paper] | None:
        """Return what a source answers; None if it does not."""
        try:
            async with asyncio.timeout(self._each):
                return list(await answer)[:MOST]
        except SourceError as error:
            log.warning("a lookup was not answered", source=name, reason=str(error))
        except TimeoutError:
            log.warning("a lookup was not answered", source=name, reason="too slow")
        except Exception:
            log.exception("a source has a fault", source=name)
        return None


def keeper(store: Store, library: Library) -> Keep:
    """Return what stores papers as a source tells them, brings them into the index, and returns their numbers."""

    def stored(source: str, given: Sequence[Paper]) -> list[int]:
        with store.writing() as conn:
            records.add(conn, given, source, store.clock(conn), asked=True)
            numbers = [papers.by_id(conn, paper.id) for paper in given]
        library.update(most=CHANGES)
        return list(dict.fromkeys(number for number in numbers if number is not None))

    async def keep(source: str, given: Sequence[Paper]) -> list[int]:
        return await asyncio.to_thread(stored, source, given)

    return keep


def _in_order(kinds: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the sources by their own names, in the order in which they are asked."""
    named = [(str(getattr(kind, "name", module)), kind) for module, kind in kinds.items()]
    places = {name: place for place, name in enumerate(ORDER)}
    return sorted(named, key=lambda one: (places.get(one[0], len(ORDER)), one[0]))

"""Lookups that reach out: a paper that is not here is asked for where it is, and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import structlog

from bot.core.digest import spoken
from bot.core.hurry import hurry
from bot.core.reached import Reached, Wish
from bot.errors import SourceError
from bot.jobs.keeper import Keep
from bot.jobs.whom import Asked, in_order, is_home, whom
from recommender.types import Paper

MOST = 10  # papers of each source for some words
SOON, EACH, WITHIN, REMEMBER = 2.4, 8.0, 20.0, 60.0  # seconds: see `Reach`
AT_ONCE, IN_LINE = 4, 40  # lookups that are at work, and with those that wait
KNOWN = 1000  # answers that are remembered, at most
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
        self._kinds = in_order(kinds)
        self._http = http
        self._keep = keep
        self._each, self._within, self._remember = each, within, remember
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._at_work: dict[Wish, asyncio.Task[Reached]] = {}
        self._known: dict[Wish, tuple[float, Reached]] = {}

    def can(self, wish: Wish) -> bool:
        """Say whether there is a source to be asked."""
        return bool(whom(self._kinds, wish))

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
        if task.cancelled() or task.exception() is not None or task.result().failed or task.result().busy:
            return
        self._known.pop(wish, None)
        self._known[wish] = (task.get_loop().time() + self._remember, task.result())
        if len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]

    async def _asked(self, wish: Wish) -> Reached:
        asked = whom(self._kinds, wish)
        answers: _Answers = {}
        with suppress(TimeoutError), hurry():
            async with asyncio.timeout(self._within), self._turns:
                await (self._look if wish.kind == "look" else self._find)(wish.text, asked, answers)
        if asked and not answers:  # the time was over before it had a turn
            return Reached(busy=True)
        found = [(name, given) for name, given in answers.items() if given]
        failed = [name for name, given in answers.items() if given is None]
        if wish.kind == "find" and found:
            failed = []  # whoever has it is enough
        lists = [tuple(await self._keep(name, given)) for name, given in found]
        return Reached(tuple(map(spoken, answers)), tuple(map(spoken, failed)), tuple(filter(None, lists)))

    async def _find(self, id_: str, asked: Asked, answers: _Answers) -> None:
        """Ask one source after the other until one has the paper, or the one that gave the id knows no such paper."""

        async def given(kind: Any) -> list[Paper]:
            paper = await kind.find(id_, self._http)
            return [] if paper is None else [paper]

        for name, kind in asked:
            answers[name] = None
            answers[name] = said = await self._answer(name, given(kind))
            if said or (said is not None and is_home(name, id_)):
                return

    async def _look(self, words: str, asked: Asked, answers: _Answers) -> None:
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

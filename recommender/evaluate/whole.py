"""Everything that can be evaluated, one outcome after the other; what they share is read and counted once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from recommender.evaluate import known, topics
from recommender.evaluate.background import Background
from recommender.evaluate.embedded import Embeds
from recommender.evaluate.folder import load
from recommender.evaluate.jsonl import BadSetError, corpus, stem
from recommender.evaluate.run import SEEDS, Protocol, run
from recommender.evaluate.scoring import DEFAULT, Maker
from recommender.evaluate.table import Told, telling
from recommender.evaluate.task import Task

MADE = (topics.NAME, known.NAME)
"""What is made from the corpora, by the names that stand for folders."""

SEARCHED = f"`{DEFAULT}` is the search here."
KEYWORDS_OF = "iclr2026"
"""The corpus whose keywords are the topic words; the first one if it is not there."""


@dataclass(frozen=True)
class Whole:
    """What to evaluate: folders of sets or names of `MADE`, by which rankers, on which corpora, how."""

    folders: Sequence[str]
    corpora: Sequence[Path]
    makers: Mapping[str, Maker]
    protocols: Sequence[Protocol] = (Protocol.DEPLOYED,)
    seeds: Sequence[int] = SEEDS
    tell: Callable[[str], None] = lambda _: None
    embeds: Embeds | None = None

    @cached_property
    def background(self) -> Background:
        """Return the corpora, counted. Raises BadSetError."""
        if not self.corpora:
            self.tell("No corpora: fitted on the papers of the profiles only. To give some: --corpus FILE")
        began = time.monotonic()
        made = Background(corpus(self.corpora))
        self.tell(f"{len(made.papers):,} papers of the corpora counted in {time.monotonic() - began:.0f} s")
        return made

    def outcomes(self) -> Iterator[Told]:
        """Yield the outcome of each set and protocol. Raises BadSetError, before anything is ranked for all sets."""
        read = [None if self._made(one) else load(Path(one)) for one in self.folders]
        for name, task in zip(self.folders, read, strict=True):
            if task is not None:
                again = sum(other is not None and other.name == task.name for other in read) > 1
                yield from self._task(replace(task, name=name) if again else task)
            elif name == topics.NAME:
                yield from self._task(self._topics())
            else:
                yield from self._known()

    def _made(self, name: str) -> bool:
        return name in MADE and not Path(name).is_dir()

    def _task(self, task: Task) -> Iterator[Told]:
        for remark in task.remarks:
            self.tell(f"{task.name}: {remark}")
        for protocol in self.protocols:
            how = (self.seeds, protocol, self.tell)
            found = run(task, self.background, self.makers, *how, embeds=self.embeds)
            name = task.name if protocol is Protocol.DEPLOYED else f"{task.name} ({protocol.value})"
            yield Told(replace(found, name=name), telling(task), SEARCHED if task.searched else "")

    def _topics(self) -> Task:
        """Return the topic words. Raises BadSetError if there is no corpus."""
        files = [file for file in self.corpora if stem(file) == KEYWORDS_OF] or list(self.corpora)
        task = topics.topic_words(corpus(files[:1]))
        if not task.cases:
            raise BadSetError(f"{topics.NAME} needs a corpus with keywords that ten papers hold: --corpus FILE")
        return task

    def _known(self) -> Iterator[Told]:
        """Yield the known items, if `default` is asked for: what it does there is the search."""
        if DEFAULT not in self.makers:
            self.tell(f"{known.NAME}: left out, since it is the search that is measured; add --ranker {DEFAULT}")
            return
        background = self.background
        if not background.papers:
            raise BadSetError(f"{known.NAME} needs a corpus: --corpus FILE")
        for outcome in known.known_items(background.index, background.papers, self.seeds[0]):
            self.tell(f"{outcome.name}: done")
            yield Told(outcome, known.METRICS, SEARCHED)

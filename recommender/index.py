"""The corpus: raw counts and postings in immutable segments, mapped from disk, and a basis that only a fit changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from math import log10
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender import basis, files, flat, near, segment, stored, text
from recommender.dense import Dense
from recommender.segment import Segment
from recommender.stored import Part, State
from recommender.types import FloatArray, Paper, RowArray


class Index:
    """Papers that can be ranked and looked up.

    `folder` holds the index on disk and may be shared by processes: one writes at a time, readers keep what they
    opened until `refresh`. Without a folder everything is in memory. A folder that is damaged, cut, or of another
    version counts as empty (`last` is 0 and `damaged` says why), so that the caller rebuilds it from the database.
    With `folder` set to None later, it goes on in memory from what it holds, whatever becomes of the folder.
    `seed` is where the chance in fits and samples starts, `dense` may hold more vectors; neither is stored.

    Rows are numbers from 0 to `n_rows` - 1; a `fit` renumbers them and raises `generation`. Removed papers keep their
    rows until then. `last` is the highest change number that the caller says it holds.

    A thread must not read while another writes: let the writer work on a `copy.copy` of the index, which is cheap and
    leaves the original as it is, and put the copy in its place.
    """

    dense: Dense | None = None
    _df: NDArray[np.int32] | None
    _ids: list[str] | None
    _places: dict[str, int] | None
    _speller: near.Speller | None

    def __init__(self, folder: Path | None = None, seed: int = 0) -> None:
        self.folder, self.seed = folder, seed
        self._reset(1)
        self.damaged = ""
        if folder is not None:
            self._open()

    # --- what the caller reads

    @property
    def generation(self) -> int:
        """Return a number that rises whenever rows are renumbered or the basis changes."""
        return self._state.generation

    @property
    def last(self) -> int:
        """Return the highest change number that the caller said the index holds; 0 for none."""
        return self._state.last

    @property
    def fitted(self) -> int:
        """Return the number of rows that the basis was learnt from; 0 before the first fit."""
        return self._state.fitted

    @property
    def n_rows(self) -> int:
        """Return the number of rows, removed papers included."""
        return len(self._live)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Return which rows hold a live paper, shape (n_rows,)."""
        return self._live

    @property
    def n_terms(self) -> int:
        """Return the number of terms (columns) that any row has held in this generation."""
        return self._n_terms

    @property
    def parts(self) -> list[Part]:
        """Return the segments in order of rows, for lookups."""
        return self._state.parts

    def __len__(self) -> int:
        """Return the number of live papers."""
        return self.n_rows - len(self._state.dead)

    def ids(self, rows: Sequence[int] | RowArray) -> list[str]:
        """Return the ids of rows."""
        if self._ids is None:
            self._ids = [one for part in self._state.parts for one in part.data.ids()]
        return [self._ids[int(row)] for row in rows]

    def rows(self, ids: Sequence[str]) -> RowArray:
        """Return the row of each id, -1 where it is unknown or removed."""
        if self._places is None:
            names = self.ids(range(self.n_rows))
            self._places = {names[row]: row for row in np.flatnonzero(self._live).tolist()}
        return np.array([self._places.get(one, -1) for one in ids], np.int64)

    def counts(self, rows: RowArray | Sequence[int]) -> csr_matrix:
        """Return raw term counts of rows, float32 (len(rows), n_terms), columns sorted within each row."""
        wanted = np.asarray(rows, np.int64)
        lengths = np.zeros(len(wanted), np.int64)
        places = list(self._places_of(wanted))
        for part, at in places:
            local = wanted[at] - part.row
            lengths[at] = part.data.indptr[local + 1] - part.data.indptr[local]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        cols, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
        for part, at in places:
            source, _ = flat.spans(part.data.indptr, wanted[at] - part.row)
            target, _ = flat.spans(indptr, at)
            cols[target], values[target] = part.data.cols[source], part.data.counts[source]
        matrix = csr_matrix((values, cols, indptr), shape=(len(wanted), self._n_terms))
        matrix.has_sorted_indices = True
        return matrix

    @property
    def df(self) -> NDArray[np.int32]:
        """Return the document frequency of each term over live rows, int32 (n_terms,)."""
        if self._df is None or len(self._df) < self._n_terms:
            df = np.zeros(self._n_terms, np.int32)
            for part in self._state.parts:
                df += flat.frequencies(part.data.cols, self._n_terms)
            if self._state.dead:
                df -= flat.frequencies(self.counts(self._state.dead).indices, self._n_terms)
            self._df = df
        return self._df

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each term in order of columns, (n_terms,)."""
        return np.concatenate([np.zeros(0, np.uint64)] + [part.data.hashes for part in self.parts])

    def columns(self, hashes: NDArray[np.uint64]) -> RowArray:
        """Return the column of each hash, -1 where no paper has used that term."""
        found = np.full(len(hashes), -1, np.int64)
        for part in self._state.parts:
            held, order = part.data.hashes, part.data.order
            if len(held) and len(hashes):
                at = np.searchsorted(held, hashes, sorter=order)
                at[at == len(held)] = 0
                columns = order[at]
                hit = held[columns] == hashes
                found[hit] = columns[hit] + part.column
        return found

    def vectorise(self, texts: Sequence[str]) -> csr_matrix:
        """Return raw counts of texts, float32 (len(texts), n_terms); unknown terms are dropped.

        A text that is the name of a category (in any spelling) also gets that category's term.
        """
        hashes = [np.append(text.term_hashes(one), np.uint64(text.area_hash(one))) for one in texts]
        cols = self.columns(np.concatenate([np.zeros(0, np.uint64), *hashes]))
        rows = np.repeat(np.arange(len(texts)), [len(one) for one in hashes])
        known = cols >= 0
        ones = np.ones(int(known.sum()), np.float32)
        return csr_matrix((ones, (rows[known], cols[known])), shape=(len(texts), self._n_terms))

    @property
    def k(self) -> int:
        """Return the number of latent components; 0 before the first fit and for tiny corpora."""
        return self._state.basis.k

    def lsa(self, rows: RowArray | Sequence[int]) -> FloatArray:
        """Return latent coordinates of rows, (len(rows), k), of unit length or zero."""
        wanted = np.asarray(rows, np.int64)
        result = np.zeros((len(wanted), self.k), np.float32)
        for part, at in self._places_of(wanted):
            result[at] = part.data.lsa[wanted[at] - part.row]
        return result

    def project(self, counts: csr_matrix) -> FloatArray:
        """Return latent coordinates of raw counts (n, n_terms), (n, k), of unit length or zero."""
        return self._state.basis.project(counts)

    def sample(self, n: int = 300, seed: int = 0) -> RowArray:
        """Return up to n live rows, sorted, the same for a generation that was fitted on n papers or more."""
        pool = self._state.fitted if self._state.fitted >= n else self.n_rows
        drawn = np.random.default_rng([seed + self.seed, self.generation]).permutation(pool)
        return np.sort(drawn[self._live[drawn]][:n])

    def nearest_words(self, word: str, k: int = 5) -> list[str]:
        """Return up to k words that live papers use and that are spelt like `word`, the likeliest first.

        A word that ten times as many papers use may be half an edit further away.
        """
        if self._speller is None:
            self._speller = near.Speller(sorted(set().union(*(part.data.words() for part in self._state.parts))))
        found = self._speller.nearest(text.fold(text.clean(word)))
        columns = self.columns(text.hash_terms([text.stem(one) for one, _ in found]))
        used = [int(self.df[column]) if column >= 0 else 0 for column in columns.tolist()]
        pairs = [(edits - log10(count) / 2, one) for (one, edits), count in zip(found, used, strict=True) if count > 0]
        return [one for _, one in sorted(pairs)[:k]]

    # --- what the caller writes

    def append(self, papers: Sequence[Paper], last: int = 0) -> None:
        """Add papers without learning: their words count at once, the basis stays.

        A paper whose id is live already replaces it, within one batch too. In a folder, what another process wrote
        is read first. Raises OSError if the folder cannot be written.
        """
        with self._writing():
            if papers:
                self._add(segment.build(papers, self.columns, self._n_terms))
            self._state.last = max(self.last, last)
            self._save()

    def remove(self, ids: Sequence[str], last: int = 0) -> None:
        """Forget papers; unknown ids are ignored. Raises OSError if the folder cannot be written."""
        with self._writing():
            self._bury([row for row in self.rows(ids).tolist() if row >= 0])
            self._state.last = max(self.last, last)
            self._save()

    def clear(self, above: int = 0) -> None:
        """Forget everything, in a generation above this one, with `last` 0. Raises OSError as `append` does."""
        with self._writing():
            self._reset(self._next(above))
            self._save()

    def fit(self, above: int = 0) -> None:
        """Compact all segments into a new generation, renumber the rows and learn the basis: rare, in the background.

        The generation is above this one: what the caller has of an index that is gone may be of a high one.
        Raises OSError if the folder cannot be written.
        """
        with self._writing():
            parts, live, hashes, last = self._state.parts, self._live, self.hashes, self.last
            self._reset(self._next(above))
            self._state.last = last
            if live.any():
                keep = [live[part.row : part.row + len(part.data)] for part in parts]
                self._hold(Part(segment.renumber(segment.merge([part.data for part in parts], keep), hashes), 0, 0))
                del parts
                counts = self.counts(np.arange(self.n_rows))
                self._state.basis = basis.learn(counts, self.df, self.hashes, self.seed)
                self._locate()
            self._state.fitted = self.n_rows
            self._save()

    def refresh(self) -> bool:
        """Read what another process has written since; return whether anything changed."""
        if self.folder is None:
            return False
        try:
            changed = files.read_manifest(self.folder) != self._state.manifest
        except files.DamagedError as error:
            changed = str(error) != self.damaged
        if changed:
            self._open()
        return changed

    def _reset(self, generation: int) -> None:
        """Hold nothing."""
        self._state = State(generation)
        self._n_terms = 0
        self._live = np.zeros(0, np.bool_)
        self._df = self._ids = self._places = self._speller = None

    def _hold(self, part: Part) -> None:
        """Put a part behind the others."""
        self._state.parts.append(part)
        self._n_terms += len(part.data.hashes)
        self._live = np.concatenate([self._live, np.ones(len(part.data), np.bool_)])

    def _locate(self) -> None:
        """Give the last part its latent coordinates."""
        part = self._state.parts[-1]
        rows = np.arange(part.row, part.row + len(part.data))
        self._state.parts[-1] = replace(part, data=part.data.with_lsa(self._state.basis.project(self.counts(rows))))

    def _add(self, fresh: Segment) -> None:
        """Hold a new segment, bury what it replaces and keep the number of segments logarithmic."""
        first, names, df = self.n_rows, fresh.ids(), self._df
        newest = {name: first + at for at, name in enumerate(names)}
        replaced = [row for row in self.rows(list(newest)).tolist() if row >= 0]
        replaced += [first + at for at, name in enumerate(names) if newest[name] != first + at]
        places = {**(self._places or {}), **newest}
        self._hold(Part(fresh, first, self._n_terms))
        self._locate()
        self._speller = None
        self._ids = [*(self._ids or ()), *names]
        if df is not None:
            self._df = np.pad(df, (0, self._n_terms - len(df))) + flat.frequencies(fresh.cols, self._n_terms)
        self._bury(replaced)
        self._places = places
        stored.compact(self._state.parts)

    def _bury(self, rows: Sequence[int]) -> None:
        if rows:
            if self._df is not None:
                self._df = self._df - flat.frequencies(self.counts(rows).indices, self._n_terms)
            self._live = self._live.copy()
            self._live[list(rows)] = False
            self._state.dead = sorted({*self._state.dead, *rows})
            self._places = None

    def _places_of(self, rows: RowArray) -> Iterator[tuple[Part, RowArray]]:
        """Yield each segment with the places in `rows` that it holds."""
        for part in self._state.parts:
            at = np.flatnonzero((rows >= part.row) & (rows < part.row + len(part.data)))
            if len(at):
                yield part, at

    def _next(self, above: int = 0) -> int:
        """Return a generation that nobody has seen."""
        unused = files.next_generation(self.folder) if self.folder is not None else 0
        return max(unused, self.generation + 1, above + 1)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock, start from what is on disk, and put everything back if the writing fails."""
        with files.locked(self.folder) if self.folder is not None else nullcontext():
            self.refresh()
            before = self.__dict__.copy()
            self._state = replace(self._state, parts=[*self._state.parts])
            try:
                yield
            except BaseException:
                self.__dict__.update(before)
                raise

    def _open(self) -> None:
        """Take over what is on disk, or count as empty under a generation that no reader has seen."""
        assert self.folder is not None  # noqa: S101  only an index with a folder comes here
        try:
            state = stored.load(self.folder)
        except files.DamagedError as error:
            self._reset(self._next())
            self.damaged = str(error)
            return
        self.damaged = ""
        self._reset(state.generation)
        parts, state.parts = state.parts, []
        self._state = state
        for part in parts:
            self._hold(part)
        self._live[state.dead] = False

    def _save(self) -> None:
        if self.folder is not None:
            self._state = stored.save(self.folder, self._state)
            self.damaged = ""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recommender import flat
from recommender.inverted import Lists, invert, join

few = st.integers(0, 9)
entries = st.dictionaries(st.tuples(few, st.integers(0, 5)), st.integers(0, 255), max_size=30)


def inverted(held: dict[tuple[int, int], int]) -> Lists:
    keys = np.array(sorted({key for key, _ in held}, key=lambda key: key * 7 % 10), np.uint64)
    places = np.array([keys.tolist().index(key) for key, _ in held], np.int64)
    return invert(keys, places, np.array([row for _, row in held], np.int64), np.array([*held.values()], np.int64))


def read(lists: Lists) -> dict[int, list[tuple[int, int]]]:
    pairs = list(zip(lists.rows.tolist(), lists.weights.tolist(), strict=True))
    spans = zip(lists.ptr[:-1].tolist(), lists.ptr[1:].tolist(), strict=True)
    return {key: pairs[start:end] for key, (start, end) in zip(lists.keys.tolist(), spans, strict=True)}


def by_key(held: dict[tuple[int, int], int]) -> dict[int, list[tuple[int, int]]]:
    result = defaultdict(list)
    for (key, row), weight in sorted(held.items()):
        result[key].append((row, weight))
    return dict(result)


@given(entries, entries, st.lists(st.booleans(), min_size=6, max_size=6))
def test_inverted_lists_hold_what_was_put_in(
    first: dict[tuple[int, int], int], second: dict[tuple[int, int], int], mask: list[bool]
) -> None:
    one, two = inverted(first), inverted(second)
    assert read(one) == by_key(first)
    assert read(join([one, two], [6, 6])) == by_key(
        first | {(key, row + 6): held for (key, row), held in second.items()}
    )
    numbers = (np.cumsum(mask) - 1).tolist()
    assert read(one.kept(np.array(mask))) == by_key(
        {(key, numbers[row]): held for (key, row), held in first.items() if mask[row]}
    )


@given(st.lists(few))
def test_distinct_is_what_numpy_says(values: list[int]) -> None:
    found, places = flat.distinct(np.array(values, np.uint64))
    wanted, inverse = np.unique(np.array(values, np.uint64), return_inverse=True)
    assert found.tolist() == wanted.tolist()
    assert places.tolist() == inverse.tolist()


def test_rows_are_sorted_and_taken_whatever_the_blocks() -> None:
    rng = np.random.default_rng(0)
    sizes = np.concatenate([rng.integers(0, 4, 70_000), [200_000, 0, 150_000, 3]])  # more than one block of either kind
    indptr = flat.pointers(sizes)
    cols = rng.integers(0, 2**31 - 1, indptr[-1]).astype(np.int32)
    counts = (cols % 65_536).astype(np.uint16)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((cols, rows))
    wanted = cols[order]
    flat.sort_rows(indptr, cols, counts)
    assert np.array_equal(cols, wanted)
    assert np.array_equal(counts, wanted % 65_536)
    some = rng.permutation(len(sizes))
    places, lengths = flat.spans(indptr, some)
    ends, (taken,) = flat.taken(indptr, some, [cols])
    assert np.array_equal(taken, cols[places])
    assert np.array_equal(np.diff(ends), lengths)

"""The snapshot of dense vectors that rankers compare by."""

from __future__ import annotations

import numpy as np
import pytest

from recommender.dense import Dense, key_of, text_of


def test_vectors_come_back_by_id_and_zeros_where_there_are_none() -> None:
    dense = Dense().joined(["a", "b"], np.eye(2, dtype=np.float32), {})
    assert dense.of(["b", "x", "a"]).tolist() == [[0, 1], [0, 0], [1, 0]]
    assert dense.of(["b"]).dtype == np.float32
    assert dense.of([]).shape == (0, 2)
    assert Dense().of(["a"]).shape == (1, 0)


def test_what_comes_later_replaces_and_leaves_the_old_one_as_it_is() -> None:
    first = Dense().joined(["a", "b"], np.eye(2, dtype=np.float32), {})
    second = first.joined(["b", "c"], np.array([[1, 0], [0, 1]], np.float32), {"graphs": np.array([1, 0], np.float32)})
    assert first.of(["b"]).tolist() == [[0, 1]]
    assert second.of(["a", "b", "c"]).tolist() == [[1, 0], [1, 0], [0, 1]]
    assert second.about(["trees", "graphs"]).tolist() == [[1, 0]]
    assert second.about(["trees"]).shape == (0, 2)


def test_a_topic_may_come_first() -> None:
    topics = Dense().joined([], np.zeros((0, 0), np.float32), {"graphs": np.array([1, 0, 0], np.float32)})
    assert topics.about(["graphs"]).shape == (1, 3)
    assert topics.joined(["a"], np.ones((1, 3), np.float32), {}).of(["a", "b"]).tolist() == [[1, 1, 1], [0, 0, 0]]


def test_vectors_of_another_length_are_refused() -> None:
    dense = Dense().joined(["a"], np.ones((1, 3), np.float32), {})
    with pytest.raises(ValueError, match="dimension"):
        dense.joined(["b"], np.ones((1, 4), np.float32), {})
    with pytest.raises(ValueError, match="3 numbers"):
        dense.joined([], np.zeros((0, 0), np.float32), {"graphs": np.ones(4, np.float32)})


def test_two_bytes_a_number() -> None:
    assert Dense().joined(["a"] * 10, np.ones((10, 384), np.float32), {}).matrix.nbytes == 10 * 384 * 2


def test_a_text_is_known_by_its_content() -> None:
    assert text_of(" On graphs ", "Nodes. \n") == "On graphs. Nodes."
    assert key_of("a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    assert len(key_of("\ud800")) == 64

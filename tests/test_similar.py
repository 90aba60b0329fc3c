"""Nearest nodes against a full sort of all cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.similar import nearest


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(1, 12), st.integers(1, 50), st.integers(0, 99))
def test_nearest_are_those_of_a_full_sort(n: int, k: int, block: int, seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=(n, 6))
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1)[:, : min(k, n - 1)]
    found, values = nearest(z, k, block)
    assert found.shape == (n, min(k, n - 1))
    assert np.allclose(values, np.take_along_axis(cosines, order, axis=1), atol=1e-5)
    assert np.allclose(np.take_along_axis(cosines, found, axis=1), values, atol=1e-5)
    assert all(len(set(row)) == len(row) for row in found.tolist())


def test_scale_of_a_row_does_not_matter() -> None:
    z = np.random.default_rng(0).normal(size=(20, 4))
    scaled = z * np.arange(1, 21)[:, None]
    assert np.array_equal(nearest(z, 3)[0], nearest(scaled, 3)[0])


def test_twins_are_nearest_to_each_other_and_never_to_themselves() -> None:
    z = np.repeat(np.eye(5), 2, axis=0)
    found, values = nearest(z, 1)
    assert found[:, 0].tolist() == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
    assert values == pytest.approx(1.0)


def test_row_of_zeros_is_no_nearer_to_one_than_to_another() -> None:
    found, values = nearest(np.concatenate([np.zeros((1, 3)), np.eye(3)]), 3)
    assert values[0].tolist() == [0.0, 0.0, 0.0]
    assert sorted(found[0].tolist()) == [1, 2, 3]


def test_single_node_has_no_other() -> None:
    found, values = nearest(np.ones((1, 3)), 5)
    assert found.shape == values.shape == (1, 0)

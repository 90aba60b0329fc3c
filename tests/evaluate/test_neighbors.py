"""Nearest neighbors against scikit-learn, whatever the blocks."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from homogcl.core.errors import UserError
from homogcl.evaluate.neighbors import nearest_neighbors


@given(st.integers(2, 40), st.integers(1, 45), st.integers(1, 50), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_neighbors_are_those_of_scikit_learn(n: int, k: int, block: int, seed: int) -> None:
    z = np.random.default_rng(seed).standard_normal((n, 5))
    indices, cosines = nearest_neighbors(z, k, block=block)
    count = min(k, n - 1)
    oracle = NearestNeighbors(n_neighbors=count, metric="cosine", algorithm="brute").fit(z)
    distances, expected = oracle.kneighbors()
    assert indices.shape == cosines.shape == (n, count)
    np.testing.assert_array_equal(indices.numpy(), expected)
    np.testing.assert_allclose(cosines.numpy(), 1 - distances, atol=1e-9)


def test_asking_nodes_alone_get_the_rows_of_all() -> None:
    z = torch.randn(30, 4, generator=torch.Generator().manual_seed(0))
    asking = torch.tensor([7, 3, 7])
    every, cosines = nearest_neighbors(z, 6)
    indices, near = nearest_neighbors(z, 6, asking, block=2)
    assert torch.equal(indices, every[asking])
    assert torch.allclose(near, cosines[asking])


def test_a_twin_is_found_and_the_node_itself_is_not() -> None:
    z = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    indices, cosines = nearest_neighbors(z, 1)
    assert indices[:2].flatten().tolist() == [1, 0]
    assert cosines[:2].flatten().tolist() == [1.0, 1.0]
    assert int(indices[3]) != 3


@pytest.mark.parametrize(("k", "nodes", "says"), [(0, [0], "k = 0"), (1, [5], "from 0 to 3")])
def test_what_cannot_be_asked_is_refused(k: int, nodes: list[int], says: str) -> None:
    with pytest.raises(UserError, match=says):
        nearest_neighbors(torch.eye(4), k, torch.tensor(nodes))

"""Graphs in arrays: both orientations, adjacency matrices, and one line on what is wrong."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.held.arrays import from_array, from_mapping, from_pair, from_sparse, pairs_of

EDGES = np.array([[0, 1, 2], [1, 2, 3]])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=20))
def test_both_orientations_hold_the_same_edges(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs)
    for array in (rows, rows.T, torch.tensor(rows), rows.astype(float), rows.astype(np.uint8)):
        assert pairs_of(array).tolist() == rows.T.tolist()


def test_two_edges_are_taken_as_they_stand() -> None:
    assert pairs_of([[0, 1], [2, 3]]).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    "array", [np.ones(4), np.ones((3, 3)), np.array([[0.5, 1], [1, 2]]), np.array([["a", "b"]])]
)
def test_what_holds_no_edges_is_refused(array: Any) -> None:
    with pytest.raises(UserError, match=r"\[2, E\] or \[E, 2\]; found .* of shape"):
        pairs_of(array)


def test_entries_of_a_matrix_are_weights_unless_all_are_one() -> None:
    ones = scipy.sparse.coo_array(([1, 1, 1, 0], ([0, 1, 2, 3], [1, 2, 3, 0])), shape=(5, 5))
    content = from_sparse(ones)
    assert content.weight is None
    assert content.pairs.tolist() == EDGES.tolist()
    assert content.ids == [0, 1, 2, 3, 4]
    twice = from_sparse(2.5 * scipy.sparse.csr_matrix(ones))
    assert twice.weight is not None
    assert twice.weight.tolist() == [2.5, 2.5, 2.5]
    by_torch = from_array(
        torch.sparse_coo_tensor(torch.from_numpy(EDGES), [1.0, 1, 3], (5, 5)).to_sparse_csr()
    )
    assert by_torch.weight is not None
    assert by_torch.weight.tolist() == [1, 1, 3]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"edge_index": -EDGES}, "joins node 0 to node -1"),
        ({"edge_index": EDGES, "x": np.ones((3, 2))}, "nodes are numbered from 0 to 2"),
        ({"edge_index": EDGES, "x": np.ones(4)}, r"numbers of shape \[nodes, features\]"),
        ({"edge_index": EDGES, "x": np.full((4, 1), np.nan)}, "every feature must be a finite"),
        ({"edge_index": EDGES, "edge_weight": [1, 2, 0]}, "the weight 0 of edge 2 is not above 0"),
        ({"edge_index": EDGES, "edge_weight": [1, 2]}, "needs 3 edge weights"),
        ({"edge_index": EDGES, "edge_weight": ["a"] * 3}, "weights of edges are numbers"),
        ({"edge_index": EDGES, "y": [0.5] * 4}, "int64 labels"),
        ({"edge_index": EDGES, "ids": ["a", "a", "b", "c"]}, "4 different values, found 3"),
        ({"edge_index": EDGES, "edge_attr": 1}, "a graph in a dict has edge_index, x"),
        ({"edge_index": np.empty((2, 0))}, "the graph has no nodes"),
    ],
)
def test_wrong_parts_are_named(parts: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        from_mapping(parts)


def test_parts_of_a_mapping_are_taken() -> None:
    content = from_mapping(
        {"edge_index": EDGES, "ids": list("abcde"), "y": [[0], [1], [0], [1], [-1]], "num_nodes": 5}
    )
    assert content.ids == list("abcde")
    assert content.nodes.y is not None
    assert content.nodes.y.tolist() == [0, 1, 0, 1, -1]


@pytest.mark.parametrize(
    "x", [np.eye(4), torch.eye(4), scipy.sparse.eye_array(4), np.eye(4, dtype=bool)]
)
@pytest.mark.parametrize(
    "edges", [EDGES, scipy.sparse.coo_array((np.ones(3), EDGES), shape=(4, 4))]
)
def test_features_stand_beside_edges(edges: Any, x: Any) -> None:
    content = from_pair(edges, x)
    assert content.nodes.x is not None
    assert torch.equal(content.nodes.x.to_dense().float(), torch.eye(4))


def test_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(UserError, match=r"square, this one is \[2, 3\]"):
        from_sparse(scipy.sparse.csr_array(np.ones((2, 3))))

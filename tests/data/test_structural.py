"""Features from the edges alone, against a full decomposition."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.edges import undirected
from homogcl.data.structural import features_of_edges, structural_features


def dense_normalized(edge_index: Tensor, nodes: int, weight: Tensor | None) -> Tensor:
    """D^-1/2 A D^-1/2, entry by entry."""
    adjacency = torch.zeros(nodes, nodes, dtype=torch.float64)
    for k, (s, t) in enumerate(edge_index.t().tolist()):
        adjacency[s, t] = 1.0 if weight is None else float(weight[k])
    degree = adjacency.sum(dim=1)
    for i in range(nodes):
        for j in range(nodes):
            if adjacency[i, j] > 0:
                adjacency[i, j] /= float(degree[i] * degree[j]) ** 0.5
    return adjacency


@given(
    st.integers(2, 12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=30),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_gram_matrix_is_that_of_the_full_decomposition(
    nodes: int, pairs: list[tuple[int, int]], weighted: bool
) -> None:
    raw = torch.tensor(pairs).t() % nodes
    given_weight = torch.arange(1.0, len(pairs) + 1) if weighted else None
    edge_index, weight = undirected(raw, nodes, given_weight)
    x = structural_features(edge_index, nodes, edge_weight=weight)
    # With all N dimensions, X Xᵀ = N·U Σ Uᵀ, the square root of A Aᵀ, whatever the signs.
    values, vectors = np.linalg.eigh(dense_normalized(edge_index, nodes, weight).numpy())
    expected = nodes * (vectors * np.abs(values)) @ vectors.T
    assert x.shape == (nodes, nodes)
    assert x.dtype == torch.float32
    np.testing.assert_allclose((x.double() @ x.double().T).numpy(), expected, atol=1e-4)


def test_few_dimensions_keep_the_largest_values(block_graph: Data) -> None:
    x = structural_features(block_graph.edge_index, 60, 5, seed=3)
    values = np.abs(np.linalg.eigvalsh(dense_normalized(block_graph.edge_index, 60, None).numpy()))
    assert x.shape == (60, 5)
    largest = np.sort(values)[::-1][:5]
    np.testing.assert_allclose(x.square().sum(dim=0).numpy() / 60, largest, rtol=2e-2)


def test_same_seed_same_features(block_graph: Data) -> None:
    x = structural_features(block_graph.edge_index, 60, 8, seed=1)
    assert torch.equal(x, structural_features(block_graph.edge_index, 60, 8, seed=1))
    assert not torch.equal(x, structural_features(block_graph.edge_index, 60, 8, seed=2))


def test_nodes_without_edges_get_zeros() -> None:
    x = structural_features(torch.tensor([[0, 1], [1, 0]]), 4)
    assert torch.equal(x[2:], torch.zeros(2, 4))
    assert x[:2].abs().sum() > 0
    empty = torch.empty(2, 0, dtype=torch.int64)
    assert torch.equal(structural_features(empty, 3, 2), torch.zeros(3, 2))


def test_edges_may_come_one_way_and_in_any_order(block_graph: Data) -> None:
    one_way = block_graph.edge_index[:, block_graph.edge_index[0] < block_graph.edge_index[1]]
    loose = Data(edge_index=one_way.flip(1), num_nodes=60)
    assert torch.equal(features_of_edges(loose, 4), features_of_edges(block_graph, 4))

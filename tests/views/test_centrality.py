from __future__ import annotations

import math
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.load import load
from homogcl.views.centrality import (
    Centrality,
    column_centrality,
    drop_factor,
    edge_centrality,
    node_centrality,
)


def as_networkx(graph: Data, weight: Tensor) -> nx.Graph:
    network = nx.Graph()
    network.add_nodes_from(range(int(graph.num_nodes or 0)))
    for (i, j), w in zip(graph.edge_index.t().tolist(), weight.tolist(), strict=True):
        network.add_edge(i, j, weight=w)
    return network


def symmetric_weights(graph: Data, seed: int = 0) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    n = int(graph.num_nodes or 0)
    matrix = torch.rand(n, n, generator=rng, dtype=torch.float64) + 0.5
    return (matrix + matrix.t())[graph.edge_index[0], graph.edge_index[1]]


def centrality(kind: Centrality, graph: Data, weight: Tensor) -> np.ndarray:
    phi = node_centrality(kind, graph.edge_index, weight, int(graph.num_nodes or 0))
    assert phi.dtype == torch.float64
    return np.asarray(phi.numpy())


@pytest.mark.parametrize("weighted", [False, True])
def test_degree_is_that_of_networkx(block_graph: Data, weighted: bool) -> None:
    weight = symmetric_weights(block_graph) if weighted else torch.ones(block_graph.num_edges)
    expected = dict(as_networkx(block_graph, weight).degree(weight="weight"))
    phi = centrality("degree", block_graph, weight)
    np.testing.assert_allclose(phi, [expected[i] for i in range(len(expected))], rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_eigenvector_is_that_of_networkx(block_graph: Data, weighted: bool) -> None:
    weight = symmetric_weights(block_graph) if weighted else torch.ones(block_graph.num_edges)
    expected = nx.eigenvector_centrality_numpy(as_networkx(block_graph, weight), weight="weight")
    phi = centrality("eigenvector", block_graph, weight)
    np.testing.assert_allclose(phi, [expected[i] for i in range(len(expected))], atol=2e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("isolated", [0, 3])
def test_pagerank_is_that_of_networkx_up_to_scale(
    block_graph: Data, weighted: bool, isolated: int
) -> None:
    weight = symmetric_weights(block_graph) if weighted else torch.ones(block_graph.num_edges)
    graph = Data(
        edge_index=block_graph.edge_index, num_nodes=int(block_graph.num_nodes or 0) + isolated
    )
    expected = nx.pagerank(as_networkx(graph, weight), alpha=0.85, tol=1e-14, max_iter=1000)
    phi = centrality("pagerank", graph, weight)
    np.testing.assert_allclose(
        phi / phi.sum(), [expected[i] for i in range(len(expected))], rtol=1e-9
    )


def test_the_eigenvector_reaches_one_component_and_is_positive_on_all() -> None:
    # A triangle, whose largest eigenvalue is 2, and a single edge, whose largest is 1.
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4)]
    edge_index = torch.tensor([*pairs, *((j, i) for i, j in pairs)]).t()
    phi = node_centrality("eigenvector", edge_index, torch.ones(8), 6)
    torch.testing.assert_close(phi[:3], torch.full((3,), 3**-0.5, dtype=torch.float64))
    assert bool((phi[3:] > 0).all())
    assert float(phi[3:].max()) < 1e-7


@pytest.mark.parametrize("kind", ["degree", "eigenvector", "pagerank"])
def test_a_graph_without_edges_has_equal_centralities(kind: Centrality) -> None:
    phi = node_centrality(kind, torch.empty(2, 0, dtype=torch.long), torch.empty(0), 4)
    assert phi.shape == (4,)
    assert bool((phi == phi[0]).all())


def test_an_edge_has_the_mean_of_its_nodes() -> None:
    phi = torch.tensor([1.0, 3.0, 8.0])
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    assert edge_centrality(phi, edge_index).tolist() == [2.0, 5.5, 4.5]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("by_amount", [False, True])
def test_a_column_sums_over_those_who_have_it(by_amount: bool, sparse: bool) -> None:
    x = torch.tensor([[0.0, -2.0, 0.0], [0.5, 0.0, 0.0], [1.0, 3.0, 0.0]])
    phi = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)
    given_x = x.to_sparse_csr() if sparse else x
    expected = [
        sum(
            float(phi[i]) * (abs(float(x[i, f])) if by_amount else float(x[i, f] != 0))
            for i in range(3)
        )
        for f in range(3)
    ]
    assert column_centrality(given_x, phi, by_amount=by_amount).tolist() == expected


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=30))
def test_drop_factors_have_mean_one_and_fall_with_centrality(values: list[float]) -> None:
    centrality = torch.tensor(values, dtype=torch.float64)
    factor = drop_factor(centrality)
    assert float(factor.mean()) == pytest.approx(1.0, abs=1e-6)
    if float(factor.std()) > 0:
        assert float(factor[centrality.argmax()]) == 0.0
    order = centrality.argsort()
    assert bool((factor[order].diff() <= 1e-12).all())


def test_drop_factors_follow_the_formula_and_forgive_what_nobody_uses() -> None:
    used = [1.0, 4.0, 50.0]
    s = [math.log(value) for value in used]
    expected = [(max(s) - each) / (max(s) - sum(s) / 3) for each in s]
    factors = drop_factor(torch.tensor([1.0, 0.0, 4.0, 50.0], dtype=torch.float64)).tolist()
    assert factors == pytest.approx([expected[0], max(expected), expected[1], expected[2]])


@pytest.mark.parametrize("values", [[3.0, 3.0, 3.0], [0.0, 0.0], [2.0], [0.0, 5.0], []])
def test_where_all_are_equally_important_every_factor_is_one(values: list[float]) -> None:
    assert drop_factor(torch.tensor(values, dtype=torch.float64)).tolist() == [1.0] * len(values)


@pytest.mark.parametrize("kind", ["degree", "eigenvector", "pagerank"])
def test_the_empty_column_of_cora_spoils_nothing(data_root: Path, kind: Centrality) -> None:
    graph = load("cora", data_root)
    phi = node_centrality(kind, graph.edge_index, torch.ones(graph.num_edges), graph.num_nodes)
    columns = column_centrality(graph.x, phi, by_amount=False)
    assert int((columns == 0).sum()) == 1
    for factor in (drop_factor(columns), drop_factor(edge_centrality(phi, graph.edge_index))):
        assert bool(factor.isfinite().all())
        assert float(factor.min()) == 0.0
        assert float(factor.max()) > 1.0

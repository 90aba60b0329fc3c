"""Communities: modularity against networkx, rank against singular values, and the choice of k."""

from __future__ import annotations

import math

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph
from homogcl.homophily.clusters import nearest_centroid
from homogcl.homophily.selection import effective_rank, modularity, most_modular, unlabeled_scores


def edges(seed: int, nodes: int, pairs: int) -> Tensor:
    """Random edges in both directions, int64 [2, E]."""
    rng = torch.Generator().manual_seed(seed)
    ends = torch.randint(nodes, (2, pairs), generator=rng)
    ends = torch.unique(ends[:, ends[0] < ends[1]], dim=1)
    return torch.cat([ends, ends.flip(0)], dim=1)


@given(seed=st.integers(0, 10_000), k=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_modularity_is_that_of_networkx(seed: int, k: int) -> None:
    edge_index = edges(seed, 12, 25)
    cluster = torch.randint(k, (12,), generator=torch.Generator().manual_seed(seed))
    graph = nx.Graph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from(edge_index.t().tolist())
    parts = [set((cluster == c).nonzero().flatten().tolist()) for c in range(k)]
    if not edge_index.numel():
        return
    expected = nx.community.modularity(graph, [part for part in parts if part])
    assert modularity(cluster, edge_index, k) == pytest.approx(expected, abs=1e-12)


def test_a_graph_without_edges_has_no_modularity() -> None:
    assert modularity(torch.zeros(3, dtype=torch.long), torch.empty(2, 0, dtype=torch.long), 2) == 0


@pytest.mark.parametrize("shape", [(20, 5), (5, 20)])
def test_effective_rank_is_that_of_the_singular_values(shape: tuple[int, int]) -> None:
    z = torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    shares = torch.linalg.svdvals(z) / torch.linalg.svdvals(z).sum()
    expected = math.exp(-float((shares * shares.log()).sum()))
    assert effective_rank(z) == pytest.approx(expected, rel=1e-4)
    assert effective_rank(3.0 * z) == pytest.approx(effective_rank(z), rel=1e-9)


def test_effective_rank_of_one_direction_and_of_none() -> None:
    assert effective_rank(torch.ones(7, 3)) == pytest.approx(1.0, abs=1e-5)
    assert effective_rank(torch.eye(6)) == pytest.approx(6.0)
    assert effective_rank(torch.zeros(4, 2)) == 0.0


def test_the_number_of_blocks_is_the_most_modular_number_of_clusters() -> None:
    # Four blocks of ten nodes, each a clique; every embedding is its block's corner and noise.
    block = torch.arange(40) // 10
    same = (block[:, None] == block) & ~torch.eye(40, dtype=torch.bool)
    edge_index = same.nonzero().t()
    noise = torch.randn(40, 4, generator=torch.Generator().manual_seed(0))
    h = torch.eye(4)[block] + 0.05 * noise
    found = most_modular(h, edge_index, stream(0, "k"), candidates=(2, 3, 4, 5, 8))
    assert len(found.centroids) == 4
    assert found.modularity == pytest.approx(0.75)
    assert modularity(nearest_centroid(h, found.centroids), edge_index, 4) == found.modularity


def test_more_clusters_than_nodes_are_passed_over() -> None:
    h = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
    edge_index = torch.tensor([[0, 1], [1, 0]])
    assert len(most_modular(h, edge_index, stream(0, "k")).centroids) == 3


def test_scores_without_labels_do_not_depend_on_the_rows_lengths() -> None:
    graph = citation_graph(num_nodes=200, seed=0)
    z = torch.randn(200, 8, generator=torch.Generator().manual_seed(1))
    lengths = 0.5 + torch.rand(200, 1, generator=torch.Generator().manual_seed(2))
    one = unlabeled_scores(z, graph.edge_index, stream(0, "unlabeled"))
    other = unlabeled_scores(z * lengths, graph.edge_index, stream(0, "unlabeled"))
    assert one == pytest.approx(other, rel=1e-5)
    assert set(one) == {"modularity", "modular_clusters", "effective_rank"}

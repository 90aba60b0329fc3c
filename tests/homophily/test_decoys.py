"""Edges and decoys, against counting and slow loops in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph
from homogcl.homophily.decoys import edge_numbers, edges_and_decoys, edges_once, pair_cosines


def cosine(a: Tensor, b: Tensor) -> float:
    """The cosine of two rows, 0 if one of them is 0."""
    a, b = a.double(), b.double()
    return float(a @ b) / max(1e-12, float(a.norm() * b.norm()))


@pytest.fixture
def graph() -> Data:
    """A small graph with sparse features."""
    return citation_graph(150, num_classes=3, num_words=40, seed=1)


def neighbors_seen(rest: Data) -> list[Tensor]:
    """Vectors that show which neighbors a graph has, [N, N], and their first half."""
    z = torch.eye(150)
    z[rest.edge_index[0], rest.edge_index[1]] = 2.0
    return [z, z[:, :75]]


def test_each_edge_and_decoy_is_looked_at_without_its_fold(graph: Data) -> None:
    edges, decoys = edges_and_decoys(graph, neighbors_seen, stream(0, "edges"), 4)
    x = graph.x.to_dense().double()
    x -= x.mean(dim=0)
    for pairs in (edges, decoys):
        rows = list(zip(pairs.ends.T, pairs.columns, pairs.fold, strict=True))
        for (i, j), columns, fold in rows[::7]:
            rest = [edge for edge, of in zip(edges.ends.T, edges.fold, strict=True) if of != fold]
            both_ways = torch.tensor(np.array([*rest, *(edge[::-1] for edge in rest)])).t()
            rows_of = (x, *neighbors_seen(Data(edge_index=both_ways)))
            expected = [cosine(z[i], z[j]) for z in rows_of]
            assert columns == pytest.approx(expected, abs=1e-5)


def test_decoys_are_no_edges_and_have_the_ends_of_their_fold(graph: Data) -> None:
    edges, decoys = edges_and_decoys(graph, neighbors_seen, stream(0, "edges"), 4)
    pairs = {frozenset(edge) for edge in edges.ends.T.tolist()}
    assert all(len(set(d)) == 2 and frozenset(d) not in pairs for d in decoys.ends.T.tolist())
    assert 0.7 * len(edges.fold) < len(decoys.fold) <= len(edges.fold)
    assert np.ptp(np.bincount(edges.fold)) <= 1
    for fold in range(4):
        ends = np.bincount(edges.ends[:, edges.fold == fold].ravel(), minlength=150)
        used = np.bincount(decoys.ends[:, decoys.fold == fold].ravel(), minlength=150)
        assert (used <= ends).all()


def test_dense_and_sparse_rows_have_the_same_cosines(graph: Data) -> None:
    z, pairs = torch.randn(150, 5, generator=stream(0, "z")), edges_once(graph)
    dense = pair_cosines(graph.x.to_dense(), [z], pairs)
    np.testing.assert_allclose(pair_cosines(graph.x, [z], pairs), dense, atol=1e-6)


@given(st.integers(0, 2**20))
def test_numbers_find_edges_in_either_direction_and_nothing_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(0, 100, 12))
    edges = torch.tensor([[k // 10, k % 10] for k in keys.tolist() if k // 10 < k % 10])
    edges = edges.reshape(-1, 2).t()
    pairs = torch.from_numpy(rng.integers(0, 10, (2, 30)))
    listed = [frozenset(edge) for edge in edges.t().tolist()]
    expected = [
        listed.index(frozenset(p)) if frozenset(p) in listed else -1 for p in pairs.t().tolist()
    ]
    assert edge_numbers(edges, pairs, 10).tolist() == expected

"""Edges that are wrong on purpose."""

import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.load import citation_graph
from homogcl.data.rewired import rewired


def pairs(graph: Data) -> set[tuple[int, int]]:
    return {(a, b) for a, b in graph.edge_index.t().tolist()}


def test_about_the_share_of_edges_is_wrong_and_degrees_stay() -> None:
    graph = citation_graph(1000, 4, 60)
    wrong = rewired(graph, 0.3, seed=0)
    before, after = pairs(graph), pairs(wrong)
    assert len(after - before) / len(after) == pytest.approx(0.3, abs=0.03)
    assert all((b, a) in after for a, b in after)
    degrees = [torch.bincount(each.edge_index[0], minlength=1000) for each in (graph, wrong)]
    assert float((degrees[0] - degrees[1]).abs().float().mean()) < 0.1
    assert wrong.sha256 != rewired(graph, 0.3, seed=1).sha256


def test_the_seed_draws_the_edges() -> None:
    graph = citation_graph(300, 4, 60)
    before = graph.edge_index.clone()
    one, same, other = (rewired(graph, 0.5, seed) for seed in (1, 1, 2))
    assert torch.equal(one.edge_index, same.edge_index)
    assert one.sha256 == same.sha256
    assert pairs(one) != pairs(other)
    assert len({one.sha256, other.sha256}) == 2
    assert torch.equal(graph.edge_index, before)


def test_no_share_is_the_graph_itself() -> None:
    graph = citation_graph(300, 4, 60)
    assert rewired(graph, 0.0, seed=0) is graph


def test_weights_would_lose_their_edges() -> None:
    graph = citation_graph(300, 4, 60)
    graph.edge_weight = torch.ones(graph.edge_index.size(1))
    with pytest.raises(ValueError, match="weights"):
        rewired(graph, 0.5, seed=0)

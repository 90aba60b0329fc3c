from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph
from homogcl.views.mask import at_most, mask_edges
from tests.graphs import same, snapshot


@pytest.fixture
def graph() -> Data:
    """Enough edges for shares, each with a weight of its own."""
    graph = citation_graph(num_nodes=400, num_words=12, seed=0)
    graph.edge_weight = torch.arange(1.0, graph.num_edges + 1)
    return graph


def pairs(edge_index: Tensor) -> set[tuple[int, int]]:
    return {(i, j) for i, j in edge_index.t().tolist()}


def test_both_directions_of_an_edge_are_hidden_together(graph: Data) -> None:
    view, hidden = mask_edges(graph, 0.7, "edge", stream(0, "augment"))
    visible, lost = pairs(view.edge_index), pairs(graph.edge_index[:, hidden])
    assert visible | lost == pairs(graph.edge_index)
    assert not visible & lost
    assert {(j, i) for i, j in lost} == lost
    assert 0.6 < len(lost) / graph.num_edges < 0.8


def test_a_direction_can_be_hidden_while_its_edge_is_seen(graph: Data) -> None:
    view, hidden = mask_edges(graph, 0.7, "direction", stream(0, "augment"))
    visible, lost = pairs(view.edge_index), pairs(graph.edge_index[:, hidden])
    assert {(j, i) for i, j in visible} == visible
    edges = pairs(graph.edge_index)
    assert visible == {(i, j) for i, j in edges if (i, j) not in lost or (j, i) not in lost}
    assert 0.6 < len(lost) / graph.num_edges < 0.8
    assert 0.4 < len(visible) / graph.num_edges < 0.6


@pytest.mark.parametrize("unit", ["edge", "direction"])
def test_edge_ids_lead_back_and_the_graph_stays_as_it_was(graph: Data, unit: str) -> None:
    before = snapshot(graph)
    view, hidden = mask_edges(graph, 0.5, unit, stream(0, "augment"))  # type: ignore[arg-type]
    assert torch.equal(view.edge_index, graph.edge_index[:, view.edge_id])
    assert torch.equal(view.edge_weight, graph.edge_weight[view.edge_id])
    assert view.num_nodes == graph.num_nodes
    assert hidden.numel() > 0
    assert same(snapshot(graph), before)


@pytest.mark.parametrize(("probability", "count"), [(0.0, 0), (1.0, 1)])
def test_none_or_all_can_be_hidden(graph: Data, probability: float, count: int) -> None:
    view, hidden = mask_edges(graph, probability, "edge", stream(0, "augment"))
    assert hidden.numel() == count * graph.num_edges
    assert view.num_edges == (1 - count) * graph.num_edges


def test_few_positions_stay_and_of_many_a_random_part_does() -> None:
    positions = torch.arange(10, 60)
    assert at_most(positions, 50, stream(0, "augment")) is positions
    part = at_most(positions, 20, stream(0, "augment"))
    assert len(set(part.tolist())) == 20
    assert set(part.tolist()) <= set(positions.tolist())
    assert part.tolist() != at_most(positions, 20, stream(1, "augment")).tolist()

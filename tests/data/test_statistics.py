"""Statistics against PyG and by hand."""

import math
from pathlib import Path

import torch
from torch_geometric.data import Data
from torch_geometric.utils import homophily

from homogcl.data.load import (
    Statistics,
    edge_homophily,
    load,
    statistics,
)


def test_homophily_equals_that_of_pyg(block_graph: Data) -> None:
    ours = edge_homophily(block_graph.edge_index, block_graph.y)
    assert math.isclose(
        ours, homophily(block_graph.edge_index, block_graph.y, method="edge"), rel_tol=1e-6
    )
    assert 0 < ours < 1


def test_counts_by_hand() -> None:
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    graph = Data(x=torch.ones(5, 3), edge_index=edge_index, y=torch.tensor([1, 1, 0, 3, 0]))
    assert statistics(graph) == Statistics(5, 4, 3, 4, homophily=0.5, isolated=2)


def test_without_labels_or_edges_homophily_is_not_a_number() -> None:
    none = torch.empty(2, 0, dtype=torch.int64)
    without = statistics(Data(x=torch.ones(2, 1), edge_index=none))
    assert math.isnan(without.homophily)
    assert (without.classes, without.isolated) == (0, 2)
    assert math.isnan(edge_homophily(none, torch.tensor([0, 1])))


def test_homophily_counts_edges_with_two_labels(friends: Path) -> None:
    graph = load(friends)
    assert statistics(graph).homophily == 0.0
    y = graph.y[graph.edge_index]
    known = (y >= 0).all(dim=0)
    assert float((y[0] == y[1])[known].double().mean()) == 0.0
    assert float((y[0] == y[1]).double().mean()) == 0.0
    graph.y[:] = -1
    assert statistics(graph).homophily != statistics(graph).homophily  # nan
    graph.y[:2] = 1
    assert statistics(graph).homophily == 1.0

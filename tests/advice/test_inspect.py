"""The report on a graph: counts against loops, and warnings where the premise is weak."""

import networkx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.advice.inspect import Components, components, warnings
from homogcl.advice.neighborhoods import likeness
from homogcl.data.edges import undirected
from homogcl.data.summary import summarize


def blocks(homophily: float, nodes: int = 400, classes: int = 4, seed: int = 0) -> Data:
    """A graph of equal classes in which that share of 3 N edges keeps the class."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.randint(classes, (nodes,), generator=rng)
    pairs = torch.randint(nodes, (2, 100 * nodes), generator=rng)
    pairs = pairs[:, pairs[0] != pairs[1]]
    same = y[pairs[0]] == y[pairs[1]]
    within = round(3 * nodes * homophily)
    chosen = torch.cat([pairs[:, same][:, :within], pairs[:, ~same][:, : 3 * nodes - within]], 1)
    x = 1.5 * torch.randn(classes, 16, generator=rng)[y]
    x += torch.randn(nodes, 16, generator=rng)
    return Data(x=x, edge_index=undirected(chosen, nodes)[0], y=y)


@given(st.integers(0, 10_000))
def test_components_are_those_of_networkx(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(12, (2, 10), generator=rng)
    graph = networkx.Graph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from(pairs.t().tolist())
    sizes = [len(part) for part in networkx.connected_components(graph)]
    expected = Components(len(sizes), max(sizes))
    assert components(Data(x=torch.ones(12, 1), edge_index=pairs)) == expected


def test_a_homophilous_graph_gives_no_warning() -> None:
    graph = blocks(0.9)
    assert warnings(summarize(graph), likeness(graph)) == []


@pytest.mark.parametrize("seed", range(5))
def test_a_graph_of_random_edges_is_warned_of_by_labels_and_without_them(seed: int) -> None:
    graph = blocks(0.25, seed=seed)  # four classes: chance
    by_labels = warnings(summarize(graph), None)
    assert len(by_labels) == 1
    assert "edge homophily" in by_labels[0]
    unlabeled = Data(x=graph.x, edge_index=graph.edge_index)
    by_likeness = warnings(summarize(unlabeled), likeness(unlabeled, seed))
    assert len(by_likeness) == 1
    assert "hardly more alike" in by_likeness[0]
    assert all("use homogcl" in line for line in by_labels + by_likeness)


def test_mostly_isolated_nodes_are_mentioned() -> None:
    graph = Data(x=torch.ones(9, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    assert "7 of 9 nodes" in warnings(summarize(graph), None)[0]

"""The report on a graph: counts against loops, and warnings where the premise is weak."""

import networkx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.advice.inspect import (
    adjusted_homophily,
    facts,
    separation,
    short_training,
    warnings,
)
from homogcl.core.errors import UserError
from homogcl.data.edges import undirected


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


def untidy() -> Data:
    """Nodes 0-6 with a repeated edge, a self-loop, one way here and both ways there."""
    pairs = [(0, 1), (1, 0), (1, 2), (1, 2), (3, 3), (4, 5), (0, 2)]
    return Data(x=torch.ones(7, 3), edge_index=torch.tensor(pairs).t())


def test_counts_of_an_untidy_graph() -> None:
    found = facts(untidy())
    assert (found.nodes, found.edges, found.features) == (7, 4, 3)
    assert (found.self_loops, found.duplicates) == (1, 1)
    assert (found.degree_min, found.degree_median, found.degree_max) == (0, 1.0, 2)
    assert found.isolated == 2
    assert (found.components, found.largest_component) == (4, 3)
    assert found.density == pytest.approx(4 / 21)
    assert found.homophily is None
    assert found.adjusted_homophily is None


@given(st.integers(0, 10_000))
def test_components_and_degrees_are_those_of_networkx(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(12, (2, 10), generator=rng)
    found = facts(Data(x=torch.ones(12, 1), edge_index=pairs))
    graph = networkx.Graph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from((a, b) for a, b in pairs.t().tolist() if a != b)
    sizes = [len(part) for part in networkx.connected_components(graph)]
    assert (found.components, found.largest_component) == (len(sizes), max(sizes))
    assert found.edges == graph.number_of_edges()
    assert found.density == pytest.approx(networkx.density(graph))
    degrees = sorted(degree for _, degree in graph.degree())
    assert (found.degree_min, found.degree_max) == (degrees[0], degrees[-1])
    assert found.degree_median == (degrees[5] + degrees[6]) / 2


def looped_adjusted(edges: list[tuple[int, int]], y: list[int]) -> float:
    """Adjusted homophily of edges, each listed once, as its definition has it."""
    agree = sum(y[a] == y[b] for a, b in edges) / len(edges)
    ends = [y[node] for edge in edges for node in edge]
    chance = sum((ends.count(k) / len(ends)) ** 2 for k in set(ends))
    return (agree - chance) / (1 - chance)


def test_homophily_leaves_nodes_without_a_label_out() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (4, 5)]
    y = [0, 0, 1, 1, 2, -1]
    graph = Data(x=torch.ones(6, 1), edge_index=torch.tensor(edges).t(), y=torch.tensor(y))
    found = facts(graph)
    assert found.labeled_edges == 5
    assert found.homophily == pytest.approx(2 / 5)
    assert found.adjusted_homophily == pytest.approx(looped_adjusted(edges[:5], y))


def test_adjusted_homophily_is_zero_by_chance_and_one_when_all_agree() -> None:
    y = torch.tensor([0, 0, 1, 1])
    everyone = torch.cartesian_prod(torch.arange(4), torch.arange(4)).t()
    assert adjusted_homophily(everyone, y) == pytest.approx(0)
    assert adjusted_homophily(torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]]), y) == 1


def test_separation_counts_ties_half() -> None:
    assert separation(torch.tensor([1.0, 0.5]), torch.tensor([0.5, 0.0])) == (1 + 1 + 0.5 + 1) / 4


def test_a_homophilous_graph_gives_no_warning() -> None:
    graph = blocks(0.9)
    measured = short_training(graph)
    assert warnings(facts(graph), measured) == []
    assert measured.held_out.mean > measured.random.mean
    assert measured.held_out.deciles == tuple(sorted(measured.held_out.deciles))
    assert measured.held_out.pairs == round(0.1 * graph.edge_index.size(1) / 2)


@pytest.mark.parametrize("homophily", [0.25, 0.05])
def test_a_graph_without_homophily_is_warned_of_by_labels_and_without_them(
    homophily: float,
) -> None:
    graph = blocks(homophily)
    by_labels = warnings(facts(graph), None)
    assert len(by_labels) == 1
    assert "edge homophily" in by_labels[0]
    unlabeled = Data(x=graph.x, edge_index=graph.edge_index)
    by_saliency = warnings(facts(unlabeled), short_training(unlabeled))
    assert len(by_saliency) == 1
    assert "kept from training" in by_saliency[0]
    assert all("without +homogcl" in line for line in by_labels + by_saliency)


def test_labels_do_not_touch_the_saliency() -> None:
    graph = blocks(0.9, nodes=100)
    other = graph.clone()
    other.y = graph.y.flip(0)
    assert short_training(graph, epochs=2) == short_training(other, epochs=2)


def test_too_few_edges_are_refused() -> None:
    with pytest.raises(UserError, match="too few"):
        short_training(blocks(0.9, nodes=30))


def test_mostly_isolated_nodes_are_mentioned() -> None:
    graph = Data(x=torch.ones(9, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    assert "7 of 9 nodes" in warnings(facts(graph), None)[0]

"""Summaries of graphs against PyG, networkx and by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import networkx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import homophily

from homogcl.data.edges import undirected
from homogcl.data.load import load
from homogcl.data.summary import GraphSummary, adjusted_homophily, edge_homophily, summarize

NONE = torch.empty(2, 0, dtype=torch.int64)


def untidy() -> Data:
    """Nodes 0-6 with a repeated edge, self-loops, one way here and both ways there."""
    pairs = [(0, 1), (1, 0), (1, 2), (1, 2), (3, 3), (3, 3), (4, 5), (0, 2)]
    return Data(x=torch.ones(7, 3), edge_index=torch.tensor(pairs).t())


def test_counts_of_an_untidy_graph() -> None:
    assert summarize(untidy()) == GraphSummary(
        nodes=7,
        edges=4,
        features=3,
        classes=0,
        density=4 / 21,
        rows=8,
        self_loops=2,
        duplicates=1,
        one_way=3,
        isolated=2,
        degree_min=0,
        degree_median=1.0,
        degree_max=2,
        labeled_edges=0,
        homophily=None,
        adjusted_homophily=None,
        structural=False,
    )


def test_rows_of_a_file_are_counted_beside_the_graph_made_of_them() -> None:
    graph = untidy()
    rows = graph.edge_index
    graph.edge_index, _ = undirected(rows, 7)
    assert summarize(graph, rows.numpy()) == summarize(untidy())
    tidy = summarize(graph)
    assert (tidy.rows, tidy.edges) == (8, 4)
    assert (tidy.self_loops, tidy.duplicates, tidy.one_way) == (0, 0, 0)


@given(st.integers(0, 10_000))
def test_edges_and_degrees_are_those_of_networkx(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(12, (2, 10), generator=rng)
    summary = summarize(Data(x=torch.ones(12, 1), edge_index=pairs))
    graph = networkx.Graph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from((a, b) for a, b in pairs.t().tolist() if a != b)
    assert summary.edges == graph.number_of_edges()
    assert summary.density == pytest.approx(networkx.density(graph))
    degrees = [degree for _, degree in graph.degree()]
    assert (summary.degree_min, summary.degree_max) == (min(degrees), max(degrees))
    assert summary.degree_median == np.median(degrees)
    assert summary.isolated == degrees.count(0)


def test_homophily_equals_that_of_pyg(block_graph: Data) -> None:
    ours = edge_homophily(block_graph.edge_index, block_graph.y)
    assert math.isclose(
        ours, homophily(block_graph.edge_index, block_graph.y, method="edge"), rel_tol=1e-6
    )
    assert 0 < ours < 1
    assert summarize(block_graph).homophily == ours


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
    summary = summarize(graph)
    assert (summary.classes, summary.edges, summary.labeled_edges) == (3, 6, 5)
    assert summary.homophily == pytest.approx(2 / 5)
    assert summary.adjusted_homophily == pytest.approx(looped_adjusted(edges[:5], y))


def test_adjusted_homophily_is_zero_by_chance_and_one_when_all_agree() -> None:
    y = torch.tensor([0, 0, 1, 1])
    everyone = torch.cartesian_prod(torch.arange(4), torch.arange(4)).t()
    assert adjusted_homophily(everyone, y) == pytest.approx(0)
    assert adjusted_homophily(torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]]), y) == 1


def test_without_labeled_edges_there_is_no_homophily() -> None:
    unlabeled = summarize(Data(x=torch.ones(2, 1), edge_index=NONE))
    assert (unlabeled.classes, unlabeled.isolated, unlabeled.homophily) == (0, 2, None)
    labeled = summarize(Data(x=torch.ones(2, 1), edge_index=NONE, y=torch.tensor([0, 1])))
    assert (labeled.classes, labeled.homophily, labeled.adjusted_homophily) == (2, None, None)
    assert math.isnan(edge_homophily(NONE, torch.tensor([0, 1])))


def test_line_names_only_what_occurred() -> None:
    plain = summarize(Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]])))
    assert str(plain) == "2 nodes, 1 edge"
    eventful = replace(
        plain,
        nodes=9000,
        edges=12403,
        duplicates=31,
        self_loops=1,
        isolated=4,
        structural=True,
        homophily=0.712,
    )
    assert str(eventful) == (
        "9,000 nodes, 12,403 edges, 31 duplicates merged, 1 self-loop dropped, "
        "4 nodes without edges, features made of the edges, edge homophily 0.71"
    )


def test_homophily_counts_edges_with_two_labels(friends: Path) -> None:
    graph = load(friends)
    assert summarize(graph).homophily == 0.0
    graph.y[:] = -1
    assert summarize(graph).homophily is None
    graph.y[:2] = 1
    assert summarize(graph).homophily == 1.0

"""Operators of a graph: weights of its edges, and Â of a graph on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.data.synthetic import citation_graph
from homogcl.nn import operators
from homogcl.nn.operators import (
    MappedNormalized,
    Normalized,
    edge_weights,
    normalized,
    with_edges,
)
from tests.networks import random_graph


def test_edges_weigh_one_each_unless_the_graph_says_otherwise() -> None:
    assert torch.equal(
        edge_weights(random_graph(0)), torch.ones(random_graph(0).num_edges).double()
    )
    weighted = random_graph(0, weighted=True)
    assert edge_weights(weighted) is weighted.edge_weight


@pytest.mark.parametrize("weighted", [False, True])
def test_the_operator_of_a_graph_on_disk_is_that_in_memory(
    weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = citation_graph(num_nodes=200, num_words=20, seed=0)
    if weighted:
        source, target = graph.edge_index
        graph.edge_weight = 1 + ((source + target) % 5) / 3
    expected = Normalized.of(graph)
    for name, value in (("MOST_EDGES", 10), ("_EDGES", 64), ("_ROWS", 33)):
        monkeypatch.setattr(operators, name, value)
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    x, bias = torch.randn(200, 5, generator=stream(0, "x")), torch.arange(5.0)
    assert isinstance(normalized(opened), Normalized)  # a gradient may be asked for
    with torch.no_grad():
        operator = normalized(opened)
        assert isinstance(operator, MappedNormalized)
        torch.testing.assert_close(operator(x, bias), expected(x, bias), rtol=0, atol=1e-6)
        part = operator.part(40, 90)(x, bias)
        torch.testing.assert_close(part, expected(x, bias)[40:90], rtol=0, atol=1e-6)
        mask = graph.edge_index.sum(dim=0) % 3 > 0
        rest = Normalized.of(with_edges(graph, mask))(x, bias)
        assert not torch.allclose(rest, expected(x, bias))
        for each in (graph, opened):
            torch.testing.assert_close(normalized(each, mask)(x, bias), rest, rtol=0, atol=1e-6)


def test_edges_of_one_direction_are_brought_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operators, "MOST_EDGES", 1)
    graph = Data(x=torch.eye(4), edge_index=torch.tensor([[0, 0, 1], [1, 2, 3]]))
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    with torch.no_grad():
        operator = normalized(opened)
        assert isinstance(operator, Normalized)
        torch.testing.assert_close(
            operator(graph.x, torch.zeros(4)), Normalized.of(graph)(graph.x, torch.zeros(4))
        )

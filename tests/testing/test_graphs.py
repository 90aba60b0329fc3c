"""The graph that checks run on, and the small changes to it, against networkx and loops."""

from __future__ import annotations

import networkx
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import contains_self_loops, is_undirected, to_networkx

from homogcl.data.check import validate
from homogcl.testing.graphs import block_graph, permuted, same, snapshot, with_isolated


def test_graph_is_connected_undirected_and_mostly_homophilous() -> None:
    graph = block_graph()
    validate(graph, "blocks")
    assert is_undirected(graph.edge_index)
    assert not contains_self_loops(graph.edge_index)
    assert networkx.is_connected(to_networkx(graph, to_undirected=True))
    equal = (graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]).double().mean()
    assert 0.7 < float(equal) < 1
    assert torch.bincount(graph.y).tolist() == [20, 20, 20]
    # Labels in order would let code profit from the order.
    assert int((graph.y.diff() != 0).sum()) > 10


def test_masks_part_the_nodes_and_each_has_every_class() -> None:
    graph = block_graph()
    masks = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(masks.sum(dim=0), torch.ones(60, dtype=torch.long))
    assert masks.sum(dim=1).tolist() == [12, 12, 36]
    assert all(len(graph.y[mask].unique()) == 3 for mask in masks)


def test_graph_is_the_same_each_time_and_leaves_torchs_generator_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = snapshot(block_graph())
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)
    assert same(first, snapshot(block_graph()))


def test_snapshot_is_a_dense_copy() -> None:
    graph = block_graph()
    graph.x = graph.x.relu().to_sparse_csr()
    graph.name = "left out"
    copy = snapshot(graph)
    assert "name" not in copy
    assert torch.equal(copy["x"], graph.x.to_dense())
    graph.y += 1
    assert not same(copy, snapshot(graph))


@pytest.mark.parametrize(
    "other",
    [
        {"a": torch.ones(2)},
        {"a": torch.ones(2), "c": torch.zeros(1)},
        {"a": torch.ones(3), "b": torch.zeros(1)},
        {"a": torch.ones(2), "b": torch.ones(1)},
    ],
)
def test_mappings_differ_by_a_name_a_shape_or_a_value(other: dict[str, torch.Tensor]) -> None:
    mapping = {"a": torch.ones(2), "b": torch.zeros(1)}
    assert same(mapping, {"b": torch.zeros(1), "a": torch.ones(2)})
    assert not same(mapping, other)
    assert not same(other, mapping)


def edges(graph: Data) -> set[tuple[int, int]]:
    """The pairs of a graph."""
    return {(s, t) for s, t in graph.edge_index.t().tolist()}


def test_renumbered_graph_has_the_same_edges_between_the_same_nodes() -> None:
    graph = block_graph()
    order = torch.randperm(60, generator=torch.Generator().manual_seed(1))
    moved = permuted(graph, order)
    old = order.tolist()
    assert {(old[s], old[t]) for s, t in edges(moved)} == edges(graph)
    for number in (0, 17, 59):
        assert torch.equal(moved.x[number], graph.x[old[number]])
        assert moved.y[number] == graph.y[old[number]]
        assert moved.val_mask[number] == graph.val_mask[old[number]]
    key = moved.edge_index[0] * 60 + moved.edge_index[1]
    assert bool((key.diff() > 0).all())


def test_added_nodes_have_no_edge_and_no_part_in_the_split() -> None:
    graph = block_graph()
    before = snapshot(graph)
    more = with_isolated(graph, 3)
    validate(more, "more")
    assert more.num_nodes == 63
    assert torch.equal(more.edge_index, graph.edge_index)
    assert torch.equal(more.x[:60], graph.x)
    assert more.y[60:].tolist() == [0, 0, 0]
    assert not bool(torch.stack([more.train_mask, more.val_mask, more.test_mask])[:, 60:].any())
    assert same(snapshot(graph), before)

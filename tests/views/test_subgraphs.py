from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import coalesce, subgraph

from homogcl.core.distributed import ALONE, Ranks
from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.views.subgraphs import (
    BatchConfig,
    Batches,
    batch_count,
    check_batches,
    induced,
    neighborhood,
    random_nodes,
    row_pointers,
    smallest_batch,
)

KINDS = ["parts", "neighbors", "metis"]


def random_graph(nodes: int, seed: int) -> Data:
    """A sparse undirected graph with weights whose features are the nodes' numbers."""
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(nodes, (2, 2 * nodes), generator=rng)
    pairs = pairs[:, pairs[0] != pairs[1]]
    edge_index = coalesce(torch.cat([pairs, pairs.flip(0)], dim=1), num_nodes=nodes)
    return Data(
        x=torch.arange(float(nodes))[:, None],
        edge_index=edge_index,
        edge_weight=torch.rand(edge_index.size(1), generator=rng),
        num_nodes=nodes,
    )


def config(kind: str, size: int, **more: Any) -> BatchConfig:
    return BatchConfig.model_validate({"batch": kind, "batch_size": size, **more})


def members(part: Data) -> list[int]:
    return [int(number) for number in part.x[:, 0]]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_subgraph_is_that_of_pyg(block_graph: Data, sparse: bool) -> None:
    graph = block_graph.clone()
    graph.x = graph.x * (graph.x > 0.3)
    graph.edge_weight = torch.rand(graph.num_edges, generator=torch.Generator().manual_seed(0))
    rows = graph.x.clone()
    graph.x = rows.to_sparse_csr() if sparse else rows
    nodes = random_nodes(graph, 25, torch.Generator().manual_seed(1))
    part = induced(graph, nodes)
    edges, weight, is_inside = subgraph(
        nodes,
        graph.edge_index,
        graph.edge_weight,
        relabel_nodes=True,
        num_nodes=60,
        return_edge_mask=True,
    )
    assert torch.equal(part.edge_index, edges)
    assert torch.equal(part.edge_weight, weight)
    assert torch.equal(part.edge_id, is_inside.nonzero()[:, 0])
    assert torch.equal(part.x.to_dense() if sparse else part.x, rows[nodes])
    assert part.num_nodes == 25


def test_nodes_are_distinct_ascending_and_all_where_there_are_few(block_graph: Data) -> None:
    rng = torch.Generator().manual_seed(0)
    some = random_nodes(block_graph, 25, rng)
    assert some.numel() == 25
    assert bool((some.diff() > 0).all())
    assert random_nodes(block_graph, 500, rng).tolist() == list(range(60))


@settings(deadline=None)
@given(nodes=st.integers(1, 40), seed=st.integers(0, 99))
def test_row_pointers_are_where_a_nodes_edges_begin(nodes: int, seed: int) -> None:
    graph = random_graph(nodes, seed)
    counts = torch.bincount(graph.edge_index[0], minlength=nodes)
    assert row_pointers(graph).tolist() == [0, *counts.cumsum(0).tolist()]
    graph.crow = torch.tensor([7])
    assert row_pointers(graph) is graph.crow


@settings(deadline=None)
@given(
    nodes=st.integers(2, 40),
    seed=st.integers(0, 99),
    fanout=st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_each_hop_takes_neighbors_of_the_one_before(
    nodes: int, seed: int, fanout: list[int]
) -> None:
    graph = random_graph(nodes, seed)
    crow, col = row_pointers(graph), graph.edge_index[1]
    near = {i: set(col[crow[i] : crow[i + 1]].tolist()) for i in range(nodes)}
    seeds = torch.tensor([nodes - 1, 0])
    before = {0, nodes - 1}
    frontier = set(before)
    for hops in range(1, len(fanout) + 1):
        reached = neighborhood(crow, col, seeds, tuple(fanout[:hops]), stream(seed, "batch"))
        assert reached.tolist() == sorted(set(reached.tolist()))
        new = set(reached.tolist()) - before
        assert before <= set(reached.tolist())
        assert new <= set().union(*(near[i] for i in frontier)) if frontier else not new
        assert len(new) <= fanout[hops - 1] * len(frontier)
        # Whoever has no more neighbors than the fan-out gives all of them.
        for i in frontier:
            if len(near[i]) <= fanout[hops - 1]:
                assert near[i] <= set(reached.tolist())
        before, frontier = set(reached.tolist()), new


def test_neighbors_are_drawn_uniformly_and_without_replacement() -> None:
    star = torch.stack([torch.zeros(6, dtype=torch.long), torch.arange(1, 7)])
    graph = Data(edge_index=torch.cat([star, star.flip(0)], dim=1), num_nodes=7)
    crow, col, rng = row_pointers(graph), graph.edge_index[1], stream(0, "batch")
    times = torch.zeros(7)
    for _ in range(600):
        nodes = neighborhood(crow, col, torch.tensor([0]), (2,), rng)
        assert nodes.numel() == 3
        times[nodes] += 1
    # 600 draws of 2 of 6: mean 200 each, standard deviation 11.5.
    assert bool(((times[1:] - 200).abs() < 58).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [7, 20, 60, 100])
def test_an_epoch_sees_every_node_and_parts_see_each_once(kind: str, size: int) -> None:
    graph = random_graph(60, 1)
    batches = Batches(graph, config(kind, size))
    parts = list(batches.epoch(stream(0, "batch")))
    assert len(parts) == batches.per_epoch == -(-60 // size)
    nodes = [node for part in parts for node in members(part)]
    assert set(nodes) == set(range(60))
    if kind != "neighbors":
        assert len(nodes) == 60
    assert min(len(members(part)) for part in parts) >= batches.smallest


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_has_all_edges_between_its_nodes_and_no_others(kind: str) -> None:
    graph = random_graph(60, 2)
    for part in Batches(graph, config(kind, 20)).epoch(stream(0, "batch")):
        nodes = torch.tensor(members(part))
        assert bool((nodes.diff() > 0).all())
        edges, weight = subgraph(
            nodes, graph.edge_index, graph.edge_weight, relabel_nodes=True, num_nodes=60
        )
        assert torch.equal(part.edge_index, edges)
        assert torch.equal(part.edge_weight, weight)
        assert "edge_id" not in part  # views of the batch count its own edges


@pytest.mark.parametrize("kind", KINDS)
def test_the_stream_decides_the_batches(kind: str) -> None:
    batches = Batches(random_graph(60, 3), config(kind, 20))
    first, again, other = (
        [members(part) for part in batches.epoch(stream(seed, "batch"))] for seed in (0, 0, 1)
    )
    assert first == again != other


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2, 3])
def test_ranks_have_as_many_batches_and_see_every_node_together(kind: str, size: int) -> None:
    graph = random_graph(61, 4)
    nodes: list[int] = []
    counts = set()
    for rank in range(size):
        batches = Batches(graph, config(kind, 11), Ranks(rank, size))
        parts = [members(part) for part in batches.epoch(stream(0, "batch"))]
        counts |= {len(parts), batches.per_epoch}
        nodes += [node for part in parts for node in part]
    assert len(counts) == 1
    assert set(nodes) == set(range(61))
    if kind != "neighbors":
        assert len(nodes) == 61


def test_clusters_cut_fewer_edges_than_random_parts(block_graph: Data) -> None:
    edges_inside = {
        kind: sum(
            part.num_edges for part in Batches(block_graph, config(kind, 20)).epoch(stream(0, "b"))
        )
        for kind in ("metis", "parts")
    }
    assert edges_inside["metis"] > 2 * edges_inside["parts"]


def test_the_whole_graph_is_one_batch_and_itself(block_graph: Data) -> None:
    batches = Batches(block_graph, BatchConfig(), Ranks(1, 2))
    [part] = batches.epoch(stream(0, "batch"))
    assert part is block_graph
    assert (batches.per_epoch, batches.smallest) == (1, 60)


@given(nodes=st.integers(1, 10_000), size=st.integers(1, 3000), ranks=st.integers(1, 8))
def test_sizes_of_random_parts_differ_by_one_at_most(nodes: int, size: int, ranks: int) -> None:
    together = Ranks(0, ranks)
    count = batch_count(nodes, config("parts", size), together)
    assert count % ranks == 0
    parts = [part.numel() for part in torch.tensor_split(torch.arange(nodes), count)]
    assert max(parts) <= size
    assert min(parts) == smallest_batch(nodes, config("parts", size), together)
    if ranks == 1:
        assert min(parts) > 0


def test_more_processes_than_nodes_are_refused() -> None:
    with pytest.raises(UserError, match="9 processes are more than the 8 nodes"):
        check_batches(8, BatchConfig(), Ranks(0, 9))
    check_batches(8, BatchConfig(), Ranks(0, 8))
    with pytest.raises(UserError, match="batch_size=1 leaves some of 8 processes without a node"):
        check_batches(10, config("parts", 1), Ranks(0, 8))


def test_metis_says_what_to_install_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(UserError, match=r"homogcl\[metis\]"):
        check_batches(8, config("metis", 4), ALONE)
    check_batches(8, config("parts", 4), ALONE)


@pytest.mark.parametrize(
    "bad", [{"batch_size": 0}, {"fanout": ()}, {"fanout": (3, 0)}, {"batch": "half"}]
)
def test_settings_that_make_no_sense_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        BatchConfig.model_validate(bad)

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import subgraph

from homogcl.methods.subgraph import induced, random_nodes


@pytest.mark.parametrize("sparse", [False, True])
def test_the_subgraph_is_that_of_pyg(block_graph: Data, sparse: bool) -> None:
    graph = block_graph.clone()
    graph.x = graph.x * (graph.x > 0.3)
    graph.edge_weight = torch.rand(graph.num_edges, generator=torch.Generator().manual_seed(0))
    rows = graph.x.clone()
    graph.x = rows.to_sparse_csr() if sparse else rows
    nodes = random_nodes(graph, 25, torch.Generator().manual_seed(1))
    part = induced(graph, nodes)
    edges, weight, kept = subgraph(
        nodes,
        graph.edge_index,
        graph.edge_weight,
        relabel_nodes=True,
        num_nodes=60,
        return_edge_mask=True,
    )
    assert torch.equal(part.edge_index, edges)
    assert torch.equal(part.edge_weight, weight)
    assert torch.equal(part.edge_id, kept.nonzero()[:, 0])
    assert torch.equal(part.x, rows[nodes])
    assert part.num_nodes == 25


def test_nodes_are_distinct_ascending_and_all_where_there_are_few(block_graph: Data) -> None:
    rng = torch.Generator().manual_seed(0)
    some = random_nodes(block_graph, 25, rng)
    assert some.numel() == 25
    assert bool((some.diff() > 0).all())
    assert random_nodes(block_graph, 500, rng).tolist() == list(range(60))

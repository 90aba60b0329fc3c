"""Induced subgraphs, for methods whose steps see a sample of the nodes."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data


def random_nodes(graph: Data, count: int, rng: torch.Generator) -> Tensor:
    """Return `count` distinct nodes in ascending order, int64; all where there are no more."""
    order = torch.randperm(int(graph.num_nodes or 0), generator=rng, device=rng.device)
    return order[:count].sort().values.to(graph.edge_index.device)


def induced(graph: Data, nodes: Tensor) -> Data:
    """Return the subgraph of `nodes` with dense features and `edge_id` into the graph's edges.

    Args:
        graph: A graph whose edges are sorted.
        nodes: Distinct and ascending, int64 [n]; they are numbered from 0 in this order.
    """
    number = torch.full((int(graph.num_nodes or 0),), -1, device=nodes.device)
    number[nodes] = torch.arange(nodes.numel(), device=nodes.device)
    edges = number[graph.edge_index]
    inside = (edges >= 0).all(0)
    part = Data(
        x=_dense_rows(graph.x, nodes),
        edge_index=edges[:, inside],
        edge_id=inside.nonzero()[:, 0],
        num_nodes=nodes.numel(),
    )
    if graph.edge_weight is not None:
        part.edge_weight = graph.edge_weight[inside]
    return part


def _dense_rows(x: Tensor, nodes: Tensor) -> Tensor:
    if x.layout != torch.sparse_csr:
        return x[nodes]
    start, count = x.crow_indices().long()[nodes], x.crow_indices().long().diff()[nodes]
    row = torch.repeat_interleave(torch.arange(nodes.numel(), device=x.device), count)
    before = count.cumsum(0) - count
    entry = torch.arange(row.numel(), device=x.device) + (start - before)[row]
    dense = x.values().new_zeros(nodes.numel(), x.size(1))
    dense[row, x.col_indices().long()[entry]] = x.values()[entry]
    return dense

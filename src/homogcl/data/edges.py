"""The one form in which edges leave this package."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

from homogcl.data.mapped import release

_BLOCK = 2**24  # numbers that are hashed together


def undirected(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None
) -> tuple[Tensor, Tensor | None]:
    """Return edges [2, E] in both directions, once each, without self-loops, and their weights [E].

    Edges come sorted by source, then target. The weight of an edge that is listed more than
    once, or with a different weight each way, is the mean.
    """
    edge_index, edge_weight = remove_self_loops(edge_index, edge_weight)
    if edge_weight is None:
        row, col = edge_index
        # Without weights there is nothing to move along, so that a sort of plain numbers will do.
        keys = torch.cat([row * num_nodes + col, col * num_nodes + row]).sort().values
        keys = torch.unique_consecutive(keys)
        return torch.stack([keys // max(1, num_nodes), keys % max(1, num_nodes)]), None
    both, weight = to_undirected(edge_index, edge_weight, num_nodes=num_nodes, reduce="mean")
    return both, weight


def edges_sha256(graph: Data) -> str:
    """Return a hash of the number of nodes, the edges and their weights."""
    digest = hashlib.sha256(str(graph.num_nodes).encode())
    for part in (graph.edge_index, graph.get("edge_weight")):
        if part is not None:
            digest.update(f"{part.dtype} {tuple(part.shape)}".encode())
            numbers = part.cpu().contiguous().view(-1).numpy()
            for start in range(0, len(numbers), _BLOCK):
                digest.update(numbers[start : start + _BLOCK].data)
                release(graph)
    return digest.hexdigest()

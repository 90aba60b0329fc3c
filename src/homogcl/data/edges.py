"""The one form in which edges leave this package."""

from __future__ import annotations

from torch import Tensor
from torch_geometric.utils import remove_self_loops, to_undirected


def undirected(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None
) -> tuple[Tensor, Tensor | None]:
    """Return edges [2, E] in both directions, once each, without self-loops, and their weights [E].

    Edges come sorted by source, then target. Where an edge was given more than once, or with a
    different weight each way, its weight is the mean.
    """
    edge_index, edge_weight = remove_self_loops(edge_index, edge_weight)
    if edge_weight is None:
        return to_undirected(edge_index, num_nodes=num_nodes), None
    both, weight = to_undirected(edge_index, edge_weight, num_nodes=num_nodes, reduce="mean")
    return both, weight

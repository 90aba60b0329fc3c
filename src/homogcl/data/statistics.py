"""What a graph looks like in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data


@dataclass(frozen=True)
class Statistics:
    """Size and homophily of a graph; `edges` counts both directions of each edge."""

    nodes: int
    edges: int
    features: int
    classes: int
    homophily: float  # share of edges that join equal labels; nan without labels or edges
    isolated: int  # nodes without any edge


def statistics(graph: Data) -> Statistics:
    """Return the sizes of `graph`, its edge homophily and its number of isolated nodes."""
    num_nodes, num_features = graph.x.shape
    y = graph.get("y")
    degree = torch.bincount(graph.edge_index.flatten(), minlength=num_nodes)
    return Statistics(
        nodes=num_nodes,
        edges=graph.edge_index.size(1),
        features=num_features,
        classes=0 if y is None else int(y.max()) + 1,
        homophily=float("nan") if y is None else edge_homophily(graph.edge_index, y),
        isolated=int((degree == 0).sum()),
    )


def edge_homophily(edge_index: Tensor, y: Tensor) -> float:
    """Return the share of edges [2, E] whose two ends have the same label in `y` [N].

    Edges with an end that has no label (-1) are not counted. Where no edge is left there is no
    such share, and the result is nan.
    """
    source, target = y[edge_index]
    known = (source >= 0) & (target >= 0)
    return float((source == target)[known].double().mean())

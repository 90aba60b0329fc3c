"""A graph in numbers. Everywhere, an edge between two nodes counts once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.edges import undirected


@dataclass(frozen=True)
class GraphSummary:
    """Sizes, degrees and homophily of a graph; `str` gives one line.

    An edge joins two different nodes and counts once, whichever way and however often it is
    listed. Self-loops are counted apart.
    """

    nodes: int
    edges: int
    features: int
    classes: int
    density: float  # share of all pairs of nodes that are joined
    rows: int  # pairs as they are listed
    self_loops: int  # rows that join a node to itself
    duplicates: int  # rows, other than self-loops, that repeat another one
    one_way: int  # edges of which one direction only is listed
    isolated: int  # nodes without edges
    degree_min: int
    degree_median: float
    degree_max: int
    labeled_edges: int  # edges both of whose ends have a label
    homophily: float | None  # share of them that join equal labels; None if there are none
    adjusted_homophily: float | None  # the same above chance: 0 as by chance, 1 all
    structural: bool  # whether the features were made of the edges

    def __str__(self) -> str:
        """Return one line for people, without what did not occur."""
        parts = [f"{self.nodes:,} nodes", _count(self.edges, "edge")]
        if self.duplicates:
            parts.append(f"{_count(self.duplicates, 'duplicate')} merged")
        if self.self_loops:
            parts.append(f"{_count(self.self_loops, 'self-loop')} dropped")
        if self.one_way:
            parts.append(f"{self.one_way:,} given one way and taken both ways")
        if self.isolated:
            parts.append(f"{_count(self.isolated, 'node')} without edges")
        if self.structural:
            parts.append("features made of the edges")
        if self.homophily is not None:
            parts.append(f"edge homophily {self.homophily:.2f}")
        return ", ".join(parts)


def summarize(
    graph: Data, listed: npt.NDArray[np.int64] | None = None, *, structural: bool = False
) -> GraphSummary:
    """Return the summary of `graph`.

    Args:
        graph: Its `edge_index` may be in any order, one way or both, with or without repetitions
            and self-loops; `y` is below 0 where a node has no label.
        listed: The rows of edges as a file lists them, [2, rows], where `graph` has the edges in
            both directions, sorted and once each; by default its `edge_index` is what is listed.
        structural: Whether the features were made of the edges.
    """
    nodes = int(graph.num_nodes or 0)
    edges: Tensor = graph.edge_index
    if listed is None:
        listed = edges.cpu().numpy()
        edges, _ = undirected(edges, nodes)
    between = listed[:, listed[0] != listed[1]]
    directions = _distinct(between[0] * nodes + between[1])
    degree = torch.bincount(edges[0], minlength=nodes).cpu().numpy()
    y = graph.get("y")
    labeled = edges[:, :0] if y is None else edges[:, (y[edges] >= 0).all(dim=0)]
    count = labeled.size(1) // 2
    return GraphSummary(
        nodes=nodes,
        edges=edges.size(1) // 2,
        features=graph.num_features,
        classes=0 if y is None else int(y.max()) + 1,
        density=edges.size(1) / max(1, nodes * (nodes - 1)),
        rows=listed.shape[1],
        self_loops=listed.shape[1] - between.shape[1],
        duplicates=between.shape[1] - directions,
        one_way=edges.size(1) - directions,
        isolated=int((degree == 0).sum()),
        degree_min=int(degree.min(initial=nodes)) if nodes else 0,
        degree_median=float(np.median(degree)) if nodes else 0.0,
        degree_max=int(degree.max(initial=0)),
        labeled_edges=count,
        homophily=edge_homophily(labeled, y) if count else None,
        adjusted_homophily=adjusted_homophily(labeled, y) if count else None,
        structural=structural,
    )


def edge_homophily(edge_index: Tensor, y: Tensor) -> float:
    """Return the share of edges [2, E] whose two ends have the same label in `y` [N].

    Edges with an end that has no label (-1) do not count. Where no edge is left, the result is
    nan.
    """
    source, target = y[edge_index]
    labeled = (source >= 0) & (target >= 0)
    return float((source == target)[labeled].double().mean())


def adjusted_homophily(edge_index: Tensor, y: Tensor) -> float:
    """Return edge homophily above chance (Platonov et al., 2023), nan if there is but one class.

    With h the share of edges within a class and p_k the share of edge ends in class k, it is
    (h - Σ p_k²) / (1 - Σ p_k²): 1 if all edges keep the class, 0 if they join as by chance. Edges
    [2, E] come in both directions, and both ends have a label in `y` [N].
    """
    share = torch.bincount(y[edge_index[0]]).double() / edge_index.size(1)
    chance = float(share.square().sum())
    if chance >= 1:
        return float("nan")
    return (edge_homophily(edge_index, y) - chance) / (1 - chance)


def _distinct(keys: npt.NDArray[np.int64]) -> int:
    # np.unique hashes whole numbers, which takes several times as long as sorting them.
    keys = np.sort(keys)
    return len(keys) and 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"

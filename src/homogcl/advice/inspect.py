"""A graph looked at before training: what it is like, and reasons to doubt its neighbors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from torch_geometric.data import Data

from homogcl.advice.neighborhoods import LEAST_LIKENESS, Likeness
from homogcl.data.summary import GraphSummary

LEAST_HOMOPHILY = 0.2  # adjusted: how far above chance neighbors must agree


@dataclass(frozen=True)
class Components:
    """Connected components of a graph."""

    count: int
    largest: int  # nodes


def components(graph: Data) -> Components:
    """Return how many connected components `graph` has, and the size of the largest one."""
    nodes = int(graph.num_nodes or 0)
    source, target = graph.edge_index.numpy()
    ones = np.ones(len(source), dtype=np.int8)
    count, member = connected_components(
        coo_matrix((ones, (source, target)), (nodes, nodes)), directed=False
    )
    return Components(int(count), int(np.bincount(member).max()))


def warnings(summary: GraphSummary, measured: Likeness | None) -> list[str]:
    """Return one sentence for each reason to expect little of the graph.

    Args:
        summary: Of the graph.
        measured: How alike the ends of held-out edges are, where that was measured.
    """
    doubts = neighbor_doubts(summary, measured)
    if summary.edges and summary.isolated > summary.nodes / 2:
        doubts.append(
            f"{summary.isolated:,} of {summary.nodes:,} nodes have no edge, and there is nothing "
            "to learn for them but their features"
        )
    return doubts


def conclusions(summary: GraphSummary, measured: Likeness | None) -> list[str]:
    """Return the reasons for doubt, or else what is known of the neighbors, a sentence each.

    Args:
        summary: Of the graph.
        measured: How alike the ends of held-out edges are, where that was measured.
    """
    doubts = warnings(summary, measured)
    if measured is None:
        few = "there are too few edges to tell without labels whether neighbors belong together"
        return [*doubts, few]
    if doubts:
        return doubts
    if summary.homophily is None:
        return ["neighbors are alike; whether they are of one class, only labels can tell"]
    return ["no reason to doubt that neighbors belong together"]


def neighbor_doubts(summary: GraphSummary, measured: Likeness | None) -> list[str]:
    """Return one sentence for each reason to doubt that neighbors belong together."""
    instead = (
        "methods that average or pair neighbors would be misled: use homogcl, which weighs edges "
        "by what they are worth, or features alone (raw, mlp)"
    )
    doubts = []
    adjusted = summary.adjusted_homophily
    if adjusted is not None and adjusted < LEAST_HOMOPHILY:
        doubts.append(
            f"neighbors share a class little more often than chance (edge homophily "
            f"{summary.homophily:.2f}, adjusted {adjusted:.2f} < {LEAST_HOMOPHILY}): {instead}"
        )
    if measured is not None and measured.share < LEAST_LIKENESS:
        doubts.append(
            f"neighbors are hardly more alike than other nodes of their degrees (in "
            f"{measured.share:.0%} of cases, chance is 50%): {instead}"
        )
    return doubts

"""What pages show of edges: those of each node, the lowest of all, and their number by saliency."""

from __future__ import annotations

import numpy as np

from homogcl.pages.charts import Floats, Integers, SaliencyHistogram
from homogcl.pages.explore_page import Edges, LowestEdges

MOST_NEIGHBORS = 200  # of one node that the page holds
LOWEST = 100  # edges that the page lists
_BINS = 20


def ranked_edges(edge_index: Integers, s: Floats, nodes: int, most: int = MOST_NEIGHBORS) -> Edges:
    """Return each node's edges from high to low saliency.

    Of a node with more than `most`, only the highest and the lowest `most` / 2 are returned.
    """
    order = np.lexsort((-s, edge_index[0]))
    degrees = np.bincount(edge_index[0], minlength=nodes)
    starts = np.concatenate([[0], degrees.cumsum()])
    rank = np.arange(len(order)) - np.repeat(starts[:-1], degrees)
    below = np.repeat(degrees, degrees) - rank  # edges from this one down, itself included
    order = order[(rank < most - most // 2) | (below <= most // 2)]
    offsets = np.concatenate([[0], np.minimum(degrees, most).cumsum()])
    return Edges(offsets, edge_index[1][order], s[order])


def lowest_edges(edge_index: Integers, s: Floats, most: int = LOWEST) -> LowestEdges:
    """Return the edges with the lowest saliency, each once, lowest first."""
    once = edge_index[0] < edge_index[1]
    (source, target), s = edge_index[:, once], s[once]
    order = np.lexsort((target, source, s))[:most]
    return LowestEdges(source[order], target[order], s[order])


def mean_saliency(edge_index: Integers, s: Floats, nodes: int) -> Floats:
    """Return the mean saliency of each node's edges, [N], nan for a node without any."""
    degrees = np.bincount(edge_index[0], minlength=nodes)
    sums = np.bincount(edge_index[0], weights=s, minlength=nodes)
    return np.where(degrees > 0, sums / np.maximum(degrees, 1), np.nan)


def saliency_histogram(
    edge_index: Integers, s: Floats, labels: Integers | None, bins: int = _BINS
) -> SaliencyHistogram:
    """Return the number of edges in each bin of saliency, by label agreement, each edge once."""
    once = edge_index[0] < edge_index[1]
    (source, target), s = edge_index[:, once], np.clip(s[once], 0, 1)  # beyond by rounding
    if labels is None:
        labels = np.full(edge_index.max(initial=-1) + 1, -1)
    labeled = (labels[source] >= 0) & (labels[target] >= 0)
    same = labels[source] == labels[target]
    bounds = np.linspace(0.0, 1.0, bins + 1)
    kinds = (labeled & same, labeled & ~same, ~labeled)
    return SaliencyHistogram(bounds, *(np.histogram(s[kind], bounds)[0] for kind in kinds))

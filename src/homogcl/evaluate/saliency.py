"""Saliency against labels: whether salient edges join nodes of one class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from homogcl.evaluate.arrays import Array, as_tensor

Numbers = npt.NDArray[Any]


def saliency_scores(saliency: Array, edges: Array, labels: Array) -> dict[str, float]:
    """Return the homophily of a graph's edges, ordered by saliency.

    Args:
        saliency: S of each edge, [E].
        edges: Edges in both directions, [2, E]; each counts once.
        labels: Classes [N], below 0 where a node has none.

    Returns:
        The metrics of `homophily_by_saliency`.
    """
    s, y = (as_tensor(each).cpu().numpy() for each in (saliency, labels))
    source, target = as_tensor(edges).cpu().numpy()
    once = source < target
    source, target, s = source[once], target[once], s[once]
    labeled = (y[source] >= 0) & (y[target] >= 0)
    return homophily_by_saliency(s[labeled], (y[source] == y[target])[labeled])


def homophily_by_saliency(
    saliency: Numbers, same_label: Numbers, interval: int = 500
) -> dict[str, float]:
    """Return the share of edges within one class, of all edges and of each interval by saliency.

    Edges of equal saliency have no order among themselves: each counts as the mean of all that
    are equal to it, so that the numbers of the nodes decide nothing.

    Args:
        saliency: S of each edge, [E].
        same_label: Whether the nodes of each edge have one label, [E].
        interval: Edges per interval; the last one may have fewer.

    Returns:
        `edge_homophily` of all edges; `edge_homophily_00500` and so on, of the interval that ends
        with that edge; and `saliency_auc`, the probability that an edge of one label is more
        salient than an edge of two, where there are both. Nothing without an edge.
    """
    if not len(saliency):
        return {}
    order = np.argsort(saliency, kind="stable")
    saliency, same = saliency[order], same_label[order].astype(float)
    _, which, sizes = np.unique(saliency, return_inverse=True, return_counts=True)
    expected = (np.bincount(which, weights=same) / sizes)[which]
    metrics = {"edge_homophily": float(same.mean())}
    for start in range(0, len(same), interval):
        stop = min(start + interval, len(same))
        metrics[f"edge_homophily_{stop:05d}"] = float(expected[start:stop].mean())
    if len(np.unique(same)) == 2:
        metrics["saliency_auc"] = float(roc_auc_score(same, saliency))
    return metrics

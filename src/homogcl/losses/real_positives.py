"""AFGRL's positives: nearest pairs that an edge or a cluster confirms."""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.nn.sparse import Pattern


def real_positives(nearest: Tensor, labels: Tensor, edge_index: Tensor) -> Pattern:
    """Return the nearest pairs that are edges, or share a cluster in some clustering.

    `nearest` [N, k] are the nearest nodes of each node, `labels` [runs, N] their clusters.
    """
    n, k = nearest.shape
    row = torch.arange(n, device=nearest.device).repeat_interleave(k)
    col = nearest.sort(dim=1).values.flatten()
    adjacent = torch.isin(row * n + col, edge_index[0] * n + edge_index[1])
    is_positive = adjacent | (labels[:, row] == labels[:, col]).any(0)
    return Pattern.at(row[is_positive], col[is_positive], (n, n))

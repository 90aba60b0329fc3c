"""AFGRL's search for positives: nearest rows, kept where structure or clusters confirm them."""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.nn.sparse import Pattern


def nearest_rows(a: Tensor, b: Tensor, k: int, block: int = 1024) -> Tensor:
    """Return for each row of `a` itself and the k - 1 others with the largest a_i · b_j, [N, k].

    Args:
        a: Unit rows that search, [N, d].
        b: Unit rows that are searched, [N, d].
        k: How many, at most N of which are found.
        block: Rows of products held at a time.
    """
    found = []
    for start in range(0, a.size(0), block):
        products = a[start : start + block] @ b.t()
        products.diagonal(start).fill_(torch.inf)
        found.append(products.topk(min(k, b.size(0)), dim=1).indices)
    return torch.cat(found)


def real_positives(nearest: Tensor, labels: Tensor, edge_index: Tensor) -> Pattern:
    """Return those of the nearest pairs that are edges or share a cluster in some clustering.

    Args:
        nearest: For each node the nodes nearest to it, [N, k].
        labels: Each node's cluster in each clustering, [runs, N].
        edge_index: Edges, int64 [2, E].
    """
    n, k = nearest.shape
    row = torch.arange(n, device=nearest.device).repeat_interleave(k)
    col = nearest.sort(dim=1).values.flatten()
    adjacent = torch.isin(row * n + col, edge_index[0] * n + edge_index[1])
    kept = adjacent | (labels[:, row] == labels[:, col]).any(0)
    return Pattern.of(torch.stack([row[kept], col[kept]]), n)

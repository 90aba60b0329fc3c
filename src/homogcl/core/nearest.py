"""The rows of a matrix that are nearest to others: exact, and never all products at once."""

from __future__ import annotations

import torch
from torch import Tensor


def nearest_rows(
    a: Tensor,
    b: Tensor,
    k: int,
    *,
    own: Tensor | None = None,
    own_first: bool = False,
    block: int = 1024,
) -> tuple[Tensor, Tensor]:
    """Return for each unit row of `a` [n, d] the k rows of `b` [m, d] with the largest product.

    These are their numbers, int64 [n, k], and the products, [n, k], largest first; fewer where
    `b` has fewer. `own` int64 [n] is the row of `b` that stands for the same thing as each row of
    `a`: it is left out or, with `own_first`, comes first with an infinite product. Memory grows
    with m times `block`, not with n m.
    """
    left_out = own is not None and not own_first
    width = min(k, len(b) - left_out)
    indices = torch.empty(len(a), width, dtype=torch.int64, device=a.device)
    products = torch.empty(len(a), width, dtype=a.dtype, device=a.device)
    for start in range(0, len(a), block):
        rows = slice(start, start + block)
        scores = a[rows] @ b.t()
        if own is not None:
            lines = torch.arange(len(scores), device=scores.device)
            scores[lines, own[rows].to(scores.device)] = torch.inf if own_first else -torch.inf
        best = scores.topk(width, dim=1)
        indices[rows], products[rows] = best.indices, best.values
    return indices, products

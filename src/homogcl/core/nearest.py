"""The rows of a matrix that are nearest to others: exact, and never all products at once."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

_COLUMNS = 65_536  # rows of `b` that are compared with together


def nearest_rows(
    a: Tensor,
    b: Tensor,
    k: int,
    *,
    own: Tensor | None = None,
    own_first: bool = False,
    block: int = 1024,
    scaled: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return for each unit row of `a` [n, d] the k rows of `b` [m, d] with the largest product.

    These are their numbers, int64 [n, k], and the products, [n, k], largest first; fewer where
    `b` has fewer. `own` int64 [n] is the row of `b` that stands for the same thing as each row of
    `a`: it is left out or, with `own_first`, comes first with an infinite product. Memory grows
    with `block` times 65,536, not with n m. With `scaled`, rows of `b` are brought to length 1.
    """
    left_out = own is not None and not own_first
    width = min(k, len(b) - left_out)
    indices = torch.empty(len(a), width, dtype=torch.int64, device=a.device)
    products = torch.empty(len(a), width, dtype=a.dtype, device=a.device)
    for start in range(0, len(a), block):
        rows = slice(start, start + block)
        places, best = indices[rows, :0], products[rows, :0]
        for first in range(0, len(b), _COLUMNS):
            columns = b[first : first + _COLUMNS]
            scores = a[rows] @ (normalize(columns) if scaled else columns).t()
            if own is not None:
                _set_own(scores, own[rows] - first, torch.inf if own_first else -torch.inf)
            # The best so far, beside those of these columns.
            best = torch.cat([best, scores], dim=1)
            top = best.topk(min(width, best.size(1)), dim=1)
            earlier = places.size(1)
            earlier_places = torch.cat([places, places.new_zeros(len(places), 1)], dim=1)
            places = torch.where(
                top.indices < earlier,
                earlier_places.gather(1, top.indices.clamp(max=earlier)),
                top.indices - earlier + first,
            )
            best = top.values
        indices[rows], products[rows] = places, best
    return indices, products


def _set_own(scores: Tensor, own: Tensor, value: float) -> None:
    """Set each row's product with its own counterpart, where this is among the columns."""
    own = own.to(scores.device)
    lines = ((own >= 0) & (own < scores.size(1))).nonzero()[:, 0]
    scores[lines, own[lines]] = value

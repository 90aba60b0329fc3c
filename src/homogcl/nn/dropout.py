"""Dropout of dense and of sparse features, from a generator of one's own."""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.core.csr import csr_tensor


def dropped(x: Tensor, rate: float, rng: torch.Generator | None = None) -> Tensor:
    """Return `x` with each number zero at this rate, and the others larger by 1 / (1 - rate).

    Zeros stay zeros, so only the stored values of a `torch.sparse_csr` matrix need a draw. Draws
    come from `rng`, or from torch's own generator.
    """
    if rate == 0:
        return x
    if x.layout == torch.sparse_csr:
        values = dropped(x.values(), rate, rng)
        return csr_tensor(x.crow_indices(), x.col_indices(), values, (x.size(0), x.size(1)))
    survives = torch.empty_like(x).bernoulli_(1 - rate, generator=rng)
    return x * survives.div_(1 - rate)

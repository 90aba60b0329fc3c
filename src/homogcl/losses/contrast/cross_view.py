"""InfoNCE whose negatives are the other view's rows only, exact and without an n x n matrix."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


def cross_view_nce(u: Tensor, v: Tensor, temperature: float, *, block: int = 1024) -> Tensor:
    """Return the loss to minimize: InfoNCE between two views, averaged over both directions.

    For anchor u_i it is -log(e^{θ(u_i,v_i)/τ} / Σ_j e^{θ(u_i,v_j)/τ}), θ the cosine similarity.
    One block of rows of the similarities is held at a time; backward computes it again.

    Args:
        u: Vectors of the first view, [n, d].
        v: Vectors of the second view, [n, d].
        temperature: τ, positive.
        block: Rows of similarities held at a time.
    """
    a = functional.normalize(u) * temperature**-0.5
    b = functional.normalize(v) * temperature**-0.5
    own = (a * b).sum(1)
    return torch.mean(0.5 * (_log_sums(a, b, block) + _log_sums(b, a, block)) - own)


def _log_sums(a: Tensor, b: Tensor, block: int) -> Tensor:
    """Return log Σ_j e^{a_i·b_j} of each row of `a`, [n]."""
    parts: list[Tensor] = [
        checkpoint(_log_sum, rows, b, use_reentrant=False, preserve_rng_state=False)
        for rows in torch.split(a, block)
    ]
    return torch.cat(parts)


def _log_sum(rows: Tensor, b: Tensor) -> Tensor:
    return torch.logsumexp(rows @ b.t(), dim=1)

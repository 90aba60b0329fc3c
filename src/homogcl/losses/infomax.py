"""Mutual information from classifying true and false pairs: DGI, HDI, GMI, MVGRL, InfoGCL."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def jensen_shannon(positive: Tensor, negative: Tensor) -> Tensor:
    """Return the binary cross-entropy between the scores of true and false pairs, a scalar.

    It is mean(-log σ(positive)) + mean(-log(1 - σ(negative))). Subtracted from 2 log 2, it is a
    lower bound of twice the Jensen-Shannon divergence between true and false pairs.

    >>> import torch
    >>> round(float(jensen_shannon(torch.zeros(3), torch.zeros(5))), 4)
    1.3863
    """
    return functional.softplus(-positive).mean() + functional.softplus(negative).mean()


def readout(h: Tensor) -> Tensor:
    """Return a summary of all nodes, σ(mean of h), [d]."""
    return h.mean(0).sigmoid()


def bilinear(h: Tensor, weight: Tensor, summary: Tensor) -> Tensor:
    """Return h_iᵀ W s for each node, [N], in O(N d + d²): h [N, d], W [d, d], s [d]."""
    return h @ (weight @ summary)

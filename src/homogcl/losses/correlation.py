"""Losses on the correlations between embedding columns, which need no negatives."""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.homophily.positives import Positives
from homogcl.losses.neighbors import mean_cosine


def standardize(h: Tensor) -> Tensor:
    """Return each column with mean 0 and (unbiased) standard deviation 1, [N, d].

    A constant column becomes 0.
    """
    centered = h - h.mean(0)
    # Far below the deviation of an informative column, far above rounding errors.
    return centered / centered.std(0).clamp(min=1e-8)


def correlation(a: Tensor, b: Tensor) -> Tensor:
    """Return aᵀb / N of standardized columns: their correlation matrix, [d, d]."""
    return a.t() @ b / a.size(0)


def invariance(a: Tensor, b: Tensor, positives: Positives = Positives.none()) -> Tensor:
    """Return CCA-SSG's loss to minimize for agreement: -tr(aᵀb) / N of standardized columns [N, d].

    With `positives`, the inner product a_i · b_i becomes its mean with d cos(a_i, b_j), which has
    the same scale on standardized columns.
    """
    if positives.is_empty:
        return -(a * b).sum() / a.size(0)
    return -mean_cosine((a * b).sum(1), a, b, positives, unit=a.size(1)).mean()


def decorrelation(a: Tensor) -> Tensor:
    """Return CCA-SSG's loss against redundancy: ‖I - aᵀa / N‖² of standardized columns [N, d]."""
    c = correlation(a, a)
    return (torch.eye(c.size(0), dtype=c.dtype, device=c.device) - c).square().sum()


def barlow_twins(c: Tensor) -> tuple[Tensor, Tensor]:
    """Return the two losses of Barlow Twins to minimize: Σ_i (1 - C_ii)² and Σ_{i≠j} C_ij².

    C are the correlations between the columns of two views, [d, d].
    """
    diagonal = c.diagonal()
    off_diagonal = c.square().sum() - diagonal.square().sum()
    return (1 - diagonal).square().sum(), off_diagonal

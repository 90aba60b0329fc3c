"""Directions of the features on which neighborhoods agree, in closed form.

With rows t_i of mean 0 and Â of the graph, the agreement along a direction w is the share of the
variance that is left once each node is averaged with its neighbors:

    a(w) = Σ_i (Â T w)_i² / (Σ_i (t_i w)² + N ε m ‖w‖²),   0 ≤ a(w) ≤ 1

where m is the mean variance of a column and ε the ridge, which keeps directions of little variance
from agreeing by chance. The numerator is Σ_ij (Â²)_ij (t_i w)(t_j w): the objective of a contrast
whose positives are nodes with common neighbors, of a linear encoder whose outputs are kept
uncorrelated. Its optimum is a generalized eigenproblem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor

Operator = Callable[[Tensor], Tensor]  # h [N, d] -> Â h


class Moments(NamedTuple):
    """What the agreement depends on, on the principal axes of the rows, in float64."""

    axes: Tensor  # [r, r]
    variance: Tensor  # along each axis, [r]
    averaged: Tensor  # covariance of Â T on the axes, [r, r]


class Directions(NamedTuple):
    """Directions, each uncorrelated with the others, by falling agreement."""

    weight: Tensor  # [r, k]
    agreement: Tensor  # a of each, [k]


def moments(
    t: Tensor,
    operator: Operator,
    columns: Iterable[slice],
    rows: Callable[[Tensor], Iterable[slice]] = lambda t: [slice(0, len(t))],
) -> Moments:
    """Return the moments of rows `t` [N, r] of mean 0.

    Args:
        t: In memory or in a file.
        operator: Of the graph.
        columns: How many of them are averaged at a time.
        rows: How many of `t` are used at a time.
    """
    variance, averaged = (t.new_zeros(2, t.size(1), t.size(1), dtype=torch.float64)).unbind()
    for some in columns:
        h = t.new_empty(len(t), some.stop - some.start)
        for part in rows(t):
            h[part] = t[part, some]
            variance[:, some] += t[part].T @ t[part, some]
        h = operator(operator(h))
        for part in rows(t):
            averaged[:, some] += t[part].T @ h[part]
    along, axes = torch.linalg.eigh((variance + variance.T) / (2 * len(t)))
    averaged = axes.T @ (averaged + averaged.T) @ axes / (2 * len(t))
    return Moments(axes, along.clamp(min=0), averaged)


def directions(of: Moments, ridge: float, k: int) -> Directions:
    """Return the `k` directions with the largest agreement at ridge ε."""
    noise = ridge * of.variance.mean()
    # Rows that do not vary at all have no direction.
    scale = (of.variance + noise).rsqrt() if noise > 0 else torch.zeros_like(of.variance)
    a, rotation = torch.linalg.eigh(scale[:, None] * of.averaged * scale)
    order = torch.arange(len(a), device=a.device).flip(0)[:k]
    return Directions(of.axes @ (scale[:, None] * rotation[:, order]), a[order].clamp(min=0))

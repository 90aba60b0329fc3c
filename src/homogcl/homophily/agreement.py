"""Directions of the features on which neighbors agree, in closed form.

With rows t_i of mean 0 and Â of the graph, the agreement of neighbors along a direction w is

    a(w) = Σ_ij Â_ij (t_i w)(t_j w) / (Σ_i (t_i w)² + N ε m ‖w‖²),   |a(w)| ≤ 1

where m is the mean variance of a column and ε the ridge, which keeps directions of little variance
from agreeing by chance. It is the objective of a contrast in which all neighbors are positives, of
a linear encoder whose outputs are kept uncorrelated; its optimum is a generalized eigenproblem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor

Operator = Callable[[Tensor], Tensor]  # h [N, d] -> Â h


class Moments(NamedTuple):
    """What the agreement of neighbors depends on, on the principal axes of the rows, in float64."""

    axes: Tensor  # [r, r]
    variance: Tensor  # along each axis, [r]
    between: Tensor  # of neighbors: Tᵀ Â T / N on the axes, [r, r], symmetric


class Directions(NamedTuple):
    """Directions, each uncorrelated with the others, by falling absolute agreement."""

    weight: Tensor  # [r, k]
    agreement: Tensor  # a of each, [k]


def moments(t: Tensor, operator: Operator, columns: Iterable[slice]) -> Moments:
    """Return the moments of rows `t` [N, r] of mean 0, some columns at a time."""
    variance, between = (t.new_zeros(2, t.size(1), t.size(1), dtype=torch.float64)).unbind()
    for some in columns:
        variance[:, some] = t.T @ t[:, some]
        between[:, some] = t.T @ operator(t[:, some].contiguous())
    along, axes = torch.linalg.eigh((variance + variance.T) / (2 * len(t)))
    between = axes.T @ (between + between.T) @ axes / (2 * len(t))
    return Moments(axes, along.clamp(min=0), between)


def directions(of: Moments, ridge: float, k: int) -> Directions:
    """Return the `k` directions with the largest absolute agreement at ridge ε."""
    m = of.variance.mean().clamp(min=torch.finfo(torch.float64).tiny)
    scale = (of.variance + ridge * m).rsqrt()
    a, rotation = torch.linalg.eigh(scale[:, None] * of.between * scale)
    order = a.abs().argsort(descending=True, stable=True)[:k]
    return Directions(of.axes @ (scale[:, None] * rotation[:, order]), a[order])

"""Multinomial logistic regression, solved to its optimum.

The classifier of rows x minimizes

    mean over rows of -log softmax(x W + b)_y  +  λ m / 2 · ‖W‖²,   m = mean ‖x - x̄‖²

The penalty λ is relative to m, the spread of the rows: scaling all rows changes no prediction. The
problem is solved in the rows' principal axes, where its curvature is almost diagonal. Every optimum
lies in them, and coordinates on them stay the same when all rows are rotated or shifted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt
import torch
from scipy.optimize import minimize
from torch import Tensor

OPTIMUM = 1e-6  # slope below which an optimum is reached
ROUGH = 1e-5  # slope above which products in float32 are precise enough
LARGE = 1 << 22  # coordinates beyond which they have to be
_RANK_TOLERANCE = 1e-13  # of the largest variance, per row: an axis below it is rounding error
_MOST_ITERATIONS = 5000


class Solution(NamedTuple):
    """A linear classifier: x @ weight + bias has one column per class."""

    weight: Tensor  # [d, C], float64
    bias: Tensor  # [C], float64
    theta: Tensor  # [C, r + 1], the same on the axes; the last column is the bias


class Axes(NamedTuple):
    """The principal axes of rows, and the coordinates of the rows on them."""

    mean: Tensor  # [d]
    directions: Tensor  # [d, r], each divided by the rows' spread √m
    coordinates: Tensor  # [n, r]


def principal_axes(x: Tensor) -> Axes:
    """Return the axes on which the rows `x` [n, d] vary, and their coordinates of mean length 1."""
    x = x.double()
    mean = x.mean(dim=0)
    centered = x - mean
    n, d = x.shape
    gram = centered @ centered.T if n <= d else centered.T @ centered
    variances, vectors = torch.linalg.eigh(gram)
    present = variances > variances[-1:] * _RANK_TOLERANCE * max(n, d)
    variances, vectors = variances[present], vectors[:, present]
    directions = centered.T @ vectors / variances.sqrt() if n <= d else vectors
    directions = directions / (variances.sum() / n).sqrt()
    return Axes(mean, directions, centered @ directions)


class Regression:
    """The regression of classes on rows.

    Classes come first in θ [C, r + 1], since products with few rows are faster than products with
    few columns.
    """

    def __init__(self, x: Tensor, y: Tensor) -> None:
        """Find the axes of the rows.

        Args:
            x: Rows [n, d].
            y: Classes [n], counted from 0, each of them present.
        """
        self.axes = principal_axes(x)
        t = self.axes.coordinates
        dtype = torch.float32 if t.numel() > LARGE else torch.float64
        self.rows = torch.cat([t.to(dtype), torch.ones(len(t), 1, dtype=dtype)], dim=1)
        self.y = y[None]

    def prior(self) -> Solution:
        """Return the classifier that knows how frequent each class is, and nothing of the rows."""
        shares = self.y.flatten().bincount().double() / self.y.numel()
        theta = torch.zeros(len(shares), self.rows.size(1), dtype=torch.float64)
        theta[:, -1] = shares.log()
        return self._solution(theta)

    def solve(
        self, penalty: float, start: Tensor | None = None, tolerance: float = OPTIMUM
    ) -> Solution:
        """Return the optimal classifier by L-BFGS.

        Args:
            penalty: λ, relative to the rows' spread.
            start: θ near the optimum, such as that of a similar penalty.
            tolerance: Largest slope that is left, in units in which each curvature at the start
                is 1.
        """
        first = self.prior().theta if start is None else start
        rows = self.rows.float() if tolerance > ROUGH else self.rows
        penalties = torch.full_like(first[0], penalty)
        penalties[-1] = 0  # the bias is free
        curvature = self._curvature(first, rows) + penalties
        unit = curvature.clamp(min=float(curvature.max()) * 1e-12).rsqrt()

        def value_and_slope(phi: npt.NDArray[Any]) -> tuple[float, npt.NDArray[Any]]:
            theta = torch.from_numpy(phi).view_as(unit) * unit
            loss, slope = self._loss(theta, rows)
            loss += float((penalties * theta.square()).sum()) / 2
            return loss, ((slope + penalties * theta) * unit).numpy().ravel()

        result = minimize(
            value_and_slope,
            (first / unit).numpy().ravel(),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": _MOST_ITERATIONS,
                "maxfun": 2 * _MOST_ITERATIONS,
                "maxcor": 20,
                "gtol": tolerance,
                "ftol": 0.0,
            },
        )
        return self._solution(torch.from_numpy(result.x).view_as(unit) * unit)

    def _solution(self, theta: Tensor) -> Solution:
        weight = self.axes.directions @ theta[:, :-1].T
        return Solution(weight, theta[:, -1] - self.axes.mean @ weight, theta)

    def _loss(self, theta: Tensor, rows: Tensor) -> tuple[float, Tensor]:
        """Return the mean cross-entropy and its gradient [C, r + 1]."""
        log_p = (theta.to(rows.dtype) @ rows.T).log_softmax(dim=0)  # [C, n]
        loss = -float(log_p.gather(0, self.y).double().mean())
        error = log_p.exp_()  # p - one-hot(y)
        error.scatter_add_(0, self.y, error.new_full(self.y.shape, -1.0))
        return loss, (error @ rows).double() / len(rows)

    def _curvature(self, theta: Tensor, rows: Tensor) -> Tensor:
        """Return the diagonal of the second derivative at θ, [C, r + 1]."""
        p = (theta.to(rows.dtype) @ rows.T).softmax(dim=0)
        return ((p * (1 - p)) @ rows.square()).double() / len(rows)

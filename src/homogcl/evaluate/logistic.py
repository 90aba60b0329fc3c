"""Multinomial logistic regression, solved to its optimum.

The classifier of rows x minimizes

    mean over rows of -log softmax(x W + b)_y  +  λ m / 2 · ‖W‖²,   m = mean ‖x - x̄‖²

The penalty λ is relative to m, the spread of the rows: scaling all rows changes no prediction. The
problem is solved in the rows' principal axes, where its curvature is almost diagonal. Every optimum
lies in them, and coordinates on them stay the same when all rows are rotated or shifted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor

from homogcl.evaluate.curvature import preconditioner
from homogcl.evaluate.newton import minimum

OPTIMUM = 1e-6  # slope below which an optimum is reached
ROUGH = 1e-5  # slope above which products in float32 are precise enough
LARGE = 1 << 22  # coordinates beyond which they have to be
SHORT = 1 << 24  # multiplications of a product that one thread does best
_RANK_TOLERANCE = 1e-13  # of the largest variance, per row: an axis below it is rounding error


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
        """Return the optimal classifier.

        Args:
            penalty: λ, relative to the rows' spread.
            start: θ near the optimum, such as that of a similar penalty.
            tolerance: Length of the slope that is left, in units in which each curvature at the
                start is 1.
        """
        first = self.prior().theta if start is None else start
        first = first - first.mean(dim=0)  # what is common to all classes is 0 at the optimum
        rows = self.rows.float() if tolerance > ROUGH else self.rows
        penalties = torch.full_like(first[0], penalty)
        penalties[-1] = 0  # the bias is free
        with _threads_for(rows.size(0) * first.numel()):
            theta = minimum(
                lambda theta: _Loss(theta, rows, self.y, penalties),
                first,
                tolerance,
                preconditioner(first, rows, penalties),
            )
        return self._solution(theta)

    def _solution(self, theta: Tensor) -> Solution:
        weight = self.axes.directions @ theta[:, :-1].T
        return Solution(weight, theta[:, -1] - self.axes.mean @ weight, theta)


class _Loss:
    """The penalized loss of the classifier θ [C, r + 1] on rows [n, r + 1]."""

    def __init__(self, theta: Tensor, rows: Tensor, y: Tensor, penalties: Tensor) -> None:
        """Compute the loss and its slope.

        Args:
            theta: The classifier, float64.
            rows: Coordinates, the last of them 1; their precision is that of the products.
            y: Classes [1, n].
            penalties: What each squared coefficient costs twice, [r + 1].
        """
        self._rows, self._penalties = rows, penalties
        log_p = (theta.to(rows.dtype) @ rows.T).log_softmax(dim=0)  # [C, n]
        entropy = -float(log_p.gather(0, y).double().mean())
        self.value = entropy + float((penalties * theta.square()).sum()) / 2
        self.precision = 4 * torch.finfo(rows.dtype).eps * (1 + self.value)
        self._p = log_p.exp_()
        error = self._p.scatter_add(0, y, log_p.new_full(y.shape, -1.0))  # p - one-hot(y)
        self.slope = _mean(error, rows) + penalties * theta

    def times_second_derivative(self, direction: Tensor) -> Tensor:
        """Return the second derivative times a direction, [C, r + 1]."""
        change = self._p * (direction.to(self._rows.dtype) @ self._rows.T)  # [C, n]
        change -= self._p * change.sum(dim=0)
        return _mean(change, self._rows) + self._penalties * direction


def _mean(values: Tensor, rows: Tensor) -> Tensor:
    """Return the mean over nodes of values [C, n] times rows [n, r + 1], [C, r + 1]."""
    return (values @ rows).double() / len(rows)


@contextmanager
def _threads_for(multiplications: int) -> Iterator[None]:
    """Use one thread where a product is so short that threads wait longer than they multiply."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1 if multiplications < SHORT else threads)
    try:
        yield
    finally:
        torch.set_num_threads(threads)

"""Newton's method for smooth convex functions, each step found by conjugate gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

_MOST_STEPS = 100
_MOST_PRODUCTS = 500  # in one step
_SMALLEST_FRACTION = 1e-9  # of a step

Linear = Callable[[Tensor], Tensor]


class Point(Protocol):
    """A convex function at one place."""

    value: float
    precision: float  # differences of values below this are rounding errors
    slope: Tensor

    def times_second_derivative(self, direction: Tensor) -> Tensor:
        """Return the product of the second derivative and a direction."""


def minimum(
    at: Callable[[Tensor], Point], start: Tensor, tolerance: float, precondition: Linear
) -> Tensor:
    """Return where a convex function is least.

    A step ends early while it is far from the minimum, and is halved while the function does not
    fall. There may be directions in which the function is constant.

    Args:
        at: Returns the function at a place.
        start: The first place.
        tolerance: Length of the slope that is left, in units in which each curvature is 1. It
            may stay larger where rounding errors leave no more to gain.
        precondition: Divides a slope by curvatures that are similar to the function's.
    """
    place, point = start, at(start)
    slope = _length(point.slope, precondition)
    for _ in range(_MOST_STEPS):
        if slope <= tolerance:
            break
        # Far from the minimum a rough direction is as good, and near it there is no need to
        # go further than the tolerance.
        remainder = max(min(0.5, math.sqrt(slope)), tolerance / slope / 2)
        direction = _newton_step(point, remainder, precondition)
        gain = -float((point.slope * direction).sum()) / 2
        place, point = _descent(at, place, direction, point.value)
        before, slope = slope, _length(point.slope, precondition)
        if gain < point.precision and slope > before / 2:
            break
    return place


def _descent(
    at: Callable[[Tensor], Point], place: Tensor, direction: Tensor, value: float
) -> tuple[Tensor, Point]:
    """Return the first place with a value below `value`, a whole step ahead, half a step, ..."""
    fraction = 1.0
    while True:
        further = place + fraction * direction
        point = at(further)
        if point.value <= value + point.precision or fraction < _SMALLEST_FRACTION:
            return further, point
        fraction /= 2


def _newton_step(point: Point, remainder: float, precondition: Linear) -> Tensor:
    """Return a direction whose product with the second derivative is almost minus the slope.

    Args:
        point: The function at one place.
        remainder: Length of what is left of the slope, as a share of its length.
        precondition: Divides by curvatures that are similar to the function's.
    """
    step = torch.zeros_like(point.slope)
    left = -point.slope
    direction = scaled = precondition(left)
    squared = first = float((left * scaled).sum())
    for _ in range(_MOST_PRODUCTS):
        product = point.times_second_derivative(direction)
        along = float((direction * product).sum())
        if along <= 0:  # by rounding
            break
        step = step + squared / along * direction
        left = left - squared / along * product
        scaled = precondition(left)
        before, squared = squared, float((left * scaled).sum())
        if squared <= remainder**2 * first:
            break
        direction = scaled + squared / before * direction
    return step


def _length(slope: Tensor, precondition: Linear) -> float:
    return math.sqrt(max(float((slope * precondition(slope)).sum()), 0.0))

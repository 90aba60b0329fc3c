"""Differences paired by seed: their interval, their p-value, and a correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
_ROUNDING = 1e-12  # spread below this share of the values is not spread


class Difference(NamedTuple):
    """By how much one thing exceeds another, over pairs.

    One pair has no standard deviation; equal differences, as those of one pair are, have neither
    an interval nor a p-value.
    """

    mean: float
    std: float | None
    n: int
    low: float | None = None  # of the interval of confidence
    high: float | None = None
    p: float | None = None


def paired_difference(before: npt.ArrayLike, after: npt.ArrayLike) -> Difference:
    """Return the mean of `after - before`, its 95 % interval and p-value by Student's t.

    Args:
        before: Scores [n], at least one.
        after: Scores [n] of the same seeds, in the same order.
    """
    from scipy.special import stdtr, stdtrit

    base, other = (np.asarray(values, dtype=np.float64) for values in (before, after))
    if base.ndim != 1 or base.shape != other.shape or base.size == 0:
        raise ValueError(f"pairs need two equal lengths, not {base.shape} and {other.shape}")
    differences = other - base
    n, mean = len(differences), float(differences.mean())
    if n == 1:
        return Difference(mean, None, n)
    std = float(differences.std(ddof=1))
    if std <= _ROUNDING * max(np.abs(base).max(), np.abs(other).max()):
        return Difference(mean, std, n)
    error = std / n**0.5
    margin = error * float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
    p = 2 * float(stdtr(n - 1, -abs(mean) / error))
    return Difference(mean, std, n, mean - margin, mean + margin, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values after Holm's correction for their number, in the same order."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted

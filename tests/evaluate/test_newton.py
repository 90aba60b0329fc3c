"""Newton's method against the solution of linear equations, and on functions that bend."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.evaluate.newton import Point, minimum


@dataclass
class Place:
    """A function at one place, with its second derivative as a matrix."""

    value: float
    slope: Tensor
    matrix: Tensor
    precision: float = 1e-15

    def times_second_derivative(self, direction: Tensor) -> Tensor:
        return self.matrix @ direction


def normal(seed: int, *shape: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def unchanged(slope: Tensor) -> Tensor:
    return slope


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 8))
def test_least_place_of_a_parabola_is_the_solution_of_its_equations(seed: int, size: int) -> None:
    root, linear = normal(seed, size, size), normal(seed + 1, size)
    matrix = root @ root.T + 0.1 * torch.eye(size, dtype=torch.float64)

    def at(x: Tensor) -> Point:
        value = float(x @ matrix @ x / 2 - linear @ x)
        return Place(value, matrix @ x - linear, matrix)

    expected = torch.linalg.solve(matrix, linear)
    for precondition in (unchanged, lambda slope: slope / matrix.diagonal()):
        place = minimum(at, torch.zeros(size, dtype=torch.float64), 1e-9, precondition)
        torch.testing.assert_close(place, expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("start", [-30.0, -1.0, 0.0, 5.0, 30.0])
def test_steps_that_would_lead_upward_are_halved(start: float) -> None:
    values: list[float] = []

    def at(x: Tensor) -> Point:
        """Return sqrt(1 + x²), on which whole steps of Newton's method diverge beyond 1."""
        root = math.sqrt(1 + float(x) ** 2)
        values.append(root)
        return Place(root, x / root, torch.full((1, 1), root**-3, dtype=torch.float64))

    place = minimum(at, torch.tensor([start], dtype=torch.float64), 1e-9, unchanged)
    assert float(place) == pytest.approx(0, abs=1e-8)
    assert values[-1] == min(values)


def test_rounding_ends_the_search_where_nothing_is_left_to_gain() -> None:
    calls = 0

    def at(x: Tensor) -> Point:
        """Return x² / 2 with a slope that is wrong by 1e-4, as rounding makes it."""
        nonlocal calls
        calls += 1
        error = 1e-4 if calls % 2 else -1e-4
        matrix = torch.eye(1, dtype=torch.float64)
        return Place(float(x) ** 2 / 2, x + error, matrix, precision=1e-6)

    place = minimum(at, torch.ones(1, dtype=torch.float64), 1e-9, unchanged)
    assert abs(float(place)) < 1e-3
    assert calls < 20


def test_a_start_at_the_minimum_stays_there() -> None:
    def at(x: Tensor) -> Point:
        return Place(float(x @ x) / 2, x, torch.eye(3, dtype=torch.float64))

    start = torch.zeros(3, dtype=torch.float64)
    assert torch.equal(minimum(at, start, 1e-6, unchanged), start)

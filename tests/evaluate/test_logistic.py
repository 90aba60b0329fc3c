"""The regression against scikit-learn's optimum, finite differences, and its invariances."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from homogcl.evaluate import logistic
from homogcl.evaluate.logistic import Regression, Solution, principal_axes


def problem(
    seed: int = 0, n: int = 80, d: int = 6, classes: int = 3, noise: float = 1.5
) -> tuple[Tensor, Tensor]:
    """Overlapping classes in float64."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % classes
    centers = torch.randn(classes, d, generator=rng, dtype=torch.float64)
    return centers[y] + noise * torch.randn(n, d, generator=rng, dtype=torch.float64), y


def spread(x: Tensor) -> float:
    """Return m, the mean squared distance of the rows from their mean, by a loop."""
    mean = sum(row for row in x) / len(x)
    return sum(float(((row - mean) ** 2).sum()) for row in x) / len(x)


def probabilities(solution: Solution, x: Tensor) -> Tensor:
    return (x.double() @ solution.weight + solution.bias).softmax(dim=1)


@pytest.mark.parametrize("penalty", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize(("n", "d"), [(80, 6), (30, 50)])
def test_solution_is_the_optimum_that_scikit_learn_finds(penalty: float, n: int, d: int) -> None:
    x, y = problem(n=n, d=d)
    oracle = LogisticRegression(C=1 / (penalty * spread(x) * n), tol=1e-10, max_iter=100_000)
    oracle.fit(x.numpy(), y.numpy())
    solution = Regression(x, y).solve(penalty)
    np.testing.assert_allclose(solution.weight.T, oracle.coef_, atol=2e-4, rtol=2e-4)
    expected = oracle.predict_proba(x.numpy())
    np.testing.assert_allclose(probabilities(solution, x), expected, atol=2e-5)


def test_a_start_changes_the_way_and_not_the_end() -> None:
    x, y = problem()
    regression = Regression(x, y)
    warm = regression.solve(1e-3, regression.solve(1e-1, tolerance=1e-4).theta)
    torch.testing.assert_close(warm.weight, regression.solve(1e-3).weight, atol=1e-4, rtol=1e-4)


def test_slope_and_curvature_are_those_of_the_loss() -> None:
    x, y = problem(n=12, d=3)
    regression = Regression(x, y)
    theta = torch.randn(3, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    _, slope = regression._loss(theta, regression.rows)
    curvature = regression._curvature(theta, regression.rows)
    step = 1e-4
    for place in np.ndindex(3, 4):
        shift = torch.zeros_like(theta)
        shift[place] = step
        above, below = (regression._loss(theta + s, regression.rows) for s in (shift, -shift))
        assert float(slope[place]) == pytest.approx((above[0] - below[0]) / (2 * step), abs=1e-6)
        second = (above[1][place] - below[1][place]) / (2 * step)
        assert float(curvature[place]) == pytest.approx(float(second), abs=1e-6)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    exponent=st.integers(-6, 6),
    shape=st.sampled_from([(40, 5), (20, 30)]),
)
def test_scale_rotation_shift_and_order_change_no_probability(
    seed: int, exponent: int, shape: tuple[int, int]
) -> None:
    x, y = problem(seed, *shape)
    rng = torch.Generator().manual_seed(seed)
    normal = torch.randn(shape[1], shape[1], generator=rng, dtype=torch.float64)
    rotation = torch.linalg.qr(normal).Q
    order = torch.randperm(len(x), generator=rng)
    changed = (10.0**exponent * (x @ rotation + 3.0))[order]
    expected = probabilities(Regression(x, y).solve(1e-2), x)
    solution = Regression(changed, y[order]).solve(1e-2)
    torch.testing.assert_close(probabilities(solution, changed), expected[order], atol=1e-5, rtol=0)


def test_axes_keep_every_distance_up_to_the_spread() -> None:
    for x in (problem(n=30, d=4)[0], problem(n=10, d=25)[0]):
        axes = principal_axes(x)
        expected = torch.cdist(x, x) / spread(x) ** 0.5
        torch.testing.assert_close(torch.cdist(axes.coordinates, axes.coordinates), expected)


def test_rows_that_do_not_vary_are_classified_by_frequency() -> None:
    x, y = torch.full((6, 4), 2.5), torch.tensor([0, 0, 0, 1, 1, 2])
    solution = Regression(x, y).solve(1e-2)
    shares = torch.tensor([[3 / 6, 2 / 6, 1 / 6]], dtype=torch.float64)
    torch.testing.assert_close(probabilities(solution, x[:1]), shares)


def test_large_problems_in_float32_reach_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = problem(n=300)
    exact = probabilities(Regression(x, y).solve(1e-3), x)
    monkeypatch.setattr(logistic, "LARGE", 0)
    regression = Regression(x, y)
    assert regression.rows.dtype == torch.float32
    torch.testing.assert_close(probabilities(regression.solve(1e-3), x), exact, atol=2e-4, rtol=0)

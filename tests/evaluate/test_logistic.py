"""The regression against scikit-learn's optimum, finite differences, and its invariances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from homogcl.evaluate import logistic
from homogcl.evaluate.logistic import Regression, Solution, _Loss, principal_axes
from homogcl.evaluate.newton import minimum


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


def test_many_rows_for_each_column_end_at_scikit_learns_optimum() -> None:
    x, y = problem(n=600, d=4)  # enough of them for blocks of the curvature
    oracle = LogisticRegression(C=1 / (1e-4 * spread(x) * 600), tol=1e-10, max_iter=100_000)
    oracle.fit(x.numpy(), y.numpy())
    solution = Regression(x, y).solve(1e-4)
    np.testing.assert_allclose(solution.weight.T, oracle.coef_, atol=2e-4, rtol=2e-4)


@pytest.mark.parametrize("n", [80, 600])
def test_what_a_start_gives_to_all_classes_alike_is_gone_at_the_optimum(n: int) -> None:
    x, y = problem(n=n, d=4)
    regression = Regression(x, y)
    expected = regression.solve(1e-3)
    solution = regression.solve(1e-3, expected.theta + torch.arange(5.0))
    torch.testing.assert_close(solution.weight, expected.weight, atol=1e-4, rtol=1e-4)


def test_slope_and_second_derivative_are_those_of_the_loss() -> None:
    x, y = problem(n=12, d=3)
    regression = Regression(x, y)
    rng = torch.Generator().manual_seed(1)
    theta, direction = torch.randn(2, 3, 4, generator=rng, dtype=torch.float64)
    penalties = torch.tensor([0.3, 0.2, 0.1, 0.0], dtype=torch.float64)

    def at(theta: Tensor) -> _Loss:
        return _Loss(theta, regression.rows, regression.y, penalties)

    step = 1e-4
    for place in np.ndindex(3, 4):
        shift = torch.zeros_like(theta)
        shift[place] = step
        change = at(theta + shift).value - at(theta - shift).value
        assert float(at(theta).slope[place]) == pytest.approx(change / (2 * step), abs=1e-6)
    change_of_slope = at(theta + step * direction).slope - at(theta - step * direction).slope
    product = at(theta).times_second_derivative(direction)
    torch.testing.assert_close(product, change_of_slope / (2 * step), atol=1e-6, rtol=0)


def test_loss_is_the_mean_over_rows_of_the_cross_entropy_with_the_penalty() -> None:
    x, y = problem(n=12, d=3)
    regression = Regression(x, y)
    theta = torch.randn(3, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    penalties = torch.tensor([0.3, 0.2, 0.1, 0.0], dtype=torch.float64)
    expected = sum(
        float(p) * float(t) ** 2 / 2 for row in theta for p, t in zip(penalties, row, strict=True)
    )
    for row, label in zip(regression.rows, y, strict=True):
        logits = [float((row * each).sum()) for each in theta]
        total = sum(math.exp(logit) for logit in logits)
        expected -= math.log(math.exp(logits[label]) / total) / len(x)
    value = _Loss(theta, regression.rows, regression.y, penalties).value
    assert value == pytest.approx(expected, rel=1e-12)


def test_short_products_take_one_thread_and_give_the_others_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = problem()
    threads: list[int] = []

    def recording(*arguments: Any) -> Tensor:
        threads.append(torch.get_num_threads())
        return minimum(*arguments)

    monkeypatch.setattr(logistic, "minimum", recording)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        Regression(x, y).solve(1e-2)
        monkeypatch.setattr(logistic, "SHORT", 0)
        Regression(x, y).solve(1e-2)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert threads == [1, 2]


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

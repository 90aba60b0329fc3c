"""Directions of agreement against loops and against SciPy's generalized eigenproblem."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh
from torch import Tensor

from homogcl.homophily.agreement import Moments, directions, moments


def problem(seed: int, nodes: int = 12, width: int = 4) -> tuple[Tensor, Tensor]:
    """Rows of mean 0, and a symmetric operator whose eigenvalues lie in -1 to 1."""
    rng = torch.Generator().manual_seed(seed)
    t = torch.randn(nodes, width, generator=rng, dtype=torch.float64)
    half = torch.rand(nodes, nodes, generator=rng, dtype=torch.float64) < 0.3
    adjacency = (half | half.T).double()
    adjacency.fill_diagonal_(1)
    scale = adjacency.sum(dim=1).rsqrt()
    return t - t.mean(dim=0), scale[:, None] * adjacency * scale


def moments_of(t: Tensor, operator: Tensor, step: int = 3) -> Moments:
    columns = (slice(i, min(i + step, t.size(1))) for i in range(0, t.size(1), step))
    return moments(t, lambda h: operator @ h, columns)


def agreement(w: Tensor, t: Tensor, operator: Tensor, ridge: float) -> float:
    """a(w), summed node by node."""
    nodes, width = t.shape
    values = [sum(float(t[i, c] * w[c]) for c in range(width)) for i in range(nodes)]
    averages = [sum(float(operator[i, j]) * values[j] for j in range(nodes)) for i in range(nodes)]
    m = sum(float(t[i, c]) ** 2 for i in range(nodes) for c in range(width)) / (nodes * width)
    length = sum(float(w[c]) ** 2 for c in range(width))
    return sum(each**2 for each in averages) / (
        sum(value**2 for value in values) + nodes * ridge * m * length
    )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), ridge=st.sampled_from([0.01, 0.3, 3.0]))
def test_directions_are_the_optima_of_the_agreement(seed: int, ridge: float) -> None:
    t, operator = problem(seed)
    weight, a = directions(moments_of(t, operator), ridge, k=4)
    assert [agreement(w, t, operator, ridge) for w in weight.T] == pytest.approx(a.tolist())
    variance = (t.T @ t / len(t)).numpy()
    noise = ridge * np.trace(variance) / len(variance) * np.eye(len(variance))
    expected = eigh(
        (t.T @ operator @ operator @ t / len(t)).numpy(), variance + noise, eigvals_only=True
    )
    assert sorted(a.tolist()) == pytest.approx(sorted(expected.tolist()))
    assert a.tolist() == sorted(a.tolist(), reverse=True)
    assert 0 <= float(a.min()) <= float(a.max()) <= 1


def test_rows_may_come_a_few_at_a_time() -> None:
    t, operator = problem(5)
    parts = [slice(0, 5), slice(5, 6), slice(6, 12)]
    apart = moments(t, lambda h: operator @ h, [slice(0, 3), slice(3, 4)], lambda t: parts)
    whole = moments_of(t, operator)
    torch.testing.assert_close(apart.variance, whole.variance)
    for each in (0.01, 3.0):
        torch.testing.assert_close(
            directions(apart, each, k=4).agreement, directions(whole, each, k=4).agreement
        )


def test_directions_are_uncorrelated() -> None:
    t, operator = problem(3)
    of = moments_of(t, operator)
    weight, _ = directions(of, 0.5, k=3)
    noise = 0.5 * of.variance.mean() * torch.eye(4, dtype=torch.float64)
    product = weight.T @ (t.T @ t / len(t) + noise) @ weight
    torch.testing.assert_close(product, torch.eye(3, dtype=torch.float64))


@given(st.integers(-4, 4), st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_scale_and_order_of_rows_change_no_agreement(exponent: int, seed: int) -> None:
    t, operator = problem(seed)
    order = torch.randperm(len(t), generator=torch.Generator().manual_seed(seed))
    changed = moments_of(10.0**exponent * t[order], operator[order][:, order])
    expected = directions(moments_of(t, operator), 0.3, k=4).agreement
    torch.testing.assert_close(directions(changed, 0.3, k=4).agreement, expected)


def test_rows_that_do_not_vary_have_no_agreement() -> None:
    of = moments_of(torch.zeros(5, 2, dtype=torch.float64), torch.eye(5, dtype=torch.float64))
    assert directions(of, 1.0, k=2).agreement.tolist() == [0.0, 0.0]

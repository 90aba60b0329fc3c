from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.preprocessing import StandardScaler

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.correlation import (
    barlow_twins,
    correlation,
    decorrelation,
    invariance,
    standardize,
)
from tests.reference.neighbors import averaged, cosines


def vectors(seed: int, columns: int = 4) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    h = torch.randn(9, columns, generator=rng, dtype=torch.float64)
    return h @ torch.randn(columns, columns, generator=rng, dtype=torch.float64) + 3


def test_standardized_columns_are_those_of_scikit_learn() -> None:
    h = vectors(1)
    # scikit-learn divides by the deviation over N, CCA-SSG and G-BT by that over N - 1.
    expected = StandardScaler().fit_transform(h.numpy()) * np.sqrt(8 / 9)
    np.testing.assert_allclose(standardize(h).numpy(), expected, rtol=1e-12)


def test_a_constant_column_becomes_zero_and_has_a_finite_gradient() -> None:
    h = vectors(1)
    h[:, 2] = 0.1
    h.requires_grad_()
    z = standardize(h)
    (gradient,) = torch.autograd.grad(z.square().sum() + z.sum(), h)
    assert float(z[:, 2].detach().abs().max()) < 1e-6
    assert bool(gradient.isfinite().all())


def test_correlations_are_those_of_numpy() -> None:
    a, b = vectors(1), vectors(2)
    expected = np.corrcoef(a.numpy(), b.numpy(), rowvar=False)[:4, 4:]
    found = correlation(standardize(a), standardize(b))
    np.testing.assert_allclose(found.numpy() * 9 / 8, expected, rtol=1e-12)


def test_invariance_and_decorrelation_are_the_formulas_entry_by_entry() -> None:
    a, b = standardize(vectors(1)), standardize(vectors(2))
    trace = sum(float(a[n, i] * b[n, i]) for n in range(9) for i in range(4))
    assert float(invariance(a, b)) == pytest.approx(-trace / 9)
    square = 0.0
    for i in range(4):
        for j in range(4):
            c = sum(float(a[n, i] * a[n, j]) for n in range(9)) / 9
            square += ((i == j) - c) ** 2
    assert float(decorrelation(a)) == pytest.approx(square)


def test_neighbors_join_the_mean_at_the_scale_of_inner_products() -> None:
    a, b = standardize(vectors(1)), standardize(vectors(2))
    edges = torch.tensor([[0, 0, 1, 2, 3, 4], [1, 2, 0, 0, 4, 3]])
    s = torch.tensor([0.2, 0.9, 0.2, 0.9, 0.5, 0.5], dtype=torch.float64)
    pairs = Positives(edges, s, combine=Combine.WEIGHTED_MEAN)
    slow = averaged((a * b).sum(1), 4 * cosines(a, b), pairs)
    torch.testing.assert_close(invariance(a, b, pairs), -slow.mean())
    none = Positives(edges, torch.zeros_like(s), combine=Combine.WEIGHTED_MEAN)
    torch.testing.assert_close(invariance(a, b, none), invariance(a, b))


def test_barlow_twins_is_the_formula_entry_by_entry() -> None:
    c = correlation(standardize(vectors(1)), standardize(vectors(2)))
    diagonal = sum((1 - float(c[i, i])) ** 2 for i in range(4))
    rest = sum(float(c[i, j]) ** 2 for i in range(4) for j in range(4) if i != j)
    on, off = barlow_twins(c)
    assert float(on) == pytest.approx(diagonal)
    assert float(off) == pytest.approx(rest)


def test_losses_have_the_gradients_of_their_values() -> None:
    def everything(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = standardize(a), standardize(b)
        on, off = barlow_twins(correlation(a, b))
        return torch.stack([invariance(a, b), decorrelation(a), on, off])

    assert torch.autograd.gradcheck(
        everything, (vectors(1).requires_grad_(), vectors(2).requires_grad_())
    )


def test_shifting_and_scaling_columns_changes_nothing() -> None:
    h = vectors(1)
    scale = torch.tensor([0.1, 2.0, 30.0, 5.0], dtype=torch.float64)
    torch.testing.assert_close(standardize(h * scale - 7), standardize(h))

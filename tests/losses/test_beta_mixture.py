from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_distribution

from homogcl.losses.beta_mixture import BetaMixture, fit_beta_mixture


def sample(seed: int = 0, low: int = 3000, high: int = 1000) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.beta(4.0, 9.0, low), rng.beta(12.0, 3.0, high)])


def slow_fit(s: np.ndarray, share: float, iterations: int) -> tuple[np.ndarray, ...]:
    """EM with moment matching, from scipy's densities, one component at a time."""
    alpha, beta, weight = [1.0, 2.0], [2.0, 1.0], [1 - share, share]
    for _ in range(iterations):
        density = [weight[k] * beta_distribution.pdf(s, alpha[k], beta[k]) for k in range(2)]
        responsibility = [density[k] / (density[0] + density[1]) for k in range(2)]
        for k in range(2):
            mean = float(np.average(s, weights=responsibility[k]))
            variance = float(np.average((s - mean) ** 2, weights=responsibility[k]))
            strength = mean * (1 - mean) / variance - 1
            alpha[k], beta[k] = mean * strength, (1 - mean) * strength
        beta[1] = 1.01 if beta[1] < 1 else beta[1]
        weight = [float(r.mean()) for r in responsibility]
    return np.array(alpha), np.array(beta), np.array(weight)


@pytest.mark.parametrize("iterations", [1, 10])
def test_em_equals_a_slow_one(iterations: int) -> None:
    s = sample()
    result = fit_beta_mixture(torch.from_numpy(s), 0.05, iterations)
    for mine, expected in zip(
        (result.alpha, result.beta, result.weight), slow_fit(s, 0.05, iterations), strict=True
    ):
        np.testing.assert_allclose(mine.numpy(), expected, rtol=1e-6)


def test_em_finds_the_mixture_that_was_drawn_from() -> None:
    result = fit_beta_mixture(torch.from_numpy(sample(1, 60_000, 20_000)), 0.05, 300)
    mean = result.alpha / (result.alpha + result.beta)
    torch.testing.assert_close(mean, mean.new_tensor([4 / 13, 12 / 15]), atol=0.01, rtol=0)
    torch.testing.assert_close(result.weight, mean.new_tensor([0.75, 0.25]), atol=0.01, rtol=0)


@given(
    st.floats(0.5, 50),
    st.floats(0.5, 50),
    st.floats(0.5, 50),
    st.floats(0.5, 50),
    st.floats(0.01, 0.99),
)
@settings(max_examples=50, deadline=None)
def test_the_posterior_is_that_of_scipys_densities(
    a0: float, b0: float, a1: float, b1: float, share: float
) -> None:
    s = np.linspace(0.05, 0.95, 19)
    mixture = BetaMixture(
        *(
            torch.tensor(pair, dtype=torch.double)
            for pair in ([a0, a1], [b0, b1], [1 - share, share])
        )
    )
    low = np.log(1 - share) + beta_distribution.logpdf(s, a0, b0)
    high = np.log(share) + beta_distribution.logpdf(s, a1, b1)
    expected = 1 / (1 + np.exp(np.clip(high - low, -700, 700)))
    result = mixture.posterior_low(torch.from_numpy(s))
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-8, atol=1e-12)


def test_the_lower_component_comes_first_and_the_input_stays() -> None:
    s = torch.from_numpy(sample())
    before = s.clone()
    # A start at which the upper component takes nearly all ends the other way round or not;
    # either way the lower mean is the first.
    for share in (0.01, 0.5, 0.99):
        result = fit_beta_mixture(s, share)
        mean = result.alpha / (result.alpha + result.beta)
        assert float(mean[0]) <= float(mean[1])
        assert float(result.weight.sum()) == pytest.approx(1.0)
        low = result.posterior_low(torch.tensor([0.1, 0.95], dtype=torch.double))
        assert float(low[0]) > float(low[1])
    assert torch.equal(s, before)


@pytest.mark.parametrize("values", [[0.5] * 50, [0.0] * 50, [1.0] * 50, [0.0, 1.0] * 25, [0.3]])
def test_degenerate_similarities_give_finite_posteriors(values: list[float]) -> None:
    result = fit_beta_mixture(torch.tensor(values), 0.05)
    grid = torch.linspace(0, 1, 11)
    posterior = result.posterior_low(grid)
    assert bool(posterior.isfinite().all())
    assert bool(((posterior >= 0) & (posterior <= 1)).all())
    assert posterior.dtype == grid.dtype

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.bootstrap import bootstrap_loss, target_decay
from tests.reference.neighbors import averaged, cosines, mean_cosine


def vectors(seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(7, 4, generator=rng, dtype=torch.float64)


def test_loss_is_one_minus_the_mean_cosine() -> None:
    z, h = vectors(1), vectors(2)
    torch.testing.assert_close(bootstrap_loss(z, h), 1 - mean_cosine(z, h))


def test_loss_has_the_gradient_of_its_value() -> None:
    assert torch.autograd.gradcheck(bootstrap_loss, (vectors(1).requires_grad_(), vectors(2)))


def test_neighbors_join_the_mean_over_a_nodes_positives() -> None:
    # Node 6 has no neighbor.
    edges = torch.tensor([[0, 0, 1, 2, 3, 4, 4, 5], [1, 2, 0, 0, 4, 3, 5, 4]])
    s = torch.tensor([0.2, 0.9, 0.2, 0.9, 0.5, 0.5, 0.0, 0.0], dtype=torch.float64)
    z, h = vectors(1).requires_grad_(), vectors(2)
    pairs = Positives(edges, s.requires_grad_(), combine=Combine.WEIGHTED_MEAN)
    near = cosines(z, h)
    torch.testing.assert_close(
        bootstrap_loss(z, h, pairs), 1 - averaged(near.diagonal(), near, pairs).mean()
    )
    assert torch.autograd.gradcheck(
        lambda z, s: bootstrap_loss(z, h, Positives(edges, s, combine=Combine.WEIGHTED_MEAN)),
        (z, s),
    )


def test_aligned_costs_nothing_and_opposed_costs_two() -> None:
    z = vectors(1)
    assert float(bootstrap_loss(z, 3 * z)) == pytest.approx(0, abs=1e-12)
    assert float(bootstrap_loss(z, -z)) == pytest.approx(2)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_decay_rises_once_from_the_momentum_to_one(
    momentum: float, early: float, late: float
) -> None:
    early, late = sorted((early, late))
    assert target_decay(momentum, 0.0) == pytest.approx(momentum)
    assert target_decay(momentum, 1.0) == pytest.approx(1.0)
    assert target_decay(momentum, early) <= target_decay(momentum, late) + 1e-12


def test_decay_is_the_cosine_of_the_authors() -> None:
    for step in (1, 137, 500, 999):
        expected = 1 - 0.01 * (1 + math.cos(math.pi * step / 1000)) / 2
        assert target_decay(0.99, step / 1000) == pytest.approx(expected, abs=1e-12)

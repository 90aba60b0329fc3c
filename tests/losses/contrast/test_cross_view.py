from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from homogcl.losses.contrast.cross_view import cross_view_nce
from tests.reference.neighbors import LargestTensor, cosine


def vectors(seed: int, rows: int = 7) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(rows, 4, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("block", [1, 3, 7, 100])
def test_loss_is_the_formula_row_by_row(block: int) -> None:
    u, v = vectors(1), vectors(2)
    slow = 0.0
    for a, b in ((u, v), (v, u)):
        for i in range(7):
            every = [math.exp(float(cosine(a[i], b[j])) / 0.3) for j in range(7)]
            slow -= math.log(every[i] / sum(every)) / 14
    assert float(cross_view_nce(u, v, 0.3, block=block)) == pytest.approx(slow)


def test_loss_and_gradient_are_those_of_torchs_cross_entropy() -> None:
    u, v = vectors(1, 40).requires_grad_(), vectors(2, 40).requires_grad_()
    logits = normalize(u) @ normalize(v).t() / 0.1
    own = torch.arange(40)
    oracle = (cross_entropy(logits, own) + cross_entropy(logits.t(), own)) / 2
    loss = cross_view_nce(u, v, 0.1, block=16)
    torch.testing.assert_close(loss, oracle)
    found, expected = torch.autograd.grad(loss, (u, v)), torch.autograd.grad(oracle, (u, v))
    torch.testing.assert_close(found, expected)


def test_loss_has_the_gradient_of_its_value() -> None:
    inputs = (vectors(1).requires_grad_(), vectors(2).requires_grad_())
    assert torch.autograd.gradcheck(lambda u, v: cross_view_nce(u, v, 0.5, block=3), inputs)


def test_a_small_temperature_does_not_overflow() -> None:
    u = vectors(1).float()
    assert math.isfinite(float(cross_view_nce(u, -u, 1e-3)))


def test_only_one_block_of_similarities_is_held() -> None:
    u, v = vectors(1, 600).requires_grad_(), vectors(2, 600)
    with LargestTensor() as largest:
        torch.autograd.grad(cross_view_nce(u, v, 0.5, block=50), u)
    assert largest.numel == 50 * 600

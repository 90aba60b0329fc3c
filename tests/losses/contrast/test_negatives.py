from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs, CrossView, Sampled, Weighted
from homogcl.losses.contrast.sampled import SampledColumns, stratified_columns
from homogcl.losses.contrast.weighted import Hardness
from tests.products import counted
from tests.reference.neighbors import LargestTensor, cosine
from tests.reference.weighted_nce import slow_weighted_nce, some_pairs, two_views


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
    assert float(info_nce(u, v, 0.3, negatives=CrossView(tile=block))) == pytest.approx(slow)


def test_loss_and_gradient_are_those_of_torchs_cross_entropy() -> None:
    u, v = vectors(1, 40).requires_grad_(), vectors(2, 40).requires_grad_()
    logits = normalize(u) @ normalize(v).t() / 0.1
    own = torch.arange(40)
    oracle = (cross_entropy(logits, own) + cross_entropy(logits.t(), own)) / 2
    loss = info_nce(u, v, 0.1, negatives=CrossView(tile=16))
    torch.testing.assert_close(loss, oracle)
    ours, expected = torch.autograd.grad(loss, (u, v)), torch.autograd.grad(oracle, (u, v))
    torch.testing.assert_close(ours, expected)


def test_loss_has_the_gradient_of_its_value() -> None:
    inputs = (vectors(1).requires_grad_(), vectors(2).requires_grad_())
    assert torch.autograd.gradcheck(
        lambda u, v: info_nce(u, v, 0.5, negatives=CrossView(tile=3)), inputs
    )


def test_a_small_temperature_does_not_overflow() -> None:
    u = vectors(1).float()
    assert math.isfinite(float(info_nce(u, -u, 1e-3, negatives=CrossView())))


def test_only_one_tile_of_similarities_is_held() -> None:
    u, v = vectors(1, 600).requires_grad_(), vectors(2, 600)
    with LargestTensor() as largest:
        torch.autograd.grad(info_nce(u, v, 0.5, negatives=CrossView(Workspace(0), tile=50)), u)
    assert largest.numel <= max(2 * 50 * 50, 600 * 4)


@pytest.mark.parametrize("own_view", [True, False])
@pytest.mark.parametrize("with_pairs", [True, False])
def test_exact_negatives_are_the_formula_term_by_term(with_pairs: bool, own_view: bool) -> None:
    u, v = two_views(11)
    pairs = some_pairs(11) if with_pairs else None
    expected = slow_weighted_nce(u, v, 0.4, pairs, intra_view=own_view)
    for tile in (4, 5, 100):
        negatives = AllPairs(tile=tile) if own_view else CrossView(tile=tile)
        loss = info_nce(u, v, 0.4, pairs, negatives)
        assert float(loss) == pytest.approx(expected, rel=1e-12)


def test_gradients_with_neighbors_are_those_of_finite_differences() -> None:
    u, v = (x.requires_grad_() for x in two_views(7, d=3))
    pairs = some_pairs(7)
    assert torch.autograd.gradcheck(
        lambda a, b: info_nce(a, b, 0.4, pairs, CrossView(tile=3)), (u, v)
    )


def test_all_nodes_as_a_sample_and_equal_weights_are_all_pairs() -> None:
    u, v = two_views(12)
    pairs = some_pairs(12)
    exact = info_nce(u, v, 0.4, pairs)
    columns = stratified_columns(torch.rand(12), 12)
    for negatives in (Sampled(columns), Weighted(Hardness(torch.ones_like))):
        torch.testing.assert_close(info_nce(u, v, 0.4, pairs, negatives), exact)
    assert abs(float(info_nce(u, v, 0.4, pairs, CrossView()) - exact)) > 1e-3


def test_the_exact_loss_compares_all_pairs() -> None:
    n, d, tile = 12, 5, 4
    u, v = torch.randn(2, n, d, requires_grad=True).unbind()

    def step(budget: int) -> None:
        negatives = AllPairs(Workspace(budget), tile=tile)
        torch.autograd.backward(info_nce(u, v, 0.5, negatives=negatives))

    # All of A Bᵀ; of A Aᵀ and B Bᵀ the tiles on and above the diagonal.
    pairs = n * n + 2 * (n * (n + tile) // 2)
    diagonal = 2 * n * tile  # these tiles serve their rows alone
    forward, backward = 2 * pairs * d, 2 * (2 * pairs - diagonal) * d
    assert counted(lambda: step(2**20))[0] == forward + backward
    assert counted(lambda: step(0))[0] == 2 * forward + backward


def test_the_sampled_loss_compares_with_the_columns_alone() -> None:
    n, d, m = 12, 5, 3
    u, v = torch.randn(2, n, d, requires_grad=True).unbind()
    columns = SampledColumns(torch.arange(m), torch.full((m,), n / m))

    def step() -> None:
        torch.autograd.backward(info_nce(u, v, 0.5, negatives=Sampled(columns)))

    once = 2 * (2 * n) * (2 * m) * d
    # Forward and both gradients.
    assert counted(step)[0] == 3 * once

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from homogcl.core.errors import UserError
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses import info_nce
from homogcl.losses.contrast.negatives import Weighted
from homogcl.losses.contrast.weighted import Hardness
from tests.reference.weighted_nce import slow_weighted_nce, some_pairs, two_views, unit

TAU = 0.4
EQUAL = Hardness(torch.ones_like)


def weigh(cosine: Tensor) -> Tensor:
    """Some hardness that is neither monotone nor symmetric about 0."""
    return (cosine + 1.3) * torch.exp(-cosine.square())


@pytest.mark.parametrize("with_pairs", [True, False])
@pytest.mark.parametrize("kind", ["current", "frozen"])
def test_equals_the_formula_term_by_term(kind: str, with_pairs: bool) -> None:
    u, v = two_views(11)
    pairs = some_pairs(11) if with_pairs else None
    units = tuple(unit(x) for x in two_views(11, seed=5))
    frozen = (units[0], units[1]) if kind == "frozen" else None
    expected = slow_weighted_nce(u, v, TAU, pairs, weigh=weigh, frozen=frozen)
    for tile in (4, 5, 100):
        loss = info_nce(u, v, TAU, pairs, Weighted(Hardness(weigh, frozen), tile))
        assert float(loss) == pytest.approx(expected, rel=1e-12)


@given(seed=st.integers(0, 100), n=st.integers(2, 12), tile=st.integers(1, 13))
@settings(max_examples=25, deadline=None)
def test_with_equal_weights_it_is_info_nce(seed: int, n: int, tile: int) -> None:
    u, v = two_views(n, seed=seed)
    pairs = some_pairs(n, seed)
    left = info_nce(u, v, TAU, pairs, Weighted(EQUAL, tile))
    torch.testing.assert_close(left, info_nce(u, v, TAU, pairs))


def test_a_common_factor_of_the_weights_does_not_matter() -> None:
    u, v = two_views(9)
    left = info_nce(u, v, TAU, negatives=Weighted(Hardness(weigh)))
    right = info_nce(u, v, TAU, negatives=Weighted(Hardness(lambda cosine: 7 * weigh(cosine))))
    torch.testing.assert_close(left, right)


@pytest.mark.parametrize("with_pairs", [True, False])
def test_gradients_are_those_of_finite_differences(with_pairs: bool) -> None:
    u, v = (x.requires_grad_() for x in two_views(7, d=3))
    frozen = tuple(unit(x) for x in two_views(7, seed=9))
    # Weights that move with the embeddings carry no gradient, so only fixed ones can be checked.
    hardness = Hardness(weigh, (frozen[0], frozen[1]))
    pairs = some_pairs(7) if with_pairs else None

    def loss(a: Tensor, b: Tensor) -> Tensor:
        return info_nce(a, b, TAU, pairs, Weighted(hardness, 3))

    assert torch.autograd.gradcheck(loss, (u, v))


def test_no_gradient_flows_through_the_weights() -> None:
    u, v = (x.requires_grad_() for x in two_views(8))
    moving = torch.autograd.grad(
        info_nce(u, v, TAU, negatives=Weighted(Hardness(weigh), 3)), (u, v)
    )
    # For the anchors of the first view the weights of this moment, held fixed, give the same; the
    # second view's anchors then use their transpose, which is a frozen pair the other way round.
    n = u.size(0)
    w = weigh(unit(u.detach()) @ unit(v.detach()).t()).fill_diagonal_(0)
    total = u.new_zeros(())
    for a, b, weight in ((unit(u), unit(v), w), (unit(v), unit(u), w.t())):
        scaled = weight / (weight.sum(1, keepdim=True) / (n - 1))
        own = ((a * b).sum(1) / TAU).exp()
        negative = (scaled * ((a @ b.t() / TAU).exp() + (a @ a.t() / TAU).exp())).sum(1)
        total = total - (own / (own + negative)).log().mean() / 2
    fixed = torch.autograd.grad(total, (u, v))
    torch.testing.assert_close(moving, fixed)


def test_the_weight_of_a_neighbor_learns() -> None:
    u, v = two_views(8)
    first, second = some_pairs(8)
    weight = first.weight.clone().requires_grad_()

    def loss(s: Tensor) -> Tensor:
        pairs = (
            Positives(first.edge_index, s, first.present),
            Positives(first.edge_index, s, second.present),
        )
        return info_nce(u, v, TAU, pairs, Weighted(Hardness(weigh)))

    assert torch.autograd.gradcheck(loss, (weight,))


@pytest.mark.parametrize("way", sorted(MEANS))
def test_positives_can_enter_by_a_mean(way: Combine) -> None:
    u, v = two_views(8)
    pairs = some_pairs(8)
    mean = (replace(pairs[0], combine=way), replace(pairs[1], combine=way))
    ours = info_nce(u, v, TAU, mean, Weighted(EQUAL))
    torch.testing.assert_close(ours, info_nce(u, v, TAU, mean))
    assert abs(float(ours - info_nce(u, v, TAU, pairs, Weighted(EQUAL)))) > 1e-3


def test_an_anchor_without_credible_negatives_has_no_loss() -> None:
    u, v = (x.requires_grad_() for x in two_views(6))
    loss = info_nce(u, v, TAU, negatives=Weighted(Hardness(torch.zeros_like)))
    assert float(loss.detach()) == 0.0
    assert all(bool(g.isfinite().all()) for g in torch.autograd.grad(loss, (u, v)))


@pytest.mark.parametrize("tau", [0.02, 0.1, 5.0])
def test_single_precision_agrees_with_double(tau: float) -> None:
    u, v = two_views(30, d=8)
    exact = info_nce(u, v, tau, negatives=Weighted(Hardness(weigh), 7))
    rough = info_nce(u.float(), v.float(), tau, negatives=Weighted(Hardness(weigh), 7))
    torch.testing.assert_close(rough.double(), exact, rtol=2e-5, atol=2e-5)


def test_a_temperature_that_would_overflow_is_refused() -> None:
    u, v = two_views(4)
    with pytest.raises(UserError, match=r"temperature=0.001 .* 0.02 or more"):
        info_nce(u, v, 0.001, negatives=Weighted(EQUAL))


class Largest(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch's is untyped
    """Remembers the size of the largest tensor that any operation returns."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch's is untyped
        self.numel = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for outcome in result if isinstance(result, tuple | list) else (result,):
            # A sparse matrix counts by its shape, whatever it holds.
            if isinstance(outcome, Tensor) and outcome.layout == torch.strided:
                self.numel = max(self.numel, outcome.numel())
        return result


def test_nothing_larger_than_a_tile_or_the_embeddings_is_made() -> None:
    n, d, tile = 300, 6, 32
    u, v = (x.requires_grad_() for x in two_views(n, d))
    with Largest() as largest:
        loss = info_nce(u, v, TAU, some_pairs(n), Weighted(Hardness(weigh), tile))
        torch.autograd.backward(loss)
    assert largest.numel <= max(2 * n * d, tile * tile)

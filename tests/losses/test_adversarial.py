from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional
from torch_geometric.nn import GCNConv

from homogcl.losses.adversarial import (
    Attack,
    dense_propagation,
    information_regularizer,
    symmetric,
    within_budget,
)


def ring(n: int) -> Tensor:
    adjacency = torch.zeros(n, n)
    for i in range(n):
        adjacency[i, (i + 1) % n] = adjacency[(i + 1) % n, i] = 1.0
    return adjacency


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=20),
    st.floats(0, 10),
)
@settings(max_examples=100, deadline=None)
def test_the_projection_is_feasible_and_meets_the_optimality_conditions(
    values: list[float], budget: float
) -> None:
    a = torch.tensor(values, dtype=torch.float64)
    p = within_budget(a, budget)
    assert float(p.min()) >= 0
    assert float(p.max()) <= 1
    assert float(p.sum()) <= budget + 1e-9
    if float(a.clamp(0, 1).sum()) <= budget:
        assert torch.equal(p, a.clamp(0, 1))
        return
    # The budget binds, and one shift explains every entry that is at neither bound.
    assert float(p.sum()) == pytest.approx(budget, abs=1e-9)
    inside = (p > 1e-9) & (p < 1 - 1e-9)
    if bool(inside.any()):
        shift = (a - p)[inside]
        assert float(shift.max() - shift.min()) < 1e-9
        assert bool((a[p <= 1e-9] <= shift.max() + 1e-8).all())
        assert bool((a[p >= 1 - 1e-9] >= 1 + shift.min() - 1e-8).all())


def test_symmetric_fills_pairs_in_order_and_is_differentiable() -> None:
    upper = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    matrix = symmetric(upper, 3)
    assert matrix.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    (grad,) = torch.autograd.grad(matrix[2].sum(), upper)
    assert grad.tolist() == [0, 1, 1]


def test_dense_propagation_is_that_of_pygs_gcn_layer() -> None:
    rng = torch.Generator().manual_seed(0)
    upper = (torch.rand(28, generator=rng) < 0.4) * torch.rand(28, generator=rng)
    adjacency = symmetric(upper, 8)
    x = torch.randn(8, 3, generator=rng)
    edge_index = adjacency.nonzero().t()
    layer = GCNConv(3, 3)
    with torch.no_grad():
        layer.lin.weight.copy_(torch.eye(3))
        layer.bias.copy_(torch.randn(3, generator=rng))
        expected = layer(x, edge_index, adjacency[edge_index[0], edge_index[1]])
    torch.testing.assert_close(dense_propagation(adjacency)(x, layer.bias), expected)


def test_the_attack_flips_what_raises_the_loss_within_its_budget() -> None:
    n = 8
    adjacency, x = ring(n), torch.zeros(n, 2)
    # The loss rewards an edge 0-4, the loss of the edge 2-3, and larger first features.
    attack = Attack(steps=5, edge_share=0.25, edge_step=10.0, feature_step=0.01, feature_limit=0.03)

    def loss(a: Tensor, features: Tensor) -> Tensor:
        return a[0, 4] - a[2, 3] + features[:, 0].sum() - features[:, 1].sum()

    draws = torch.full((n * (n - 1) // 2,), 0.5)
    worst, changed = attack.worst(loss, adjacency, x, draws)
    expected = adjacency.clone()
    expected[0, 4] = expected[4, 0] = 1.0
    expected[2, 3] = expected[3, 2] = 0.0
    assert torch.equal(worst, expected)
    torch.testing.assert_close(changed, torch.tensor([[0.03, -0.03]]).expand(n, 2))
    assert torch.equal(adjacency, ring(n))
    assert bool((x == 0).all())


def test_an_attack_without_a_budget_leaves_the_edges_alone() -> None:
    adjacency = ring(5)
    draws = torch.rand(10, generator=torch.Generator().manual_seed(0))
    attack = Attack(edge_share=0.0)
    worst, _ = attack.worst(lambda a, x: a.sum() + x.sum(), adjacency, torch.zeros(5, 1), draws)
    assert torch.equal(worst, adjacency)


def test_a_flip_takes_a_weighted_edge_away_whole() -> None:
    adjacency = 3 * ring(4)
    draws = torch.zeros(6)
    attack = Attack(steps=1, edge_share=1.0, edge_step=100.0)
    worst, _ = attack.worst(lambda a, x: -a.sum() + x.sum(), adjacency, torch.zeros(4, 1), draws)
    assert bool((worst == 0).all())


def test_the_information_regularizer_equals_its_formula() -> None:
    rng = torch.Generator().manual_seed(3)
    u, v, z = (torch.randn(6, 4, generator=rng, dtype=torch.float64) for _ in range(3))
    v = u + 0.3 * v

    def s(a: Tensor, b: Tensor) -> float:
        return math.exp(float(a @ b / (a.norm() * b.norm())) / 0.5)

    terms = [max(0.0, 2 * s(u[i], v[i]) - s(u[i], z[i]) - s(v[i], z[i])) for i in range(6)]
    assert sum(term > 0 for term in terms) > 0
    result = information_regularizer(u, v, z, 0.5)
    assert float(result) == pytest.approx(sum(terms) / 6, rel=1e-12)
    # The clean graph only sets the mark.
    z.requires_grad_()
    u.requires_grad_()
    grads = torch.autograd.grad(information_regularizer(u, v, z, 0.5), (u, z), allow_unused=True)
    assert grads[0] is not None
    assert grads[1] is None


def test_gradients_of_the_information_regularizer_are_those_of_the_views_agreement() -> None:
    rng = torch.Generator().manual_seed(3)
    u, v, z, way = (torch.randn(6, 4, generator=rng, dtype=torch.float64) for _ in range(4))
    v = u + 0.3 * v

    def s(a: Tensor, b: Tensor) -> Tensor:
        return (functional.cosine_similarity(a, b) / 0.5).exp()

    def moved(step: float) -> float:
        # The mark that the clean graph sets stands still: no gradient flows through it.
        return float((2 * s(u + step * way, v) - s(u, z) - s(v, z)).relu().mean())

    start = u.clone().requires_grad_()
    [grad] = torch.autograd.grad(information_regularizer(start, v, z, 0.5), start)
    numeric = (moved(1e-6) - moved(-1e-6)) / 2e-6
    assert float((grad * way).sum()) == pytest.approx(numeric, rel=1e-6)
    assert abs(numeric) > 0.01

"""The sparsity of similarities, against loops over all pairs."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.losses.contrast.sampled import SampledColumns
from homogcl.losses.sparsity import Gate, Similarities, gated_sum, sparsity
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern
from tests.reference.neighbors import LargestTensor, symmetric_pairs

GATE = Gate(threshold=0.3, temperature=0.2)


def vectors(nodes: int, seed: int) -> tuple[Tensor, Tensor]:
    """Vectors of two views in float64, with gradients."""
    rng = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(nodes, 4, generator=rng, dtype=torch.float64) / 2 for _ in range(2))
    return a.requires_grad_(), b.requires_grad_()


def similarities(a: Tensor, b: Tensor, edge_index: Tensor) -> Similarities:
    edges = Pattern.of(edge_index, a.size(0))
    return Similarities(a, b, (a * b).sum(1), pair_products(a, b, edges), edges)


def slow_gate(similarity: Tensor) -> Tensor:
    return 1 / (1 + (-(similarity - 0.3) / 0.2).exp())


def slow_sparsity(a: Tensor, b: Tensor, edge_index: Tensor, share: Tensor) -> Tensor:
    """The mean pair by pair, in which node j of the second view stands for `share[j]` nodes."""
    edges = set(map(tuple, edge_index.t().tolist()))
    nodes = range(a.size(0))
    total, count = 0 * (a.sum() + b.sum()), 0
    for i in nodes:
        for j in nodes:
            if i != j and (i, j) not in edges:
                total = total + share[j] * slow_gate((a[i] * b[j]).sum())
                count += 1
    return total / max(count, 1)


@settings(deadline=None, max_examples=40)
@given(
    nodes=st.integers(1, 8),
    seed=st.integers(0, 999),
    density=st.sampled_from([0.0, 0.4, 1.1]),
    sampled=st.booleans(),
)
def test_loss_and_gradient_are_those_of_the_loop(
    nodes: int, seed: int, density: float, sampled: bool
) -> None:
    a, b = vectors(nodes, seed)
    edge_index = symmetric_pairs(nodes, seed, density)
    share, columns = torch.ones(nodes, dtype=torch.float64), None
    if sampled:
        node = torch.arange(nodes).flip(0)[: 1 + nodes // 2]
        columns = SampledColumns(node, torch.linspace(1, 3, node.numel()))
        share = torch.zeros(nodes, dtype=torch.float64)
        share[node] = columns.weight.double()
    ours = sparsity(similarities(a, b, edge_index), GATE, columns)
    slow = slow_sparsity(a, b, edge_index, share)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=1e-12)
    expected = torch.autograd.grad(slow, (a, b))
    for left, right in zip(torch.autograd.grad(ours, (a, b)), expected, strict=True):
        torch.testing.assert_close(left, right, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("tile", [1, 3, 4, 100])
def test_gradient_is_numerically_right_with_tiles_of_any_size(tile: int) -> None:
    a, b = vectors(7, seed=1)
    weight = torch.linspace(0.5, 2, 5, dtype=torch.float64)
    other = b[:5].detach().requires_grad_()
    whole = (weight * GATE(a @ other.t())).sum()
    torch.testing.assert_close(gated_sum(a, other, weight, GATE, tile=tile), whole)
    assert torch.autograd.gradcheck(
        lambda x, y: gated_sum(x, y, weight, GATE, tile=tile), (a, other)
    )


def test_a_second_derivative_is_refused() -> None:
    a, b = vectors(4, seed=0)
    loss = gated_sum(a, b, torch.ones(4, dtype=torch.float64), GATE)
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        torch.autograd.grad(loss, (a, b), create_graph=True)


def test_the_mean_over_all_draws_of_one_column_is_the_exact_loss() -> None:
    a, b = (each.detach() for each in vectors(6, seed=3))
    s = similarities(a, b, symmetric_pairs(6, seed=3, density=0.4))
    draws = [
        sparsity(s, GATE, SampledColumns(torch.tensor([node]), torch.tensor([6.0])))
        for node in range(6)
    ]
    torch.testing.assert_close(torch.stack(draws).mean(), sparsity(s, GATE))


def test_alike_pairs_cost_and_pairs_far_below_the_threshold_do_not() -> None:
    alike = torch.ones(5, 1, dtype=torch.float64)
    apart = torch.eye(5, dtype=torch.float64)
    none = torch.empty(2, 0, dtype=torch.long)
    gate = Gate(threshold=0.6, temperature=0.01)
    assert float(sparsity(similarities(alike, alike, none), gate)) == pytest.approx(1.0)
    assert float(sparsity(similarities(apart, apart, none), gate)) == pytest.approx(0.0)


def test_no_tensor_has_a_number_per_pair_of_nodes() -> None:
    nodes = 3000
    x = torch.randn(nodes, 2, requires_grad=True)
    with LargestTensor() as largest:
        s = similarities(x, x, torch.empty(2, 0, dtype=torch.long))
        torch.autograd.backward(sparsity(s, GATE))
    assert largest.numel <= 1024**2

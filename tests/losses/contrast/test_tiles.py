"""Sums over all pairs in tiles, against the whole matrix."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.losses.contrast.tiles import Tiling, Workspace, largest_square, log_sums, safe_square
from homogcl.nn.sparse import Pattern
from tests.reference.neighbors import symmetric_pairs


def test_budget_comes_from_the_environment_in_mebibytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMOGCL_TILE_MIB", "3")
    assert Workspace().budget == 3 * 2**20
    assert Workspace(7).budget == 7


def views(nodes: int, seed: int, length: float = 1.0) -> tuple[Tensor, Tensor]:
    """Return two views in float64 whose rows have about this length, with gradients."""
    rng = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(nodes, 4, generator=rng, dtype=torch.float64) for _ in range(2))
    return (a * length / 2).requires_grad_(), (b * length / 2).requires_grad_()


def whole_log_sums(a: Tensor, b: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the same sums by matrices of all pairs."""
    out = torch.eye(a.size(0), dtype=torch.bool)
    out[pairs[0], pairs[1]] = True

    def rows(own: Tensor, other: Tensor) -> Tensor:
        logits = torch.cat([own @ other.t(), own @ own.t()], dim=1)
        return logits.masked_fill(out.repeat(1, 2), -torch.inf).logsumexp(1)

    return rows(a, b), rows(b, a)


@settings(deadline=None, max_examples=60)
@given(
    nodes=st.integers(2, 9),
    seed=st.integers(0, 999),
    density=st.sampled_from([0.0, 0.3, 0.7]),
    tile=st.integers(1, 10),
    length=st.sampled_from([1.0, 6.0, 60.0]),  # the last is beyond what one exponential can hold
    budget=st.sampled_from([0, 200, 2**20]),
)
def test_sums_and_gradients_are_those_of_the_whole_matrix(
    nodes: int, seed: int, density: float, tile: int, length: float, budget: int
) -> None:
    a, b = views(nodes, seed, length)
    pairs = symmetric_pairs(nodes, seed, density)
    tiling = Tiling.of(nodes, tile, Workspace(budget), Pattern.of(pairs, nodes))
    ours, whole = log_sums(a, b, tiling), whole_log_sums(a, b, pairs)
    for mine, theirs in zip(ours, whole, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)
    weight = torch.linspace(-1, 2, nodes, dtype=torch.float64)

    def loss(sums: tuple[Tensor, Tensor]) -> Tensor:
        there = [each.where(each.isfinite(), 0.0) for each in sums]
        return (weight * there[0] + weight.flip(0) * there[1]).sum()

    gradients = [
        torch.autograd.grad(loss(sums), (a, b), allow_unused=True, materialize_grads=True)
        for sums in (ours, whole)
    ]
    for left, right in zip(*gradients, strict=True):
        torch.testing.assert_close(left, right.nan_to_num(), rtol=1e-9, atol=1e-9)


def test_where_all_other_nodes_are_left_out_there_is_no_sum_and_no_gradient() -> None:
    a, b = views(4, seed=1)
    everything = symmetric_pairs(4, seed=0, density=1.1)
    tiling = Tiling.of(4, 3, Workspace(), Pattern.of(everything, 4))
    for sums in log_sums(a, b, tiling):
        assert torch.equal(sums, torch.full((4,), -torch.inf, dtype=torch.float64))
        gradient = torch.autograd.grad(sums, (a, b), torch.ones(4).double(), retain_graph=True)
        assert all(not bool(each.any()) for each in gradient)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_pairs_left_out_are_marked_in_the_tile_they_fall_into(size: int) -> None:
    pairs = symmetric_pairs(7, seed=3, density=0.4)
    tiling = Tiling.of(7, size, Workspace(), Pattern.of(pairs, 7))
    marked = torch.zeros(7, 7, dtype=torch.float64)
    for i, row in enumerate(range(0, 7, size)):
        for j, col in enumerate(range(0, 7, size)):
            square = torch.zeros(min(size, 7 - row), min(size, 7 - col), dtype=torch.float64)
            marked[row : row + size, col : col + size] = tiling.fill(square, (i, j), 1.0)
    expected = torch.eye(7, dtype=torch.float64)
    expected[pairs[0], pairs[1]] = 1.0
    assert torch.equal(marked, expected)


def test_memory_is_lent_again_where_it_is_large_enough_and_of_the_same_kind() -> None:
    workspace = Workspace(0)
    like = torch.empty(0)
    assert not workspace.is_used
    first = workspace.borrow(10, like)
    assert first.numel() >= 10
    assert workspace.borrow(10, like).data_ptr() != first.data_ptr()
    workspace.give_back(first)
    assert workspace.is_used
    assert workspace.borrow(5, like).data_ptr() == first.data_ptr()
    workspace.give_back(first)
    assert workspace.borrow(11, like).numel() >= 11
    workspace.give_back(first)
    assert workspace.borrow(10, like.double()).dtype == torch.float64


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_no_exponential_of_a_safe_logit_leaves_the_normal_range(dtype: torch.dtype) -> None:
    limit = torch.tensor(safe_square(dtype), dtype=dtype)
    smallest = torch.finfo(dtype).smallest_normal
    assert float((-limit).exp()) > smallest
    assert bool((limit.exp() * 10**9).isfinite())  # a sum over a billion nodes


def test_no_product_of_rows_exceeds_the_largest_square() -> None:
    a, b = (each.detach() for each in views(20, seed=2))
    largest = max(largest_square(a), largest_square(b))
    assert largest == pytest.approx(float(torch.cat([a, b]).norm(dim=1).max() ** 2))
    assert float((a @ b.t()).abs().max()) <= largest
    assert largest_square(torch.empty(0, 4)) == 0.0

"""Products at pairs, against rows that are gathered and against finite differences."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from homogcl.nn import pair_products as pair_products_module
from homogcl.nn.pair_products import own_products, pair_products, weighted_sums
from homogcl.nn.sparse import Pattern, product_of
from tests.nn.test_sparse import SIZES, random_pairs


@given(rows=SIZES, cols=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_pair_products_and_their_gradients_are_the_gathered_ones(
    rows: int, cols: int, density: float, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    row, col = random_pairs(rows, cols, density, seed)
    a = torch.randn(rows, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    b = torch.randn(cols, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(row.numel(), generator=rng, dtype=torch.float64)

    ours = pair_products(a, b, Pattern.at(row, col, (rows, cols)))
    gathered = (a[row] * b[col]).sum(1)
    torch.testing.assert_close(ours, gathered)
    torch.testing.assert_close(
        torch.autograd.grad(ours, (a, b), upstream),
        torch.autograd.grad(gathered, (a, b), upstream),
    )


@given(nodes=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_own_products_of_pairs_in_both_directions_are_the_pair_products(
    nodes: int, density: float, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    near = torch.rand(nodes, nodes, generator=rng) < density
    row, col = (near | near.t()).nonzero(as_tuple=True)
    pattern = Pattern.at(row, col, (nodes, nodes))
    a = torch.randn(nodes, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(row.numel(), generator=rng, dtype=torch.float64)
    ours, gathered = own_products(a, pattern), (a[row] * a[col]).sum(1)
    torch.testing.assert_close(ours, gathered)
    assert torch.equal(ours, ours[pattern.to_transposed])  # a pair and its reverse
    torch.testing.assert_close(
        torch.autograd.grad(ours, a, upstream), torch.autograd.grad(gathered, a, upstream)
    )


def test_gradient_of_a_matrix_with_itself_counts_both_sides() -> None:
    row, col = random_pairs(5, 5, 0.5, seed=2)
    a = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    pattern = Pattern.at(row, col, (5, 5))
    assert torch.autograd.gradcheck(lambda x: pair_products(x, x, pattern), (a,))


def test_gradients_agree_with_finite_differences() -> None:
    row, col = random_pairs(4, 5, 0.4, seed=1)
    pattern = Pattern.at(row, col, (4, 5))
    a, b = (torch.randn(n, 3, dtype=torch.float64, requires_grad=True) for n in (4, 5))
    assert torch.autograd.gradcheck(lambda x, y: pair_products(x, y, pattern), (a, b))


def test_a_side_without_a_gradient_costs_no_backward_product(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row, col = random_pairs(4, 5, 0.4, seed=1)
    pattern = Pattern.at(row, col, (4, 5))
    a, b = (torch.randn(n, 3, dtype=torch.float64) for n in (4, 5))
    expected = torch.zeros_like(a).index_add(0, row, b[col])
    calls = []

    def counted(csr: Tensor, dense: Tensor) -> Tensor:
        calls.append(csr.shape)
        return product_of(csr, dense)

    monkeypatch.setattr(pair_products_module, "product_of", counted)
    (gradient,) = torch.autograd.grad(pair_products(a.requires_grad_(), b, pattern).sum(), a)
    torch.testing.assert_close(gradient, expected)
    assert calls == [(4, 5)]


@pytest.mark.parametrize("learned", [False, True])
@given(rows=SIZES, cols=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_weighted_sums_and_gradients_are_those_of_the_products(
    learned: bool, rows: int, cols: int, density: float, seed: int
) -> None:
    row, col = random_pairs(rows, cols, density, seed)
    pattern = Pattern.at(row, col, (rows, cols))
    rng = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(n, 3, generator=rng, dtype=torch.float64) for n in (rows, cols))
    weight = torch.randn(row.numel(), generator=rng, dtype=torch.float64)
    inputs = (a.requires_grad_(), b.requires_grad_(), *([weight.requires_grad_()] * learned))
    upstream = torch.randn(rows, generator=rng, dtype=torch.float64)
    ours = weighted_sums(a, b, pattern, weight)
    slow = weight.new_zeros(rows).index_add(0, row, weight * (a[row] * b[col]).sum(1))
    torch.testing.assert_close(ours, slow)
    torch.testing.assert_close(
        torch.autograd.grad(ours, inputs, upstream), torch.autograd.grad(slow, inputs, upstream)
    )


def test_gradients_of_weighted_sums_agree_with_finite_differences() -> None:
    row, col = random_pairs(4, 5, 0.4, seed=1)
    pattern, weight = Pattern.at(row, col, (4, 5)), torch.rand(row.numel(), dtype=torch.float64)
    a, b = (torch.randn(n, 3, dtype=torch.float64, requires_grad=True) for n in (4, 5))
    for inputs in ((a, b), (a, b.detach()), (a.detach(), b)):
        assert torch.autograd.gradcheck(lambda x, y: weighted_sums(x, y, pattern, weight), inputs)

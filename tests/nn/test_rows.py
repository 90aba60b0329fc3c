"""Gradients with few rows that are not zero, against dense ones."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.nn.rows import few_rows, multiply_rows


def with_zero_rows(nodes: int, share: float, seed: int) -> Tensor:
    """Random numbers, float64 [nodes, 3], of which about `share` of the rows are not zero."""
    rng = torch.Generator().manual_seed(seed)
    values = torch.randn(nodes, 3, dtype=torch.float64, generator=rng)
    return values * (torch.rand(nodes, 1, generator=rng) < share)


@given(
    nodes=st.sampled_from([1, 255, 256, 700]),
    share=st.sampled_from([0.0, 0.01, 0.2, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_few_rows_are_those_of_a_loop_or_none(nodes: int, share: float, seed: int) -> None:
    grad = with_zero_rows(nodes, share, seed)
    rows = few_rows(grad)
    if rows is not None:
        assert rows.tolist() == [i for i, row in enumerate(grad.tolist()) if any(row)]
        assert rows.numel() <= nodes / 4
    elif nodes >= 256:
        assert share >= 0.2  # at which the sample may exceed a quarter


@settings(deadline=None)
@given(share=st.sampled_from([0.0, 0.01, 1.0]), seed=st.integers(0, 99), of_x=st.booleans())
def test_product_and_gradients_are_the_dense_ones(share: float, seed: int, of_x: bool) -> None:
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(300, 4, dtype=torch.float64, generator=rng).requires_grad_(of_x)
    weight = torch.randn(4, 3, dtype=torch.float64, generator=rng, requires_grad=True)
    inputs = (x, weight) if of_x else (weight,)
    grad = with_zero_rows(300, share, seed)
    ours, dense = multiply_rows(x, weight), x @ weight
    assert torch.equal(ours, dense)
    for mine, other in zip(
        torch.autograd.grad(ours, inputs, grad),
        torch.autograd.grad(dense, inputs, grad),
        strict=True,
    ):
        torch.testing.assert_close(mine, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 300])
def test_numerical_derivative(rows: int) -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(300, 2, dtype=torch.float64, generator=rng, requires_grad=True)
    weight = torch.randn(2, 2, dtype=torch.float64, generator=rng, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *ab: multiply_rows(*ab)[:rows].sum(), (x, weight))

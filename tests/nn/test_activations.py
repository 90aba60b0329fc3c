"""Activations against torch's own and a loop in float64."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from homogcl.nn import activations
from homogcl.nn.activations import PReLU


def activation(slope: float, dtype: torch.dtype = torch.float64) -> PReLU:
    module = PReLU().to(dtype)
    nn.init.constant_(module.weight, slope)
    return module


def gradients(module: nn.Module, x: Tensor, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    x = x.clone().requires_grad_()
    out = module(x)
    out.backward(grad)
    (weight,) = module.parameters()
    assert x.grad is not None
    assert weight.grad is not None
    return out.detach(), x.grad, weight.grad


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12),
    st.floats(-2, 2),
    st.integers(1, 5),
)
def test_agrees_with_a_loop(values: list[float], slope: float, block: int) -> None:
    x = torch.tensor(values, dtype=torch.float64)[:, None]
    grad = torch.arange(1, x.numel() + 1, dtype=torch.float64)[:, None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(activations, "_BLOCK", block)
        out, of_x, of_slope = gradients(activation(slope), x, grad)
    expected = 0.0
    for i, value in enumerate(values):
        assert float(out[i]) == (value if value > 0 else slope * value)
        assert float(of_x[i]) == float(grad[i]) * (1 if value > 0 else slope)
        expected += float(grad[i]) * min(value, 0.0)
    assert math.isclose(float(of_slope), expected, rel_tol=1e-12, abs_tol=1e-9)


def test_numerical_derivative() -> None:
    x = torch.randn(7, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    module = activation(-0.3)

    def of(x: Tensor, weight: Tensor) -> Tensor:
        result: Tensor = torch.func.functional_call(module, {"weight": weight}, (x,))
        return result

    weight = torch.tensor([-0.3], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(of, (x.requires_grad_(), weight))


def test_bits_are_those_of_torch_but_for_the_slopes_gradient() -> None:
    rng = torch.Generator().manual_seed(0)
    x, grad = torch.randn(2, 700, 600, generator=rng)
    ours, theirs = activation(0.25, torch.float32), nn.PReLU()
    assert ours.state_dict().keys() == theirs.state_dict().keys()
    for mine, other in zip(
        gradients(ours, x, grad)[:2], gradients(theirs, x, grad)[:2], strict=True
    ):
        assert torch.equal(mine, other)
    exact = float((grad.double() * x.double().clamp(max=0)).sum())
    assert float(ours.weight.grad or 0) == pytest.approx(exact, rel=1e-5)


def test_strided_gradients() -> None:
    rng = torch.Generator().manual_seed(0)
    x, grad = torch.randn(2, 5, 4, dtype=torch.float64, generator=rng)
    plain = gradients(activation(0.25), x, grad)
    strided = gradients(activation(0.25), x.t().contiguous().t(), grad.t().contiguous().t())
    for one, other in zip(plain, strided, strict=True):
        assert torch.allclose(one, other, atol=0, rtol=1e-14)


def test_nothing_to_activate() -> None:
    out, of_x, of_slope = gradients(activation(0.25), torch.empty(0, 4), torch.empty(0, 4))
    assert out.shape == of_x.shape == (0, 4)
    assert float(of_slope) == 0


def test_where_nothing_learns_the_result_takes_the_place_of_the_input() -> None:
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
    module = activation(0.25, torch.float32)
    expected = module(x.clone()).detach()
    with torch.no_grad():
        assert module(x).data_ptr() == x.data_ptr()
    assert torch.equal(x, expected)


@pytest.mark.parametrize("slope", [0.25, 1.5, 1e-4, 0.0, -0.3])
def test_the_result_takes_the_place_of_what_is_nobodys_own(slope: float) -> None:
    x, grad = torch.randn(2, 6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    expected = gradients(activation(slope), x, grad)
    module, leaf = activation(slope), x.clone().requires_grad_()
    between = leaf * 1.0
    out = module(between)
    assert (out.data_ptr() == between.data_ptr()) == (slope > 1e-3)
    out.backward(grad)
    assert leaf.grad is not None
    assert module.weight.grad is not None
    torch.testing.assert_close((out.detach(), leaf.grad, module.weight.grad), expected)
    assert torch.equal(leaf, x)

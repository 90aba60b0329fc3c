"""Activations whose backward pass is as fast as their forward pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

_LEAST_SLOPE = 1e-3  # of a result from which x is told
_BLOCK = 2**18  # numbers at a time: they stay in a processor's cache between two passes


class PReLU(nn.Module):
    """x -> max(x, 0) + a min(x, 0) with one learned slope a.

    torch's own takes each number for itself in backward, at ten times the cost. The result takes
    the place of what a layer or a norm has put out, which nothing else needs.
    """

    def __init__(self) -> None:
        """Start with the slope 1/4, as torch does."""
        super().__init__()
        self.weight = nn.Parameter(torch.full((1,), 0.25))

    def forward(self, x: Tensor) -> Tensor:
        """Return the activations, in the shape of `x`."""
        if x.device.type != "cpu":  # where reading the slope would wait for the device
            return functional.prelu(x, self.weight)
        slope = float(self.weight.detach())
        if not torch.is_grad_enabled():
            return functional.leaky_relu(x, slope, inplace=True)
        # A leaf is somebody's own, and only a positive slope lets x be told from the result.
        in_place = not x.is_leaf and slope > _LEAST_SLOPE
        result: Tensor = _PReLU.apply(  # type: ignore[no-untyped-call]
            x, self.weight, slope, in_place
        )
        return result


class _PReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, slope: float, in_place: bool) -> Tensor:
        ctx.slope, ctx.in_place = slope, in_place
        result = functional.leaky_relu(x, slope, inplace=in_place)
        if in_place:
            ctx.mark_dirty(x)
        ctx.save_for_backward(result if in_place else x)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        (x,) = ctx.saved_tensors  # or the result, which has the same signs
        of_x = torch.empty_like(grad, memory_format=torch.contiguous_format)
        of_slope = x.new_zeros(1)
        parts = (each.reshape(-1).split(_BLOCK) for each in (x, grad, of_x))
        for at, g, out in zip(*parts, strict=True):
            torch.ops.aten.leaky_relu_backward(g, at, ctx.slope, False, grad_input=out)
            of_slope += torch.dot(at.clamp(max=0), g)
        if ctx.in_place:
            of_slope /= ctx.slope
        return of_x, of_slope, None, None

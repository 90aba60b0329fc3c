"""Rows scaled to one length: what cosines are products of."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def of_length(x: Tensor, length: float) -> Tensor:
    """Return the rows of `x` [N, d] scaled to `length`; a zero row stays zero."""
    result: Tensor = _OfLength.apply(x, length)  # type: ignore[no-untyped-call]
    return result


class _OfLength(torch.autograd.Function):
    """With a = length · x / ‖x‖ the gradient is (g - a (a · g) / length²) · length / ‖x‖."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, length: float) -> Tensor:
        scale = length / torch.linalg.vector_norm(x, dim=1, keepdim=True).clamp(min=1e-12)
        a: Tensor = x * scale
        ctx.save_for_backward(a, scale)
        ctx.length = length
        return a

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        a, scale = ctx.saved_tensors
        along = (a * grad).sum(1, keepdim=True) * (-(ctx.length**-2))
        return torch.addcmul(grad, a, along) * scale, None

"""Rows scaled to one length: what cosines are products of."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def of_length(x: Tensor, length: float) -> Tensor:
    """Return the rows of `x` [N, d] scaled to `length`; a zero row stays zero."""
    result: Tensor = _OfLength.apply(x, length)  # type: ignore[no-untyped-call]
    return result


def row_cosines(x: Tensor, y: Tensor) -> Tensor:
    """Return the cosine of each row of `x` [N, d] and that of `y`, [N]; 0 for a zero row."""
    result: Tensor = _RowCosines.apply(x, y)  # type: ignore[no-untyped-call]
    return result


class _RowCosines(torch.autograd.Function):
    """The gradient in x is (y / ‖y‖ - cos · x / ‖x‖) / ‖x‖, and in y likewise.

    torch's own keeps both sides' unit rows and passes over them about twice as often.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        by_x, by_y = (_inverse_lengths(each) for each in (x, y))
        cosines: Tensor = (x * y).sum(1) * by_x * by_y
        ctx.save_for_backward(x, y, by_x, by_y, cosines)
        return cosines

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, y, by_x, by_y, cosines = ctx.saved_tensors
        across, along = grad * by_x * by_y, -grad * cosines
        to_x, to_y = (
            (other * across[:, None]).addcmul_(own, (along * scale * scale)[:, None])
            if needed
            else None
            for needed, own, other, scale in zip(
                ctx.needs_input_grad, (x, y), (y, x), (by_x, by_y), strict=True
            )
        )
        return to_x, to_y


def _inverse_lengths(x: Tensor) -> Tensor:
    lengths: Tensor = torch.linalg.vector_norm(x, dim=1)
    return lengths.clamp_(min=1e-12).reciprocal_()


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

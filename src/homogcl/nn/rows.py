"""Products that skip rows without gradient, such as of nodes sure of their cluster."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

_SAMPLE = 64  # rows that tell at once whether a search pays
_FEW = 1 / 4  # of all rows


def few_rows(grad: Tensor) -> Tensor | None:
    """Return the rows of `grad` [N, d] that are not zero if they are few, int64, else None."""
    nodes = grad.size(0)
    if nodes < 4 * _SAMPLE:
        return None
    sample = grad[:: nodes // _SAMPLE]
    if int((sample != 0).any(1).sum()) > _FEW * len(sample):
        return None
    rows = (grad != 0).any(1).nonzero().squeeze(1)
    return rows if rows.numel() <= _FEW * nodes else None


def multiply_rows(x: Tensor, weight: Tensor) -> Tensor:
    """Return x W of rows [N, d] or of one [d]; no time is lost on rows without a gradient."""
    if x.dim() == 1:
        return x @ weight
    result: Tensor = _RowProduct.apply(x, weight)  # type: ignore[no-untyped-call]
    return result


class _RowProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        needs_x, needs_weight = ctx.needs_input_grad
        rows = few_rows(grad)
        part = grad if rows is None else grad[rows]
        to_x = part @ weight.t() if needs_x else None
        if rows is not None and to_x is not None:
            to_x = torch.zeros_like(x).index_copy(0, rows, to_x)
        inputs = x if rows is None else x[rows]
        return to_x, inputs.t() @ part if needs_weight else None

"""Gaussian sketches: random mixtures of rows, without holding the sketching matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sketch:
    """The matrix P [rows, N] with entries N(0, 1/rows), which a seed determines.

    P is drawn in blocks of rows, anew at each use: for a large graph, the whole matrix would take
    more memory than everything else in a step.
    """

    rows: int
    seed: int
    block: int = 512  # rows of P held at a time

    def blocks(self, like: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """Yield the blocks of P for the rows of `like` [N, d], each with its rows in P."""
        rng = torch.Generator(device=like.device).manual_seed(self.seed)
        for start in range(0, self.rows, self.block):
            stop = min(start + self.block, self.rows)
            size = (stop - start, like.size(0))
            p = torch.randn(size, generator=rng, dtype=like.dtype, device=like.device)
            yield slice(start, stop), p.mul_(self.rows**-0.5)

    def __call__(self, h: Tensor) -> Tensor:
        """Return P h, [rows, d], differentiable in `h` [N, d]."""
        result: Tensor = _Apply.apply(h, self)  # type: ignore[no-untyped-call]
        return result


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, sketch: Sketch) -> Tensor:
        ctx.sketch, ctx.size = sketch, h.shape
        result = h.new_empty(sketch.rows, h.size(1))
        for rows, p in sketch.blocks(h):
            torch.mm(p, h, out=result[rows])
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        result = grad.new_zeros(ctx.size)
        for rows, p in ctx.sketch.blocks(result):
            result.addmm_(p.t(), grad[rows])
        return result, None

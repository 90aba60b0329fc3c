"""NS4GC's loss on the similarities of all pairs that no edge joins, without a matrix of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from homogcl.losses.contrast.sampled import SampledColumns
from homogcl.nn.sparse import Pattern


@dataclass(frozen=True)
class Gate:
    """Which similarities count: σ((s - threshold) / temperature), about 0 below and 1 above."""

    threshold: float
    temperature: float

    def __call__(self, similarity: Tensor) -> Tensor:
        """Return how far each similarity is above the threshold, in (0, 1)."""
        return ((similarity - self.threshold) / self.temperature).sigmoid()


@dataclass(frozen=True)
class Similarities:
    """S = A Bᵀ of the vectors A, B [N, d] of two views, at nodes and at edges."""

    a: Tensor
    b: Tensor
    own: Tensor  # S_ii, [N]
    near: Tensor  # S_ij of the edges, [E]
    edges: Pattern


def sparsity(s: Similarities, gate: Gate, columns: SampledColumns | None = None) -> Tensor:
    """Return the loss to minimize: the mean of gate(S_ij) over pairs that are no edge, a scalar.

    Nor are pairs of a node with itself among them. With `columns` the mean is estimated, without
    bias, from these nodes of the second view.
    """
    nodes = s.own.numel()
    weight = s.b.new_ones(nodes)
    if columns is None:
        everything = gated_sum(s.a, s.b, weight, gate)
    else:
        share = columns.weight.to(s.b.dtype)
        weight = torch.zeros_like(weight).index_put((columns.node,), share)
        everything = gated_sum(s.a, s.b[columns.node], share, gate)
    listed = (weight * gate(s.own)).sum() + (weight[s.edges.col] * gate(s.near)).sum()
    others = nodes * nodes - nodes - s.near.numel()
    return (everything - listed) / max(others, 1)


def gated_sum(a: Tensor, b: Tensor, weight: Tensor, gate: Gate, *, tile: int = 1024) -> Tensor:
    """Return Σ_im w_m gate(a_i·b_m), a scalar, differentiable in `a` [N, d] and `b` [M, d].

    Memory is O(tile² + (N + M) d): the gradient comes from the tiles of the forward pass.
    """
    result: Tensor = _GatedSum.apply(a, b, weight, gate, tile)  # type: ignore[no-untyped-call]
    return result


class _GatedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, weight: Tensor, gate: Gate, tile: int) -> Tensor:
        total = torch.zeros((), dtype=torch.float64, device=a.device)
        learns = any(ctx.needs_input_grad)
        to_a, to_b, weighted = torch.zeros_like(a), torch.zeros_like(b), weight[:, None] * b
        offset = a.new_full((), -gate.threshold / gate.temperature)
        for top in range(0, a.size(0), tile):
            for left in range(0, b.size(0), tile):
                rows, cols = slice(top, top + tile), slice(left, left + tile)
                logits = torch.addmm(offset, a[rows], b[cols].t(), alpha=1 / gate.temperature)
                value = logits.sigmoid_()
                total += torch.mv(value, weight[cols]).sum()
                if learns:
                    slope = value.addcmul_(value, value, value=-1)
                    to_a[rows].addmm_(slope, weighted[cols])
                    to_b[cols].addmm_(slope.t(), a[rows])
        ctx.save_for_backward(to_a, to_b, weight)
        ctx.temperature = gate.temperature
        return total.to(a.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        if torch.is_grad_enabled():
            raise RuntimeError("the sum over all pairs cannot be differentiated twice")
        to_a, to_b, weight = ctx.saved_tensors
        scale = grad / ctx.temperature
        return scale * to_a, scale * weight[:, None] * to_b, None, None, None

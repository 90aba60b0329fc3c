"""Products of rows at given pairs, with exact gradients, which never gather a row per pair."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from homogcl.core.csr import csr_tensor
from homogcl.nn.sparse import Pattern, product_of


def pair_products(a: Tensor, b: Tensor, pattern: Pattern) -> Tensor:
    """Return a_i · b_j for each pair (i, j) of `pattern`, [P], differentiable in `a` and `b`."""
    result: Tensor = _PairProducts.apply(a, b, pattern)  # type: ignore[no-untyped-call]
    return result


def own_products(a: Tensor, pattern: Pattern) -> Tensor:
    """Return `pair_products(a, a, pattern)` of pairs that come in both directions, [P]."""
    result: Tensor = _OwnProducts.apply(a, pattern)  # type: ignore[no-untyped-call]
    return result


def weighted_sums(a: Tensor, b: Tensor, pattern: Pattern, weight: Tensor) -> Tensor:
    """Return Σ_j w_ij a_i · b_j over the pairs of each row i of `pattern`, [n].

    It is differentiable in rows and weights [P]. Weights without a gradient need no products at
    pairs: the sum is that of a_i with the weighted sum of its b_j.
    """
    if weight.requires_grad:
        scores = weight * pair_products(a, b, pattern)
        return scores.new_zeros(a.size(0)).index_add(0, pattern.row, scores)
    result: Tensor = _WeightedSums.apply(a, b, pattern, weight.to(a.dtype))  # type: ignore[no-untyped-call]
    return result


def _sampled(a: Tensor, b: Tensor, crow: Tensor, columns: Tensor, size: tuple[int, int]) -> Tensor:
    if columns.numel() == 0:
        return a.new_zeros(0)
    empty = csr_tensor(crow, columns, a.new_zeros(columns.numel()), size)
    sampled: Tensor = torch.sparse.sampled_addmm(empty, a, b.t(), beta=0.0)
    return sampled.values()


class _PairProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, pattern: Pattern) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.pattern = pattern
        return _sampled(a, b, pattern.crow, pattern.columns, pattern.size)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        a, b = ctx.saved_tensors
        if grad.numel() == 0:
            return torch.zeros_like(a), torch.zeros_like(b), None
        needs_a, needs_b, _ = ctx.needs_input_grad
        to_a = product_of(ctx.pattern.matrix(grad), b) if needs_a else None
        to_b = product_of(ctx.pattern.transposed_matrix(grad), a) if needs_b else None
        return to_a, to_b, None


class _OwnProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, pattern: Pattern) -> Tensor:
        ctx.save_for_backward(a)
        ctx.pattern = pattern
        crow, columns, place = pattern.upper  # a pair has the product of its reverse
        return _sampled(a, a, crow, columns, pattern.size).index_select(0, place)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (a,) = ctx.saved_tensors
        if grad.numel() == 0:
            return torch.zeros_like(a), None
        # The order of the transpose sends each pair to its reverse.
        both = grad + grad.index_select(0, ctx.pattern.to_transposed)
        return product_of(ctx.pattern.matrix(both), a), None


class _WeightedSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, pattern: Pattern, weight: Tensor) -> Tensor:
        around = product_of(pattern.matrix(weight), b)
        # The rows of `a` serve the gradient of `b` alone.
        ctx.save_for_backward(around, weight, *([a] if ctx.needs_input_grad[1] else []))
        ctx.pattern = pattern
        return (a * around).sum(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        around, weight, *rows = ctx.saved_tensors
        each = grad[:, None]
        to_a = around * each if ctx.needs_input_grad[0] else None
        to_b = None
        if rows:
            to_b = product_of(ctx.pattern.transposed_matrix(weight), rows[0] * each)
        return to_a, to_b, None, None

"""Attention of nodes to their neighbors by sparse products, which gather no row per edge."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import leaky_relu
from torch_geometric.data import Data
from torch_geometric.utils import softmax

from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern, product_of

_SLOPE = 0.2  # of scores below zero


def pairs_into(graph: Data) -> Pattern:
    """Return the pairs (target, source) of all edges of `graph` and of a loop at each node."""
    n = int(graph.num_nodes or 0)
    loops = torch.arange(n, device=graph.edge_index.device)
    source = torch.cat([graph.edge_index[0], loops])
    target, order = torch.cat([graph.edge_index[1], loops]).sort(stable=True)
    return Pattern.at(target, source[order], (n, n))


def attention(toward: Tensor, away: Tensor, pairs: Pattern) -> Tensor:
    """Return how much of a node's attention goes along each pair, [P, K], by head.

    Args:
        toward: Scores of the attending nodes, the rows of `pairs`, [n, K].
        away: Scores of the nodes attended to, its columns, [N, K].
        pairs: Who may attend to whom.
    """
    scores = toward.index_select(0, pairs.row) + away.index_select(0, pairs.col)
    share: Tensor = softmax(leaky_relu(scores, _SLOPE), pairs.row, num_nodes=pairs.size[0])
    return share


def attend(alpha: Tensor, values: Tensor, pairs: Pattern) -> Tensor:
    """Return Σ_j α^k_ij v^k_j for each row i of `pairs`, the heads k side by side, [n, K d].

    Attention is [P, K], values are [N, K d]; both may carry a gradient.
    """
    by_head = values.view(len(values), alpha.size(1), -1)
    heads = [
        _attend(weight, each, pairs)
        for weight, each in zip(alpha.unbind(1), by_head.unbind(1), strict=True)
    ]
    return torch.cat(heads, dim=1)


def _attend(weight: Tensor, values: Tensor, pairs: Pattern) -> Tensor:
    result: Tensor = _Attend.apply(weight, values.contiguous(), pairs)  # type: ignore[no-untyped-call]
    return result


class _Attend(torch.autograd.Function):
    """A(weight) @ values, [n, d], differentiable in both."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, values: Tensor, pairs: Pattern) -> Tensor:
        ctx.save_for_backward(weight, values)
        ctx.pairs = pairs
        return product_of(pairs.matrix(weight), values)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        weight, values = ctx.saved_tensors
        grad = grad.contiguous()
        of_values = product_of(ctx.pairs.transposed_matrix(weight), grad)
        return pair_products(grad, values, ctx.pairs), of_values, None

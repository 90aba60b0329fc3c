"""Row sums of exponentiated similarities, estimated without bias from a few columns.

All rows share M columns. Each column stands for the nodes of its stratum: where a stratum of N_c
nodes gives m_c columns, every one of them weighs N_c / m_c, which is one over the probability of
being drawn, so that the sum over all nodes is met in the mean. Strata within which the columns
are alike, such as HomoGCL's clusters, leave less to chance than all nodes together do.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from homogcl.errors import UserError
from homogcl.sparse import Pattern


@dataclass(frozen=True)
class Columns:
    """The nodes that stand for all in the sums, and for how many each does."""

    node: Tensor  # int64 [M]
    weight: Tensor  # [M]


def stratified_columns(draw: Tensor, count: int, strata: Tensor | None = None) -> Columns:
    """Return about `count` columns, shared among the strata in proportion to their size.

    Args:
        draw: One uniform random number a node, [N]; the lowest of a stratum are taken.
        count: M, at most N; each stratum gives its rounded share of it, and at least one column.
        strata: The stratum of each node, int64 [N]; by default all nodes are in one.
    """
    nodes = draw.numel()
    if count > nodes:
        raise UserError(f"num_negatives={count} is more than the {nodes} nodes there are")
    if strata is None:
        strata = torch.zeros(nodes, dtype=torch.long, device=draw.device)
    size = torch.bincount(strata)
    quota = (size * (count / nodes)).round().long().clamp(min=1)
    # By stratum, then by the draw: the first `quota` of each stratum are its columns.
    order = torch.argsort(draw, stable=True)
    order = order[torch.argsort(strata[order], stable=True)]
    start = size.cumsum(0) - size
    rank = torch.arange(nodes, device=draw.device) - start[strata[order]]
    node = order[rank < quota[strata[order]]]
    each = strata[node]
    return Columns(node, size[each].to(draw.dtype) / quota[each])


def sampled_log_sums(
    a: Tensor, b: Tensor, columns: Columns, left_out: Pattern, rows: int = 8192
) -> tuple[Tensor, Tensor]:
    """Return what `tiles.log_sums` returns, estimated: the sums are met in the mean.

    Args:
        a: One view's vectors, [N, d].
        b: The other view's vectors, [N, d].
        columns: The nodes to sum over.
        left_out: Pairs that are not summed, in both directions; a node's own pairs never are.
        rows: How many rows are computed at a time; backward computes them again.

    Returns:
        Logarithms of the sums for each row of `a` and of `b`, two of [N].
    """
    n, m = a.size(0), columns.node.numel()
    others = torch.cat([a[columns.node], b[columns.node]])
    offset = columns.weight.to(a.dtype).log().repeat(2)
    row, place = _places(columns.node, left_out)
    sums = []
    for side in (a, b):
        parts = []
        for begin in range(0, n, rows):
            here = (row >= begin) & (row < begin + rows)
            blocked = (row[here] - begin) * (2 * m) + place[here]
            blocked = torch.cat([blocked, blocked + m])
            part = side[begin : begin + rows]
            parts.append(checkpoint(_row_sums, part, others, offset, blocked, use_reentrant=False))
        sums.append(torch.cat(parts))
    return sums[0], sums[1]


def _row_sums(part: Tensor, others: Tensor, offset: Tensor, blocked: Tensor) -> Tensor:
    logits = part @ others.t() + offset
    return logits.view(-1).index_fill(0, blocked, -torch.inf).view_as(logits).logsumexp(1)


def _places(node: Tensor, left_out: Pattern) -> tuple[Tensor, Tensor]:
    """Return (row, column's position) of all pairs that must not be summed, own pairs included."""
    crow = left_out.crow.long()
    count = crow[node + 1] - crow[node]
    position = torch.arange(node.numel(), device=node.device)
    place = torch.repeat_interleave(position, count)
    within = torch.arange(place.numel(), device=node.device) - (count.cumsum(0) - count)[place]
    # The pairs come in both directions: a node's row of the pattern lists who must skip it.
    row = left_out.col[crow[node][place] + within]
    return torch.cat([row, node]), torch.cat([place, position])

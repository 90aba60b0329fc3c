"""Row sums of exponentiated similarities, estimated without bias from a few columns.

All rows share M columns. If a stratum of N_c nodes gives m_c columns, each of them has the weight
N_c / m_c, one over its probability of being drawn, so that the expected sum is that over all
nodes. Strata of similar nodes, such as clusters, lower the variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.losses.contrast.tiles import Workspace, finite, largest_square, safe_square
from homogcl.nn.sparse import Pattern, entries


@dataclass(frozen=True)
class SampledColumns:
    """The sampled nodes, and how many nodes each of them represents."""

    node: Tensor  # int64 [M]
    weight: Tensor  # [M]


def stratified_columns(draw: Tensor, count: int, strata: Tensor | None = None) -> SampledColumns:
    """Return about `count` columns, divided among the strata in proportion to their size.

    Each stratum, int64 [N], gives its rounded share and at least one column: the nodes with the
    lowest of the uniform random numbers `draw` [N]. By default there is one stratum.
    """
    nodes = draw.numel()
    if count > nodes:
        raise UserError(f"num_negatives={count} is more than the {nodes} nodes there are")
    if strata is None:
        strata = torch.zeros(nodes, dtype=torch.long, device=draw.device)
    size = torch.bincount(strata)
    quota = (size * (count / nodes)).round().long().clamp(min=1)
    # Sort by stratum, then by draw: the first `quota` of each stratum are its columns.
    order = torch.argsort(draw, stable=True)
    order = order[torch.argsort(strata[order], stable=True)]
    start = size.cumsum(0) - size
    rank = torch.arange(nodes, device=draw.device) - start[strata[order]]
    node = order[rank < quota[strata[order]]]
    each = strata[node]
    return SampledColumns(node, size[each].to(draw.dtype) / quota[each])


def sampled_log_sums(
    a: Tensor,
    b: Tensor,
    columns: SampledColumns,
    left_out: Pattern,
    *,
    rows: int = 1024,
    budget: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return an estimate of `tiles.log_sums`; the sums, not their logarithms, are unbiased.

    `left_out` are further pairs to leave out of the sums over the columns, in both directions; own
    pairs always are. A thousand rows at a time stay in a processor's cache. Exponentials beyond
    `budget` bytes, by default that of a `Workspace`, are computed again by backward.
    """
    blocks = _Blocks.of(a.size(0), rows, columns, left_out)
    budget = Workspace().budget if budget is None else budget
    result: tuple[Tensor, Tensor] = _SampledSums.apply(a, b, blocks, budget)  # type: ignore[no-untyped-call]
    return result


@dataclass(frozen=True)
class _Blocks:
    """The pairs of all rows with the columns of both views, in blocks of rows."""

    columns: SampledColumns
    rows: tuple[slice, ...]
    left_out: tuple[Tensor, ...]  # block -> positions inside it, flat

    @classmethod
    def of(cls, nodes: int, size: int, columns: SampledColumns, left_out: Pattern) -> _Blocks:
        row, place = _places(columns.node, left_out)
        row, order = row.sort()
        width = columns.node.numel()
        begins = torch.arange(0, nodes, size, device=row.device)
        ends = torch.searchsorted(row, (begins + size).clamp(max=nodes))
        position = row % size * (2 * width) + place[order]
        parts = torch.tensor_split(position, ends[:-1].cpu())
        slices = (slice(int(begin), min(int(begin) + size, nodes)) for begin in begins)
        return cls(columns, tuple(slices), tuple(torch.cat([p, p + width]) for p in parts))

    @property
    def largest(self) -> int:
        """The number of rows of the largest block, which is the first."""
        return self.rows[0].stop if self.rows else 0


class _SampledSums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, a: Tensor, b: Tensor, blocks: _Blocks, budget: int
    ) -> tuple[Tensor, Tensor]:
        node = blocks.columns.node
        others = torch.cat([a[node], b[node]])
        area = 2 * a.size(0) * others.size(0)
        keeps = any(ctx.needs_input_grad) and area * a.element_size() <= budget
        buffer = a.new_empty(area if keeps else blocks.largest * others.size(0))
        weight = blocks.columns.weight.to(a.dtype).repeat(2)
        logs = (torch.empty_like(a[:, 0]), torch.empty_like(b[:, 0]))
        shifts = tuple(torch.zeros_like(log) for log in logs)
        shifted = max(largest_square(a), largest_square(b)) > safe_square(a.dtype)
        for number, (side, rows) in enumerate(_order(blocks)):
            slot = _slot(buffer, number if keeps else 0, rows, others.size(0), blocks)
            logits = _logits((a, b)[side][rows], others, blocks, number, slot)
            if shifted:
                shifts[side][rows] = finite(logits.amax(1))
                logits -= shifts[side][rows, None]
            logs[side][rows] = torch.mv(logits.exp_(), weight).log_() + shifts[side][rows]
        ctx.save_for_backward(a, b, others, weight, *logs, *shifts)
        ctx.blocks, ctx.buffer = blocks, buffer if keeps else None
        return logs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        if torch.is_grad_enabled():
            raise RuntimeError("the sampled sums cannot be differentiated twice")
        a, b, others, weight, *rest = ctx.saved_tensors
        logs, shifts = rest[:2], rest[2:]
        blocks: _Blocks = ctx.blocks
        # A second backward pass has no exponentials left and computes them again.
        exponentials, ctx.buffer = ctx.buffer, None
        width = others.size(0)
        buffer = a.new_empty(blocks.largest * width) if exponentials is None else exponentials
        totals = (torch.empty_like(a), torch.empty_like(b))
        # A column that represents w nodes counts w times: in the product, and in its own gradient.
        weighted, of_others = weight[:, None] * others, torch.zeros_like(others)
        # d log Σ e^l / d l = e^l / Σ, and 0 for an empty sum.
        per_sum = [
            torch.where(log.isinf(), 0.0, grad * (shift - log).exp())
            for grad, log, shift in zip(grads, logs, shifts, strict=True)
        ]
        for number, (side, rows) in enumerate(_order(blocks)):
            x = (a, b)[side]
            slot = _slot(buffer, 0 if exponentials is None else number, rows, width, blocks)
            if exponentials is None:
                _logits(x[rows], others, blocks, number, slot).sub_(shifts[side][rows, None]).exp_()
            shares = slot.mul_(per_sum[side][rows, None])
            torch.mm(shares, weighted, out=totals[side][rows])
            of_others.addmm_(shares.t(), x[rows])
        of_others *= weight[:, None]
        for total, part in zip(totals, of_others.chunk(2), strict=True):
            total.index_add_(0, blocks.columns.node, part)
        return *totals, None, None


def _order(blocks: _Blocks) -> Iterator[tuple[int, slice]]:
    """Return the blocks of both sides (0: a, 1: b), in the order of memory."""
    return ((side, rows) for side in (0, 1) for rows in blocks.rows)


def _slot(buffer: Tensor, number: int, rows: slice, width: int, blocks: _Blocks) -> Tensor:
    """Return the memory of block `number`, [rows, width]."""
    side, block = divmod(number, max(len(blocks.rows), 1))
    start = (side * blocks.rows[-1].stop + blocks.rows[block].start) * width
    count = rows.stop - rows.start
    return buffer[start : start + count * width].view(count, width)


def _logits(part: Tensor, others: Tensor, blocks: _Blocks, number: int, out: Tensor) -> Tensor:
    """Write the logits of a block to `out`, with minus infinity for pairs left out."""
    torch.mm(part, others.t(), out=out)
    out.view(-1).index_fill_(0, blocks.left_out[number % len(blocks.rows)], -torch.inf)
    return out


def _places(node: Tensor, left_out: Pattern) -> tuple[Tensor, Tensor]:
    """Return the row and the column's position of all pairs left out, own pairs included."""
    place, pair = entries(left_out.crow, node)
    # The pairs come in both directions, so a node's row lists the rows that leave it out.
    row, position = left_out.col[pair], torch.arange(node.numel(), device=node.device)
    return torch.cat([row, node]), torch.cat([place, position])

"""Exact row sums of exponentiated similarities, with a weight for each pair.

Only one tile of the N² pairs is in memory at a time; backward computes each tile again. A tile
serves the anchors of its rows and, transposed, those of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.losses.contrast.tiles import Tiling, Workspace
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern

_LOWEST_TEMPERATURE = 0.02  # e^{1/0.02} times any number of nodes fits float32


@dataclass(frozen=True)
class Hardness:
    """The weight of each negative, before the weights of an anchor are scaled to mean 1."""

    of: Callable[[Tensor], Tensor]  # cosines to weights ≥ 0; no gradient flows
    # Unit vectors (u, v), [N, d] each, whose cosines u_i·v_j give the weight of the pair (i, j) for
    # the anchors of both views; by default the weight of node j comes from the current cosine of
    # the anchor with j in the other view.
    frozen: tuple[Tensor, Tensor] | None = None


def weighted_sums(
    a: Tensor, b: Tensor, temperature: float, hardness: Hardness, pairs: Pattern, tile: int
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Return log Σ_j w_ij [e^{a_i·b_j} + e^{a_i·a_j}] for the anchors of both views, [N] each.

    Vectors `a` and `b` [N, d] have the length 1/√τ, with τ at least 0.02. The weights w_ij of an
    anchor are scaled to mean 1 over the other nodes. The sums leave out own and listed pairs; the
    weights of the listed pairs, which come in both directions, are returned too, [P] each. Memory
    is O(tile² + N d).
    """
    if temperature < _LOWEST_TEMPERATURE:
        raise UserError(
            f"temperature={temperature} is too low here: take {_LOWEST_TEMPERATURE} or more"
        )
    n = a.size(0)
    weigh = _Weigh(hardness, temperature, Tiling.of(n, tile, Workspace(0), pairs))
    first, second, weights_u, weights_v = _negatives(a, b, weigh)
    across = pair_products(a, b, pairs).detach()
    back = across.index_select(0, pairs.to_transposed)
    logs, weights = [], []
    for rest, weight, outside in ((first, weights_u, across), (second, weights_v, back)):
        # The mean weight of the N - 1 others, which may all have the weight 0.
        mean = (weight / max(n - 1, 1)).clamp(min=1e-12)
        logs.append(_log(rest / mean))
        weights.append(weigh.pairs(outside, pairs) / mean[pairs.row])
    return (logs[0], logs[1]), (weights[0], weights[1])


def _log(x: Tensor) -> Tensor:
    """Return the logarithm; for 0, minus infinity without gradient."""
    return torch.where(x > 0, x, 1.0).log().where(x > 0, -torch.inf)


@dataclass(frozen=True)
class _Weigh:
    """The weights of negatives, in tiles and for the listed pairs."""

    hardness: Hardness
    temperature: float
    tiling: Tiling

    @torch.no_grad()
    def pairs(self, outside: Tensor, pattern: Pattern) -> Tensor:
        """Return the weights of the listed pairs, [P], from their logits into the other view."""
        if self.hardness.frozen is None:
            return self.hardness.of(outside * self.temperature)
        return self.hardness.of(pair_products(*self.hardness.frozen, pattern))

    def tile(self, inter: Tensor, rows: slice, cols: slice) -> tuple[Tensor, Tensor]:
        """Return a tile's weights for the anchors of its rows and for those of its columns."""
        if self.hardness.frozen is None:
            weight = self.hardness.of(inter * self.temperature)
            return weight, weight
        u, v = self.hardness.frozen
        of_cols = self.hardness.of(v[rows] @ u[cols].t())
        return self.hardness.of(u[rows] @ v[cols].t()), of_cols


@dataclass(frozen=True)
class _Tile:
    """Pairs of anchors of view x in the rows and of view y (0: a, 1: b) in the columns."""

    x: int
    y: int
    rows: slice
    cols: slice
    exponential: Tensor  # of the logits between the views, [r, c]
    intra: tuple[Tensor, Tensor]  # the same within a and within b
    by_row: Tensor  # weights for the anchors of the rows, [r, c]; 0 at own and listed pairs
    by_col: Tensor  # weights for the anchors of the columns, [r, c]
    weights: tuple[Tensor, Tensor]  # sums over all but the own pairs, [r] and [c]


def _tiles(sides: tuple[Tensor, Tensor], weigh: _Weigh) -> Iterator[list[_Tile]]:
    """Yield the tiles at each place on or above the diagonal: u with v, and off it v with u."""
    n, size = sides[0].size(0), weigh.tiling.size
    starts = range(0, n, size)
    for i, j in combinations_with_replacement(range(len(starts)), 2):
        rows, cols = slice(starts[i], starts[i] + size), slice(starts[j], starts[j] + size)
        a, b = ((side[rows] @ side[cols].t()).exp_() for side in sides)
        tiles = []
        for x, y in ((0, 1), (1, 0))[: 1 if i == j else 2]:
            inter = sides[x][rows] @ sides[y][cols].t()
            by_row, by_col = weigh.tile(inter, rows, cols)
            if i == j:
                by_row.fill_diagonal_(0.0)
                by_col.fill_diagonal_(0.0)
            weights = (by_row.sum(1), by_col.sum(0))
            weigh.tiling.fill(by_row, (i, j), 0.0)
            weigh.tiling.fill(by_col, (i, j), 0.0)
            tiles.append(_Tile(x, y, rows, cols, inter.exp_(), (a, b), by_row, by_col, weights))
        yield tiles


def _negatives(a: Tensor, b: Tensor, weigh: _Weigh) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return, for the anchors of `a` and of `b`, [N] each: Σ_j w_ij e^{logit}, then Σ_j w_ij.

    The first two leave out the listed pairs and carry the gradient.
    """
    result: tuple[Tensor, Tensor, Tensor, Tensor] = _Negatives.apply(a, b, weigh)  # type: ignore[no-untyped-call]
    return result


class _Negatives(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, weigh: _Weigh) -> tuple[Tensor, ...]:
        sums = [a.new_zeros(a.size(0)) for _ in range(2)]
        weights = [a.new_zeros(a.size(0)) for _ in range(2)]
        for tiles in _tiles((a, b), weigh):
            for t in tiles:
                sums[t.x][t.rows] += (t.by_row * (t.exponential + t.intra[t.x])).sum(1)
                sums[t.y][t.cols] += (t.by_col * (t.exponential + t.intra[t.y])).sum(0)
                weights[t.x][t.rows] += t.weights[0]
                weights[t.y][t.cols] += t.weights[1]
        ctx.save_for_backward(a, b)
        ctx.weigh = weigh
        ctx.mark_non_differentiable(*weights)
        return *sums, *weights

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor, Tensor, None]:
        if torch.is_grad_enabled():
            raise RuntimeError("the sums over all pairs cannot be differentiated twice")
        sides = ctx.saved_tensors
        grads = (torch.zeros_like(sides[0]), torch.zeros_like(sides[1]))
        for tiles in _tiles(sides, ctx.weigh):
            rows, cols, intra = tiles[0].rows, tiles[0].cols, tiles[0].intra
            within = [torch.zeros_like(part) for part in intra]
            for t in tiles:
                by_row, by_col = t.by_row * grad[t.x][rows, None], t.by_col * grad[t.y][cols]
                within[t.x].addcmul_(by_row, intra[t.x])
                within[t.y].addcmul_(by_col, intra[t.y])
                between = by_row.add_(by_col).mul_(t.exponential)
                grads[t.x][rows].addmm_(between, sides[t.y][cols])
                grads[t.y][cols].addmm_(between.t(), sides[t.x][rows])
            for side, total, part in zip(sides, grads, within, strict=True):
                total[rows].addmm_(part, side[cols])
                total[cols].addmm_(part.t(), side[rows])
        return *grads, None

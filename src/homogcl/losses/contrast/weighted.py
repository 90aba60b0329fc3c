"""A contrastive loss whose negatives weigh unequally or lie in the other view only, in tiles.

All N² pairs count exactly, but only one tile of them exists at a time: backward computes each
tile again. A tile serves the anchors of its rows and, transposed, those of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.homophily.positives import MEANS, Positives
from homogcl.losses.contrast.tiles import Tiling, Workspace
from homogcl.nn.sparse import Pattern, own_products, pair_products
from homogcl.nn.unit_rows import of_length

_LOWEST_TEMPERATURE = 0.02  # e^{1/0.02}, times any number of nodes, is within float32


@dataclass(frozen=True)
class Hardness:
    """How much each negative weighs, before each anchor's weights are scaled to mean 1.

    Attributes:
        of: From cosines to weights, not negative, of the same shape; no gradient flows into them.
        frozen: Unit vectors (u, v), [N, d] each, whose cosines u_i·v_j weigh the pair (i, j) for
            the anchors of both views; by default an anchor weighs node j by its cosine with j
            in the other view as it is now.
    """

    of: Callable[[Tensor], Tensor]
    frozen: tuple[Tensor, Tensor] | None = None


def weighted_nce(
    u: Tensor,
    v: Tensor,
    temperature: float,
    positives: tuple[Positives, Positives] | None = None,
    *,
    hardness: Hardness | None = None,
    intra_view: bool = True,
    tile: int = 1024,
) -> Tensor:
    r"""Return the loss to minimize: InfoNCE with the weight w_ij on each negative pair.

    For anchor u_i, with θ the cosine similarity,

        neg = Σ_{j≠i} w_ij [e^{θ(u_i,v_j)/τ} + e^{θ(u_i,u_j)/τ}]
        loss = -log e^{θ(u_i,v_i)/τ} / (e^{θ(u_i,v_i)/τ} + neg)

    and the mean over the anchors of both views. Neighbor pairs change it as in HomoGCL, Eq.
    (7)-(10): intra-view neighbors are positives by their weight, inter-view neighbors no
    negatives, and pairs whose edge the view has lost are ordinary negatives. Memory is
    O(tile² + N d).

    Args:
        u: Vectors of the first view, [N, d].
        v: Vectors of the second view, [N, d].
        temperature: τ, at least 0.02.
        positives: The neighbor pairs as they are in the first and in the second view, over the
            same `edge_index`; none by default.
        hardness: Where the weights w come from; all 1 by default.
        intra_view: Whether nodes of the anchor's own view are negatives too.
        tile: Rows of a tile.

    Returns:
        The loss, a scalar.
    """
    if temperature < _LOWEST_TEMPERATURE:
        raise UserError(
            f"temperature={temperature} is too low here: take {_LOWEST_TEMPERATURE} or more"
        )
    n = u.size(0)
    a, b = of_length(u, temperature**-0.5), of_length(v, temperature**-0.5)
    in_u, in_v = positives or (Positives.none(), Positives.none())
    pairs = Pattern.of(in_u.edge_index.to(u.device), n)
    weigh = _Weigh(hardness, temperature, intra_view, Tiling.of(n, tile, Workspace(0), pairs))
    *negatives, weights_u, weights_v = _negatives(a, b, weigh)
    own = (a * b).sum(1)
    across = pair_products(a, b, pairs)
    back = across.index_select(0, pairs.to_transposed)
    directions = (
        (own_products(a, pairs), across, (in_u, in_v)),
        (own_products(b, pairs), back, (in_v, in_u)),
    )
    loss: Tensor = own.new_zeros(())
    for (inside, outside, views), rest, weight in zip(
        directions, negatives, (weights_u, weights_v), strict=True
    ):
        # Mean weight of the N - 1 others; an anchor without any credible negative has none.
        mean = (weight / max(n - 1, 1)).clamp(min=1e-12)
        listed = _Listed(pairs.row, inside, outside, weigh.pairs(outside, pairs) / mean[pairs.row])
        loss = loss + 0.5 * listed.loss(own, rest / mean, views, intra_view=intra_view)
    return loss


@dataclass(frozen=True)
class _Listed:
    """The listed pairs of one direction, [P] each."""

    row: Tensor  # the anchor
    inside: Tensor  # logit within the anchor's view
    outside: Tensor  # logit into the other view
    weight: Tensor  # as a negative

    def loss(
        self, own: Tensor, rest: Tensor, views: tuple[Positives, Positives], *, intra_view: bool
    ) -> Tensor:
        """Return the mean loss of one view's anchors; `rest` are their unlisted negatives, [N]."""
        here, there = views
        logit, own = own, own.exp()
        inside, outside = self.inside.exp(), self.outside.exp()
        if here.combine in MEANS:
            positive = own
        else:
            summed = here.numerator(self.row, own.numel()) * inside
            positive = own.index_add(0, self.row, summed)
        # A pair that is no neighbor in a view is an ordinary negative there.
        negative = there.inter_view() * outside
        if intra_view:
            negative = negative + here.inter_view() * inside
        everything = (positive + rest).index_add(0, self.row, self.weight * negative)
        if here.combine in MEANS:
            return (everything.log() - here.mean(logit, self.outside, self.row)).mean()
        return (everything.log() - positive.log()).mean()


@dataclass(frozen=True)
class _Weigh:
    """How the negatives weigh, in tiles and in the listed pairs."""

    hardness: Hardness | None
    temperature: float
    intra_view: bool
    tiling: Tiling

    @torch.no_grad()
    def pairs(self, outside: Tensor, pattern: Pattern) -> Tensor:
        """Return the weights of the listed pairs, [P], from their logits into the other view."""
        if self.hardness is None:
            return torch.ones_like(outside)
        if self.hardness.frozen is None:
            return self.hardness.of(outside * self.temperature)
        return self.hardness.of(pair_products(*self.hardness.frozen, pattern))

    def tile(self, inter: Tensor, rows: slice, cols: slice) -> tuple[Tensor, Tensor]:
        """Return a tile's weights for the anchors of its rows and for those of its columns."""
        if self.hardness is None:
            weight = torch.ones_like(inter)
            return weight, weight
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
    intra: tuple[Tensor, Tensor] | None  # the same within a and within b
    by_row: Tensor  # weights for the anchors of the rows, [r, c]; 0 at own and listed pairs
    by_col: Tensor  # weights for the anchors of the columns, [r, c]
    weights: tuple[Tensor, Tensor]  # sums over all but the own pairs, [r] and [c]


def _tiles(sides: tuple[Tensor, Tensor], weigh: _Weigh) -> Iterator[list[_Tile]]:
    """Yield the tiles of each place on and above the diagonal: u with v, and off it v with u."""
    n, size = sides[0].size(0), weigh.tiling.size
    starts = range(0, n, size)
    for i, j in combinations_with_replacement(range(len(starts)), 2):
        rows, cols = slice(starts[i], starts[i] + size), slice(starts[j], starts[j] + size)
        intra = None
        if weigh.intra_view:
            a, b = ((side[rows] @ side[cols].t()).exp_() for side in sides)
            intra = (a, b)
        found = []
        for x, y in ((0, 1), (1, 0))[: 1 if i == j else 2]:
            inter = sides[x][rows] @ sides[y][cols].t()
            by_row, by_col = weigh.tile(inter, rows, cols)
            if i == j:
                by_row.fill_diagonal_(0.0)
                by_col.fill_diagonal_(0.0)
            weights = (by_row.sum(1), by_col.sum(0))
            weigh.tiling.fill(by_row, (i, j), 0.0)
            weigh.tiling.fill(by_col, (i, j), 0.0)
            found.append(_Tile(x, y, rows, cols, inter.exp_(), intra, by_row, by_col, weights))
        yield found


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
                row_part = col_part = t.exponential
                if t.intra is not None:
                    row_part, col_part = row_part + t.intra[t.x], col_part + t.intra[t.y]
                sums[t.x][t.rows] += (t.by_row * row_part).sum(1)
                sums[t.y][t.cols] += (t.by_col * col_part).sum(0)
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
            within = [torch.zeros_like(part) for part in intra or ()]
            for t in tiles:
                by_row, by_col = t.by_row * grad[t.x][rows, None], t.by_col * grad[t.y][cols]
                if intra is not None:
                    within[t.x].addcmul_(by_row, intra[t.x])
                    within[t.y].addcmul_(by_col, intra[t.y])
                between = by_row.add_(by_col).mul_(t.exponential)
                grads[t.x][rows].addmm_(between, sides[t.y][cols])
                grads[t.y][cols].addmm_(between.t(), sides[t.x][rows])
            for side, total, part in zip(sides, grads, within, strict=False):
                total[rows].addmm_(part, side[cols])
                total[cols].addmm_(part.t(), side[rows])
        return *grads, None

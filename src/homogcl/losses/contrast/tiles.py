"""Exact row sums of exponentiated similarities between all pairs, one tile at a time.

A tile is a square of pairs. Its exponentials serve the sums of its rows and, transposed, those of
its columns: A Bᵀ is computed once for both directions, and A Aᵀ and B Bᵀ, which are symmetric,
only on and above the diagonal. Forward keeps as many tiles as a budget allows, and backward
computes the others again: memory is O(budget + tile + N d), never N x N. Several processes can
divide the tiles among them and add up their sums and gradients.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from homogcl.core.distributed import ALONE, Ranks
from homogcl.nn.sparse import Pattern

Sides = tuple[tuple[int, int], ...]
ACROSS: Sides = ((0, 1),)  # pairs between the views
BOTH: Sides = ((0, 1), (0, 0), (1, 1))  # pairs between the views and inside each
INSIDE: Sides = ((0, 0),)  # pairs inside the first view


class Workspace:
    """Memory for tiles, reused between steps: new pages would cost as much time as the products.

    A forward pass borrows a buffer and its backward pass returns it, so that several losses can
    be computed at the same time.
    """

    def __init__(self, budget: int | None = None) -> None:
        """Allow `budget` bytes of tiles for backward.

        The default is `$HOMOGCL_TILE_MIB` MiB, else 512, enough for all tiles up to N = 8,000.
        It changes the speed but not the results.
        """
        mebibytes = int(os.environ.get("HOMOGCL_TILE_MIB", "512"))
        self.budget = mebibytes * 2**20 if budget is None else budget
        self._free: list[Tensor] = []

    @property
    def is_used(self) -> bool:
        """Whether a loss has used it and returned its buffer."""
        return bool(self._free)

    def borrow(self, numel: int, like: Tensor) -> Tensor:
        """Return a flat buffer of at least `numel` numbers of the kind of `like`."""
        while self._free:
            buffer = self._free.pop()
            if buffer.numel() >= numel and (buffer.dtype, buffer.device) == (
                like.dtype,
                like.device,
            ):
                return buffer
        return like.new_empty(numel)

    def give_back(self, buffer: Tensor) -> None:
        """Return a buffer that is no longer in use."""
        self._free.append(buffer)


@dataclass(frozen=True)
class Tiling:
    """How pairs are divided into tiles, and which pairs of each tile are left out."""

    size: int  # rows and columns of a full tile
    workspace: Workspace
    left_out: dict[tuple[int, int], Tensor]  # tile -> positions inside it, flat
    sides: Sides = BOTH  # the views of the rows and of the columns

    @classmethod
    def of(
        cls, nodes: int, size: int, workspace: Workspace, pattern: Pattern, sides: Sides = BOTH
    ) -> Tiling:
        """Return the tiling of `nodes` x `nodes` pairs that leaves out those of `pattern`."""
        if pattern.row.numel() == 0:
            return cls(size, workspace, {}, sides)
        across = -(-nodes // size)
        tile = (pattern.row // size) * across + pattern.col // size
        order = torch.argsort(tile, stable=True)
        width = (nodes - (pattern.col // size) * size).clamp(max=size)
        position = (pattern.row % size * width + pattern.col % size)[order]
        numbers, counts = torch.unique_consecutive(tile[order], return_counts=True)
        parts = torch.split(position, counts.tolist())
        places = [divmod(int(number), across) for number in numbers]
        return cls(size, workspace, dict(zip(places, parts, strict=True)), sides)

    def fill(self, tile: Tensor, place: tuple[int, int], value: float) -> Tensor:
        """Write `value` to the pairs of a tile that are left out, own pairs included."""
        if place[0] == place[1]:
            tile.fill_diagonal_(value)
        if place in self.left_out:
            tile.view(-1).index_fill_(0, self.left_out[place], value)
        return tile


def log_sums(a: Tensor, b: Tensor, tiling: Tiling, ranks: Ranks = ALONE) -> tuple[Tensor, Tensor]:
    """Return, for each row of `a` and `b` [N, d], the logarithm of its sum over the other nodes.

    For row i of `a` it is log Σ_j (e^{a_i·b_j} + e^{a_i·a_j}) over all j but i and the pairs that
    `tiling` leaves out; for row i of `b`, exchange `a` and `b`. A tiling with the side `ACROSS`
    has no second summand. The pairs left out must come in both directions. An empty sum gives minus
    infinity. `ranks` are processes that have the same vectors and divide the tiles among them.
    """
    result: tuple[Tensor, Tensor] = _LogSums.apply(a, b, tiling, ranks)  # type: ignore[no-untyped-call]
    return result


@dataclass(frozen=True)
class _Tile:
    """One tile: products of rows of one side (0: a, 1: b) with rows of another."""

    sides: tuple[int, int]
    place: tuple[int, int]
    rows: slice
    cols: slice

    @property
    def mirrored(self) -> bool:
        """Whether it also counts for its columns: its transpose is not a tile of its own."""
        return self.sides[0] != self.sides[1] or self.place[0] != self.place[1]


def _tiles(nodes: int, tiling: Tiling, ranks: Ranks) -> Iterator[_Tile]:
    """Return the tiles of this process, every `ranks.size`-th of all."""
    return islice(_all_tiles(nodes, tiling), ranks.rank, None, ranks.size)


def _all_tiles(nodes: int, tiling: Tiling) -> Iterator[_Tile]:
    size = tiling.size
    starts = range(0, nodes, size)
    for sides in tiling.sides:
        for i, row in enumerate(starts):
            for j, col in enumerate(starts):
                if sides[0] != sides[1] or j >= i:
                    rows, cols = slice(row, row + size), slice(col, col + size)
                    yield _Tile(sides, (i, j), rows, cols)


class _LogSums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, a: Tensor, b: Tensor, tiling: Tiling, ranks: Ranks
    ) -> tuple[Tensor, Tensor]:
        sides = (a.detach(), b.detach())
        # Rows and columns share one exponential if that is safe; otherwise each row is shifted by
        # its own maximum.
        safe = max(largest_square(x) for x in sides) <= safe_square(a.dtype)
        shifts = None if safe else _maxima(sides, tiling, ranks)
        store = _Store(a, tiling, ranks, keeps=shifts is None and any(ctx.needs_input_grad))
        sums = (a.new_zeros(a.size(0)), a.new_zeros(a.size(0)))
        for number, tile in enumerate(_tiles(a.size(0), tiling, ranks)):
            x, y = tile.sides
            logits = _logits(sides, tile, store.slot(number, tile, a.size(0)))
            if shifts is None:
                by_row = by_col = tiling.fill(logits.exp_(), tile.place, 0.0)
            else:
                tiling.fill(logits, tile.place, -torch.inf)
                by_row = (logits - shifts[x][tile.rows, None]).exp_()
                by_col = (logits - shifts[y][tile.cols]).exp_()
            sums[x][tile.rows] += by_row.sum(1)
            if tile.mirrored:
                sums[y][tile.cols] += by_col.sum(0)
        if not any(ctx.needs_input_grad):
            store.close()
        logs = [ranks.sum(total).log() for total in sums]
        if shifts is not None:
            logs = [log + shift for log, shift in zip(logs, shifts, strict=True)]
        ctx.save_for_backward(a, b, *logs)
        ctx.tiling, ctx.store, ctx.shared = tiling, store, shifts is None
        ctx.ranks = ranks
        return logs[0], logs[1]

    @staticmethod
    def backward(ctx: Any, grad_a: Tensor, grad_b: Tensor) -> tuple[Tensor, Tensor, None, None]:
        if torch.is_grad_enabled():
            raise RuntimeError("the sums over all pairs cannot be differentiated twice")
        a, b, *logs = ctx.saved_tensors
        sides, grads = (a, b), (torch.zeros_like(a), torch.zeros_like(b))
        tiling: Tiling = ctx.tiling
        # A second backward pass has no tiles left and computes them again.
        ranks: Ranks = ctx.ranks
        store: _Store = ctx.store
        if store.closed:
            store = _Store(a, tiling, ranks, keeps=False)
        # d log Σ e^l / d l = e^l / Σ, and 0 for an empty sum.
        per_sum = [
            torch.where(log.isinf(), 0.0, g * (-log).exp()) if ctx.shared else g
            for g, log in zip((grad_a, grad_b), logs, strict=True)
        ]
        buffer = a.new_empty(tiling.size**2)
        for number, tile in enumerate(_tiles(a.size(0), tiling, ranks)):
            x, y = tile.sides
            row, col = per_sum[x][tile.rows, None], per_sum[y][tile.cols]
            slot = store.slot(number, tile, a.size(0))
            weights = buffer[: slot.numel()].view_as(slot)
            if ctx.shared:
                if not store.holds(number):
                    tiling.fill(_logits(sides, tile, slot).exp_(), tile.place, 0.0)
                torch.add(row, col, out=weights).mul_(slot)
            else:
                logits = tiling.fill(_logits(sides, tile, slot), tile.place, -torch.inf)
                torch.mul(row, (logits - finite(logs[x][tile.rows, None])).exp_(), out=weights)
                weights += col * (logits - finite(logs[y][tile.cols])).exp_()
            grads[x][tile.rows].addmm_(weights, sides[y][tile.cols])
            if tile.mirrored:
                grads[y][tile.cols].addmm_(weights.t(), sides[x][tile.rows])
        store.close()
        return ranks.sum(grads[0]), ranks.sum(grads[1]), None, None


class _Store:
    """The memory of one forward pass: a slot for each of the first tiles, one for all others."""

    def __init__(self, like: Tensor, tiling: Tiling, ranks: Ranks, *, keeps: bool) -> None:
        self._area = tiling.size**2
        total = sum(1 for _ in _tiles(like.size(0), tiling, ranks))
        capacity = tiling.workspace.budget // (self._area * like.element_size())
        self._count = min(total, capacity) if keeps else 0
        self._workspace = tiling.workspace
        self.closed = False
        self._buffer = tiling.workspace.borrow((self._count + 1) * self._area, like)

    def holds(self, number: int) -> bool:
        """Return whether tile `number` is still in memory for backward."""
        return number < self._count

    def slot(self, number: int, tile: _Tile, nodes: int) -> Tensor:
        """Return the memory of tile `number`, [rows, cols]."""
        rows = min(tile.rows.stop, nodes) - tile.rows.start
        cols = min(tile.cols.stop, nodes) - tile.cols.start
        start = min(number, self._count) * self._area
        return self._buffer[start : start + rows * cols].view(rows, cols)

    def close(self) -> None:
        """Give the memory back."""
        self.closed = True
        self._workspace.give_back(self._buffer)


def _logits(sides: tuple[Tensor, Tensor], tile: _Tile, out: Tensor) -> Tensor:
    x, y = tile.sides
    return torch.mm(sides[x][tile.rows], sides[y][tile.cols].t(), out=out)


def _maxima(sides: tuple[Tensor, Tensor], tiling: Tiling, ranks: Ranks) -> tuple[Tensor, Tensor]:
    """Return the largest product of each row with the nodes of its sum, [N] for each side."""
    nodes = sides[0].size(0)
    best = tuple(x.new_full((nodes,), -torch.inf) for x in sides)
    for tile in _tiles(nodes, tiling, ranks):
        x, y = tile.sides
        logits = sides[x][tile.rows] @ sides[y][tile.cols].t()
        tiling.fill(logits, tile.place, -torch.inf)
        best[x][tile.rows] = torch.maximum(best[x][tile.rows], logits.amax(1))
        if tile.mirrored:
            best[y][tile.cols] = torch.maximum(best[y][tile.cols], logits.amax(0))
    return finite(ranks.maximum(best[0])), finite(ranks.maximum(best[1]))


def finite(x: Tensor) -> Tensor:
    """Replace minus infinity, the maximum of an empty set, by 0: differences stay defined."""
    return torch.where(x.isinf(), 0.0, x)


def largest_square(x: Tensor) -> float:
    """Return the largest squared length of a row, a bound on all products of rows."""
    return float(x.square().sum(1).amax()) if x.numel() else 0.0


def safe_square(dtype: torch.dtype) -> float:
    """Return the largest logit for which exponentials and their sums stay in the normal range."""
    return 300.0 if dtype == torch.float64 else 40.0

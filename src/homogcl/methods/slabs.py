"""Large matrices a few rows or columns at a time, in memory or in files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.scratch import let_go, scratch
from homogcl.data.mapped import is_on_disk, release
from homogcl.nn.sparse import take_rows
from homogcl.nn.unit_rows import of_length

SLAB = 2**23  # numbers of a slab
_NARROWEST = 16  # columns of a slab: each slab costs one look at all edges


def column_slabs(rows: int, columns: int) -> Iterator[slice]:
    """Return all columns, so many at a time that they are a slab."""
    return _spans(columns, max(_NARROWEST, SLAB // max(1, rows)))


def row_slabs(x: Tensor) -> Iterator[slice]:
    """Return all rows, a few at a time: together an eighth of a slab."""
    return _spans(x.size(0), max(1, SLAB // (8 * max(1, math.prod(x.shape[1:])))))


def dense_rows(graph: Data) -> Iterator[tuple[slice, Tensor]]:
    """Yield all rows of the features, a few at a time, dense; few pages of a file are in memory."""
    x: Tensor = graph.x
    for rows in row_slabs(x):
        yield rows, take_rows(x, torch.arange(rows.start, rows.stop, device=x.device)).to_dense()
        release(graph)


@dataclass(frozen=True)
class Workspace:
    """Where the matrices of a graph lie: in memory and in one piece, or in files, cut to slabs."""

    on_disk: bool

    @classmethod
    def of(cls, graph: Data) -> Workspace:
        """Return files for a graph that lies on disk itself."""
        return cls(is_on_disk(graph))

    def empty(self, shape: tuple[int, int], like: Tensor) -> Tensor:
        """Return a matrix to be filled, of the kind of `like`."""
        return scratch(shape, like.dtype) if self.on_disk else like.new_empty(shape)

    def rows(self, matrix: Tensor) -> Iterator[slice]:
        """Yield all rows of a matrix, so many at a time as are used together."""
        spans = row_slabs(matrix) if self.on_disk else [slice(0, len(matrix))]
        for rows in spans:
            yield rows
            let_go(matrix)

    def columns(self, rows: int, columns: int) -> Iterator[slice]:
        """Return all columns of a matrix, so many at a time as are in memory together."""
        return column_slabs(rows, columns) if self.on_disk else iter([slice(0, columns)])

    def columns_of(self, matrix: Tensor, some: slice) -> Tensor:
        """Return some columns of a matrix in memory, [N, c]."""
        if not self.on_disk:
            return matrix[:, some]
        h = matrix.new_empty(len(matrix), some.stop - some.start)
        for rows in self.rows(matrix):
            h[rows] = matrix[rows, some]
        return h

    def product(self, t: Tensor, weight: Tensor, some: slice) -> Tensor:
        """Return some columns of t [N, r] times `weight` [r, k] in memory, [N, c]."""
        if not self.on_disk:
            return (t @ weight)[:, some]
        h = t.new_empty(len(t), some.stop - some.start)
        for rows in self.rows(t):
            h[rows] = t[rows] @ weight[:, some]
        return h

    def stored(self, h: Tensor) -> Tensor:
        """Return a slab [N, c] where it may lie for long."""
        if not self.on_disk:
            return h
        slab = self.empty((len(h), h.size(1)), h)
        for rows in self.rows(slab):
            slab[rows] = h[rows]
        return slab


def beside(space: Workspace, blocks: Sequence[tuple[float, Sequence[Tensor]]]) -> Tensor:
    """Return blocks side by side, their rows scaled to a length each.

    Args:
        space: Where the result lies.
        blocks: The length of its rows and its slabs of columns, [N, c] each.
    """
    slabs = [slab for _, each in blocks for slab in each]
    z = space.empty((len(slabs[0]), sum(slab.size(1) for slab in slabs)), slabs[0])
    for rows in space.rows(z):
        start = 0
        for length, each in blocks:
            block = torch.cat([slab[rows] for slab in each], dim=1)
            z[rows, start : start + block.size(1)] = length * of_length(block, 1.0)
            start += block.size(1)
        for slab in slabs:
            let_go(slab)
    return z


def _spans(size: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, size)) for start in range(0, size, step))

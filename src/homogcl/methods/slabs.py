"""Large matrices a few rows or columns at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.mapped import release
from homogcl.nn.sparse import take_rows

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


def _spans(size: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, size)) for start in range(0, size, step))

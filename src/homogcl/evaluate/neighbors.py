"""The nodes whose embeddings are nearest by cosine: exact, and never all pairs at once."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from homogcl.core.errors import UserError
from homogcl.evaluate.arrays import Array, as_tensor, dense_embedding


def nearest_neighbors(
    z: Array, k: int = 10, nodes: Array | None = None, block: int = 1024
) -> tuple[Tensor, Tensor]:
    """Return for each of `nodes` the k other nodes with the largest cosine, nearest first.

    Args:
        z: Embedding [N, d].
        k: How many; where there are fewer other nodes, all of them.
        nodes: Numbers of the nodes that ask, [n]; by default all.
        block: Rows of cosines held at a time, so that memory grows with N and not with N².

    Returns:
        Their numbers, int64 [n, k], and their cosines, [n, k].
    """
    unit = normalize(dense_embedding(z))
    asking = torch.arange(len(unit)) if nodes is None else as_tensor(nodes).long()
    if k < 1:
        raise UserError(f"k = {k}: at least one neighbor is needed")
    if len(asking) and not 0 <= int(asking.min()) <= int(asking.max()) < len(unit):
        raise UserError(f"nodes are numbered from 0 to {len(unit) - 1}")
    return nearest_rows(unit[asking], unit, k, itself=asking, block=block)


def nearest_rows(
    a: Tensor, b: Tensor, k: int, *, itself: Tensor | None = None, block: int = 1024
) -> tuple[Tensor, Tensor]:
    """Return for each row of `a` the k rows of `b` with the largest product, largest first.

    Args:
        a: Unit rows that search, [n, d].
        b: Unit rows that are searched, [m, d].
        k: How many; all where there are fewer.
        itself: Numbers of rows of `b` that are not found, one for each row of `a`, [n].
        block: Rows of products held at a time.
    """
    kept = min(k, len(b) - (itself is not None))
    indices = torch.empty(len(a), kept, dtype=torch.int64)
    products = torch.empty(len(a), kept, dtype=a.dtype)
    for start in range(0, len(a), block):
        rows = slice(start, start + block)
        cosines = a[rows] @ b.t()
        if itself is not None:
            cosines[torch.arange(len(cosines)), itself[rows]] = -torch.inf
        found = cosines.topk(kept, dim=1)
        indices[rows], products[rows] = found.indices, found.values
    return indices, products

"""The nodes whose embeddings are nearest by cosine, and never all pairs at once."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from homogcl.core.errors import UserError
from homogcl.core.nearest import nearest_rows
from homogcl.evaluate.arrays import Array, as_tensor, dense_embedding
from homogcl.evaluate.neighbor_index import NeighborIndex


def nearest_neighbors(
    z: Array,
    k: int = 10,
    nodes: Array | None = None,
    block: int = 1024,
    index: NeighborIndex | None = None,
) -> tuple[Tensor, Tensor]:
    """Return for each of `nodes` the k other nodes with the largest cosine, nearest first.

    Args:
        z: Embedding [N, d].
        k: How many; where there are fewer other nodes, all of them.
        nodes: Numbers of the nodes that ask, [n]; by default all.
        block: Nodes that are answered at a time, so that memory does not grow with N².
        index: Of the same embedding: compares with few nodes instead of all, and may miss some.

    Returns:
        Their numbers, int64 [n, k], and their cosines, [n, k].
    """
    rows = dense_embedding(z)
    asking = torch.arange(len(rows)) if nodes is None else as_tensor(nodes).long()
    if k < 1:
        raise UserError(f"k = {k}: at least one neighbor is needed")
    if len(asking) and not 0 <= int(asking.min()) <= int(asking.max()) < len(rows):
        raise UserError(f"nodes are numbered from 0 to {len(rows) - 1}")
    search = exact_neighbors if index is None else index.neighbors
    parts = [
        search(rows, asking[start : start + block], k) for start in range(0, len(asking), block)
    ]
    if not parts:
        return torch.empty(0, 0, dtype=torch.int64), torch.empty(0, 0)
    numbers, cosines = (torch.cat(part) for part in zip(*parts, strict=True))
    return numbers.cpu(), cosines.cpu()


def exact_neighbors(z: Tensor, nodes: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return numbers and cosines, [n, k], of the nodes nearest to some, compared with all."""
    queries = normalize(z[nodes])
    return nearest_rows(queries, z, k, own=nodes, block=len(nodes) or 1, scaled=True)

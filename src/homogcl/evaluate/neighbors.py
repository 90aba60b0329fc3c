"""The nodes whose embeddings are nearest by cosine: exact, and never all pairs at once."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from homogcl.core.errors import UserError
from homogcl.core.nearest import nearest_rows
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
    numbers, cosines = nearest_rows(unit[asking], unit, k, own=asking, block=block)
    return numbers.cpu(), cosines.cpu()

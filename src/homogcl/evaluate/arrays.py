"""Embeddings, labels and masks as they arrive: torch tensors, dense or sparse, or numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from homogcl.core.errors import UserError

Array = Tensor | npt.NDArray[Any]


def as_tensor(array: Array) -> Tensor:
    """Return `array` as a tensor that shares no gradient with its source, in the same shape."""
    if isinstance(array, Tensor):
        return array.detach()
    return torch.from_numpy(np.array(array))


def dense_embedding(z: Array) -> Tensor:
    """Return `z` as a dense floating-point tensor [N, d], or refuse a value that is not finite."""
    dense = as_tensor(z)
    dense = dense if dense.layout == torch.strided else dense.to_dense()
    dense = dense if dense.is_floating_point() else dense.float()
    finite = dense.isfinite().all(dim=1)
    if not finite.all():
        node = int((~finite).nonzero()[0])
        raise UserError(f"the embedding of node {node} holds NaN or infinity; nothing to evaluate")
    return dense


def rows_in(mask: Array, name: str) -> Tensor:
    """Return the numbers of the nodes in `mask`, or refuse a mask that holds none."""
    rows = as_tensor(mask).nonzero().squeeze(1)
    if len(rows) == 0:
        raise UserError(f"no labeled node in the {name} part of the split; give it at least one")
    return rows

"""Embeddings, labels and masks as they arrive: torch tensors, dense or sparse, or numpy arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from homogcl.core.errors import UserError

Array = Tensor | npt.NDArray[Any]
Split = tuple[Array, Array, Array]  # masks [N] of training, validation and test nodes
_NUMBERS: Final = 2**22  # that are looked at together


def as_tensor(array: Array) -> Tensor:
    """Return `array` as a tensor that shares no gradient with its source, in the same shape."""
    if isinstance(array, Tensor):
        return array.detach()
    return torch.from_numpy(np.array(array))


def finite_embedding(z: Array) -> Tensor:
    """Return `z` as a floating-point tensor [N, d] on the CPU, dense or sparse by coordinates.

    A value that is not finite is refused by its node.
    """
    embedding = as_tensor(z).cpu()
    if embedding.layout != torch.strided:
        embedding = embedding.to_sparse(layout=torch.sparse_coo).coalesce()
    embedding = embedding if embedding.is_floating_point() else embedding.float()
    dense = embedding.layout == torch.strided
    values = embedding if dense else embedding.values()[:, None]
    bad = first_not_finite(values)
    if bad is not None:
        node = bad if dense else int(embedding.indices()[0, bad])
        raise UserError(f"the embedding of node {node} holds NaN or infinity; nothing to evaluate")
    return embedding


def first_not_finite(values: Tensor) -> int | None:
    """Return the number of the first row that is not finite, None if all rows are.

    A block is looked at a time: embeddings may lie on disk, and what all rows together would take
    beside them does not fit.
    """
    step = max(1, _NUMBERS // max(1, values.size(1)))
    for start in range(0, len(values), step):
        bad = (~values[start : start + step].isfinite().all(dim=1)).nonzero()
        if len(bad):
            return start + int(bad[0])
    return None


def dense_embedding(z: Array) -> Tensor:
    """Return `z` as a dense floating-point tensor [N, d], or refuse a value that is not finite."""
    return finite_embedding(z).to_dense()


def split_rows(split: Split) -> tuple[Tensor, Tensor, Tensor]:
    """Return the numbers of the nodes in each part, on the CPU, or refuse a part that has none."""
    learn, select, score = (as_tensor(mask).cpu().nonzero().squeeze(1) for mask in split)
    for rows, name in ((learn, "training"), (select, "validation"), (score, "test")):
        if len(rows) == 0:
            raise UserError(
                f"no labeled node in the {name} part of the split; give it at least one"
            )
    return learn, select, score

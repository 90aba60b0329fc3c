"""Sparse matrices by rows: the one place that makes `torch.sparse_csr` tensors."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor


def csr_tensor(
    pointers: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int], *, check: bool = False
) -> Tensor:
    """Return a CSR tensor without torch's announcement that this layout is in beta.

    `pointers` [n + 1] say where each row begins among the `values` [P], whose `columns` are [P].
    With `check`, torch looks through them for numbers that lead outside the size (n, m).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(pointers, columns, values, size=size, check_invariants=check)

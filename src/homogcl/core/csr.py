"""Sparse matrices by rows: the one place that makes `torch.sparse_csr` tensors."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor


def csr_tensor(
    pointers: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int], *, check: bool = False
) -> Tensor:
    """Return a CSR tensor without torch's announcement that this layout is in beta.

    Args:
        pointers: Where each row begins among the values, and where the last one ends, [n + 1].
        columns: The column of each value, [P].
        values: The numbers, row after row, [P].
        size: Rows and columns, (n, m).
        check: Whether torch looks through the parts for numbers that lead outside.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(pointers, columns, values, size=size, check_invariants=check)

"""Sparse matrices by rows, made here alone, and where masks of their entries are true."""

from __future__ import annotations

import warnings

import numpy as np
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


def places(mask: Tensor) -> Tensor:
    """Return where `mask` [P] is true, int64; numpy looks several times faster than torch."""
    if mask.device.type != "cpu":
        return mask.nonzero().squeeze(1)
    return torch.from_numpy(np.flatnonzero(mask.numpy()))


def counts_before(mask: Tensor) -> Tensor:
    """Return in how many places before each `mask` [P] is true, and in all, int64 [P + 1]."""
    before = torch.zeros(mask.numel() + 1, dtype=torch.int64, device=mask.device)
    torch.cumsum(mask, 0, out=before[1:])
    return before

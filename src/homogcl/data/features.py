"""Node features: sparse where that pays, and their normalization."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

from homogcl.core.csr import csr_tensor

# The features that came with the graph: as they are, scaled by row or by column, or as a look at
# them decides; or some made of the edges.
FeatureKind = Literal["auto", "raw", "row", "standard", "robust", "structural"]

# Below this share of nonzero entries, products with CSR features beat dense ones.
SPARSE_BELOW = 0.05


def sparse_features(matrix: scipy.sparse.csr_matrix) -> Tensor:
    """Return a scipy CSR matrix as `torch.sparse_csr` float32 [N, d], without stored zeros."""
    csr = matrix.copy()
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr_tensor(
        torch.from_numpy(csr.indptr.astype(np.int64)),
        torch.from_numpy(csr.indices.astype(np.int64)),
        torch.from_numpy(csr.data.astype(np.float32)),
        csr.shape,
        check=True,
    )


def compact(x: Tensor) -> Tensor:
    """Return `x` [N, d] as float32: CSR if less than 5 % of it is nonzero, dense otherwise."""
    x = x.to(torch.float32)
    sparse = x.layout == torch.sparse_csr
    nonzero = x.values().numel() if sparse else int(torch.count_nonzero(x))
    if nonzero >= SPARSE_BELOW * x.size(0) * x.size(1):
        return x.to_dense() if sparse else x
    return x if sparse else _from_dense(x)


def normalize(x: Tensor) -> Tensor:
    """Return features [N, d] in the same layout, rows divided by the sum of their absolute values.

    Rows of counts then sum to 1; rows of zeros stay zero.
    """
    if x.layout != torch.sparse_csr:
        total = x.abs().sum(dim=1, keepdim=True)
        return x / torch.where(total > 0, total, torch.ones_like(total))
    row = torch.repeat_interleave(torch.arange(x.size(0)), x.crow_indices().diff())
    total = x.values().new_zeros(x.size(0)).index_add(0, row, x.values().abs())
    values = x.values() / total[row]
    return csr_tensor(x.crow_indices(), x.col_indices(), values, (x.size(0), x.size(1)), check=True)


def _from_dense(x: Tensor) -> Tensor:
    row, column = x.nonzero(as_tuple=True)
    starts = torch.zeros(x.size(0) + 1, dtype=torch.int64)
    starts[1:] = torch.bincount(row, minlength=x.size(0)).cumsum(0)
    return csr_tensor(starts, column, x[row, column], (x.size(0), x.size(1)), check=True)

"""Features for graphs that come without any: where a node stands among the others."""

from __future__ import annotations

import numpy as np
import scipy.sparse
import torch
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from homogcl.streams import integer


def structural_features(
    edge_index: Tensor,
    nodes: int,
    dim: int = 128,
    *,
    seed: int = 0,
    edge_weight: Tensor | None = None,
) -> Tensor:
    """Return features float32 [N, min(dim, N)] made of the edges alone.

    They are √N·U·√Σ of the largest singular values Σ of D^-1/2 A D^-1/2: nodes with similar
    neighborhoods get similar features, and nodes without edges get zeros. The same seed gives
    the same features; those of two graphs cannot be compared.

    Args:
        edge_index: Edges in both directions, [2, E].
        nodes: The number of nodes N.
        dim: How many features there are at most.
        seed: Root seed, from whose stream "structural" the randomized decomposition draws.
        edge_weight: Weights [E]; by default all 1.
    """
    row, col = edge_index.cpu().numpy()
    weight = (
        np.ones(len(row)) if edge_weight is None else edge_weight.cpu().numpy().astype(np.float64)
    )
    degree = np.bincount(row, weight, minlength=nodes)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros(nodes), where=degree > 0)
    adjacency = scipy.sparse.csr_matrix(
        (scale[row] * weight * scale[col], (row, col)), shape=(nodes, nodes)
    )
    kept = min(dim, nodes)
    if adjacency.nnz == 0:
        return torch.zeros(nodes, kept)
    u, singular, _ = randomized_svd(adjacency, kept, random_state=integer(seed, "structural"))
    features = np.sqrt(nodes) * u * np.sqrt(singular)
    # Vectors of singular value 0 are arbitrary outside the graph's edges.
    features[degree == 0] = 0.0
    return torch.from_numpy(features.astype(np.float32))

"""Importance of nodes, edges and feature columns, and how readily each is dropped.

The three centralities of GCA (Zhu et al., WWW 2021) and its drop factors. All sums run in
float64: the logarithms of small centralities decide.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh
from torch import Tensor

Centrality = Literal["degree", "eigenvector", "pagerank"]

# Far below any centrality that matters, far above the noise of an eigenvector's zeros.
_FLOOR = 1e-8


def node_centrality(kind: Centrality, edge_index: Tensor, weight: Tensor, nodes: int) -> Tensor:
    """Return φ ≥ 0 of each node, float64 [N], by weighted edges in both directions."""
    source, target = edge_index.cpu().numpy()
    values = weight.detach().cpu().double().numpy()
    adjacency = csr_array((values, (target, source)), shape=(nodes, nodes))
    compute = {"degree": _degree, "eigenvector": _eigenvector, "pagerank": _pagerank}[kind]
    return torch.from_numpy(compute(adjacency)).to(edge_index.device)


def edge_centrality(phi: Tensor, edge_index: Tensor) -> Tensor:
    """Return the mean centrality of each edge's two nodes, [E]."""
    source, target = edge_index
    return (phi[source] + phi[target]) / 2


def column_centrality(x: Tensor, phi: Tensor, *, by_amount: bool) -> Tensor:
    """Return the centrality of each feature column, [d]: the sum of φ [N] over who has it.

    With `by_amount`, a node counts by |x| rather than once where x [N, d] is not zero.
    """
    if x.layout != torch.sparse_csr:
        return phi @ (x.abs() if by_amount else x != 0).to(phi.dtype)
    amount = (x.values().abs() if by_amount else x.values() != 0).to(phi.dtype)
    row = torch.repeat_interleave(torch.arange(x.size(0), device=x.device), x.crow_indices().diff())
    return phi.new_zeros(x.size(1)).index_add_(0, x.col_indices().long(), amount * phi[row])


def drop_factor(centrality: Tensor) -> Tensor:
    """Return (s_max - s) / (s_max - mean s) with s = log centrality: mean 1, the greatest has 0.

    What nobody uses (centrality 0) is dropped as readily as the least important of the others
    and does not count in the mean. Where all are equally important every factor is 1.
    """
    used = centrality > 0
    s = centrality[used].log()
    spread = float(s.max() - s.mean()) if s.numel() else 0.0
    if spread < _FLOOR:
        return torch.ones_like(centrality)
    factor = (s.max() - s) / spread
    return torch.full_like(centrality, float(factor.max())).masked_scatter(used, factor)


def _degree(adjacency: csr_array) -> np.ndarray:
    return np.asarray(adjacency.sum(1), dtype=np.float64).reshape(-1)


def _eigenvector(adjacency: csr_array) -> np.ndarray:
    """Return the leading eigenvector with norm 1, raised by a floor: whole components may be 0."""
    nodes = adjacency.shape[0]
    if adjacency.nnz == 0 or nodes < 3:
        return np.ones(nodes)
    # A fixed start makes the result the same each time, and equal on equal components.
    _, vectors = eigsh(adjacency, k=1, which="LA", v0=np.ones(nodes))
    leading = vectors[:, 0] * np.sign(vectors[:, 0].sum())
    return np.asarray(np.maximum(leading, 0.0) + _FLOOR, dtype=np.float64)


def _pagerank(adjacency: csr_array, damping: float = 0.85) -> np.ndarray:
    """Return σ = damping · A D⁻¹ σ + 1, to 12 digits."""
    degree = _degree(adjacency)
    share = np.divide(1.0, degree, out=np.zeros_like(degree), where=degree > 0)
    sigma = np.ones_like(degree)
    for _ in range(200):
        before = sigma
        sigma = damping * (adjacency @ (share * sigma)) + 1.0
        if np.abs(sigma - before).max(initial=0.0) < 1e-12 * sigma.max(initial=1.0):
            break
    return sigma

"""Section 3.3 of the paper: R, S and the homophily loss."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.homophily.clusters import closeness
from homogcl.nn.sparse import Pattern, pair_products, product


def soft_assignment(h: Tensor, c: Tensor, two_sigma_sq: float | Tensor) -> Tensor:
    """Return R of Eq. (6): the posterior of each cluster under equal priors, [N, k].

    R_ij = softmax_j(-‖h_i - c_j‖² / 2σ²)

    Args:
        h: Embeddings, [N, d].
        c: Centroids, [k, d].
        two_sigma_sq: 2σ², the width of the clusters in squared distance.
    """
    return torch.softmax(closeness(h, c) / two_sigma_sq, dim=1)


def saliency(r: Tensor, edge_index: Tensor) -> Tensor:
    """Return S of each edge: the cosine of its two nodes' cluster assignments, [E], in [0, 1].

    Args:
        r: Soft assignments, [N, k].
        edge_index: Edges, int64 [2, E], sorted by source.
    """
    unit = functional.normalize(r)
    return pair_products(unit, unit, Pattern.of(edge_index, r.size(0))).clamp(0.0, 1.0)


def homophily_loss(r: Tensor, edge_index: Tensor) -> Tensor:
    """Return L_homo of Eq. (11): the mean squared difference of R over edges and clusters.

    Args:
        r: Soft assignments, [N, k].
        edge_index: Edges, int64 [2, E], sorted by source.
    """
    if edge_index.size(1) == 0:
        return r.sum() * 0.0
    edges = Pattern.of(edge_index, r.size(0))
    # Σ ‖r_i - r_j‖² = Σ_i d_i ‖r_i‖² - 2 Σ_i r_i · (A r)_i with d the degrees of both directions.
    # It is a small difference of large sums and needs double precision.
    r64 = r.double()
    near = product(edges.with_values(torch.ones_like(edges.row, dtype=r64.dtype)), r64)
    degree = edges.crow.diff() + edges.transposed_crow.diff()
    total = (degree[:, None] * r64.square() - 2 * r64 * near).sum()
    return (total / (edge_index.size(1) * r.size(1))).to(r.dtype)

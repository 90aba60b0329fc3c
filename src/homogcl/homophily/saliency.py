"""Section 3.3 of the paper: R, S and the homophily loss."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.homophily.clusters import closeness
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern, product


def soft_assignment(h: Tensor, c: Tensor, two_sigma_sq: float | Tensor) -> Tensor:
    """Return R of Eq. (6): the posterior of each cluster under equal priors, [N, k].

    R_ij = softmax_j(-‖h_i - c_j‖² / 2σ²)

    Probabilities below eps² count as 0: numbers next to the smallest would slow all products of the
    backward pass down, and nodes sure of their cluster have no gradient.

    Args:
        h: Embeddings, [N, d].
        c: Centroids, [k, d].
        two_sigma_sq: 2σ², the width of the clusters in squared distance.
    """
    logits = closeness(h, c) / two_sigma_sq
    behind = logits.detach() - logits.detach().amax(1, keepdim=True)
    negligible = behind < 2 * math.log(torch.finfo(h.dtype).eps)
    return torch.softmax(logits.masked_fill(negligible, -torch.inf), dim=1)


def saliency(r: Tensor, edge_index: Tensor | Pattern) -> Tensor:
    """Return S of each edge: the cosine of its two nodes' cluster assignments, [E], in [0, 1].

    Each edge has its own S, whatever other edges there are.

    Args:
        r: Soft assignments, [N, k].
        edge_index: Edges, int64 [2, E], sorted by source, or their pattern.
    """
    unit = functional.normalize(r)
    return pair_products(unit, unit, _pattern(edge_index, r.size(0))).clamp(0.0, 1.0)


def homophily_loss(r: Tensor, edge_index: Tensor | Pattern) -> Tensor:
    """Return L_homo of Eq. (11): the mean squared difference of R over edges and clusters.

    Args:
        r: Soft assignments, [N, k].
        edge_index: Edges, int64 [2, E], sorted, each once in both directions, or the pattern of
            such edges. Others are refused: the mean would be over other pairs.
    """
    if isinstance(edge_index, Pattern):
        edges = edge_index  # of a graph, which was checked when it was loaded
    else:
        edges = Pattern.both_ways(edge_index, r.size(0))
    if edges.row.numel() == 0:
        return r.sum() * 0.0
    # Σ ‖r_i - r_j‖² = Σ_i d_i ‖r_i‖² - 2 Σ_i r_i · (A r)_i with d the degrees of both directions.
    # It is a small difference of large sums and needs double precision.
    r64 = r.double()
    near = product(edges.with_values(torch.ones_like(edges.row, dtype=r64.dtype)), r64)
    degree = edges.crow.diff() + edges.transposed_crow.diff()
    total = (degree[:, None] * r64.square() - 2 * r64 * near).sum()
    return (total / (edges.row.numel() * r.size(1))).to(r.dtype)


def _pattern(edges: Tensor | Pattern, nodes: int) -> Pattern:
    return edges if isinstance(edges, Pattern) else Pattern.of(edges, nodes)

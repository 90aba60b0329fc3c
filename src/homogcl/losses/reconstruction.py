"""Reconstruction of the adjacency from inner products: the losses of GAE and VGAE."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern


def reconstruction(
    z: Tensor, edge_index: Tensor, negatives: Tensor | None = None, *, tile: int = 1024
) -> Tensor:
    """Return the loss to minimize of σ(z_i·z_j) as a classifier of edges, a scalar.

    It is the mean of -log σ(z_i·z_j) over the edges and each node with itself, plus the mean of
    -log(1 - σ(z_i·z_j)) over the negatives, by default all other pairs, in time O(N² d). Edges
    [2, E] come in both directions without loops; they and negatives [2, M] are sorted. Memory is
    O(N d + E + tile²).
    """
    n = z.size(0)
    edges = pair_products(z, z, Pattern.both_ways(edge_index, n))
    positive = torch.cat([edges, z.square().sum(1)])
    loss = functional.softplus(-positive).mean()
    if negatives is not None:
        # In a dense graph all drawn pairs may be edges.
        others = pair_products(z, z, Pattern.of(negatives, n))
        return loss + functional.softplus(others).sum() / max(negatives.size(1), 1)
    everything: Tensor = _AllPairs.apply(z, tile)  # type: ignore[no-untyped-call]
    rest = max(n * n - positive.numel(), 1)
    return loss + (everything - functional.softplus(positive).sum()) / rest


def negative_pairs(edge_index: Tensor, nodes: int, count: int, rng: torch.Generator) -> Tensor:
    """Return random pairs that are neither edges nor loops, at most `count`, [2, M], sorted.

    Pairs are drawn uniformly; edges [2, E], which are sorted, and loops among them are removed.
    """
    edges = edge_index[0] * nodes + edge_index[1]
    numbers = torch.randint(nodes * nodes, (count,), generator=rng, device=rng.device)
    numbers = numbers.to(edges.device).sort().values
    is_positive = torch.isin(numbers, edges) | (numbers // nodes == numbers % nodes)
    numbers = numbers[~is_positive]
    return torch.stack([numbers // nodes, numbers % nodes])


def gaussian_kl(mu: Tensor, log_std: Tensor) -> Tensor:
    """Return the mean of KL(N(μ_i, σ_i²) ‖ N(0, 1)) over the nodes, of μ and log σ [N, d]."""
    return -0.5 * (1 + 2 * log_std - mu.square() - (2 * log_std).exp()).sum(1).mean()


class _AllPairs(torch.autograd.Function):
    """Σ_ij softplus(z_i·z_j), whose gradient 2 σ(Z Zᵀ) Z comes from the same tiles."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, tile: int) -> Tensor:
        total = torch.zeros((), dtype=torch.float64, device=z.device)
        gradient = torch.zeros_like(z)
        for top in range(0, z.size(0), tile):
            # Z Zᵀ is symmetric: tiles below the diagonal are those above it, transposed.
            for left in range(top, z.size(0), tile):
                rows, cols = slice(top, top + tile), slice(left, left + tile)
                logits = z[rows] @ z[cols].t()
                total += functional.softplus(logits).sum() * (1 if top == left else 2)
                probabilities = logits.sigmoid_()
                gradient[rows] += 2 * probabilities @ z[cols]
                if top != left:
                    gradient[cols] += 2 * probabilities.t() @ z[rows]
        ctx.save_for_backward(gradient)
        return total.to(z.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors
        return grad * gradient, None

"""A worst-case change of a small graph, found by projected gradient ascent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Attack:
    """The strength of an attack."""

    steps: int = 5  # number of gradient steps
    edge_share: float = 0.2  # how many edges may flip, as a share of the edges of the graph
    edge_step: float = 200.0  # step size on the edges' flips; divided by √t at step t
    feature_step: float = 0.01  # step size on the features, along the gradient's sign
    feature_limit: float = 0.04  # the most that a feature may change

    def worst(
        self, loss: Callable[[Tensor, Tensor], Tensor], adjacency: Tensor, x: Tensor, draws: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return an adjacency and features that raise `loss`, [n, n] and [n, d].

        Each pair of nodes has a flip probability. These probabilities follow the gradient and are
        projected to the budget; at the end uniform `draws`, one for each pair i < j, decide which
        pairs flip. The adjacency is symmetric, without loops, and `loss` differentiable in both.
        """
        # A flip removes an edge with its weight, or adds one with weight 1.
        change = torch.where(adjacency > 0, -adjacency, torch.ones_like(adjacency))
        budget = self.edge_share * float((adjacency > 0).sum()) / 2
        flip, delta = torch.zeros_like(draws), torch.zeros_like(x)
        for t in range(self.steps):
            flip, delta = flip.requires_grad_(), delta.requires_grad_()
            value = loss(adjacency + change * symmetric(flip, x.size(0)), x + delta)
            of_flip, of_delta = torch.autograd.grad(value, (flip, delta))
            step = self.edge_step / (t + 1) ** 0.5
            flip = within_budget(flip.detach() + step * of_flip, budget)
            change_of_x = delta.detach() + self.feature_step * of_delta.sign()
            delta = change_of_x.clamp(-self.feature_limit, self.feature_limit)
        flipped = (draws < flip).to(adjacency.dtype)
        return adjacency + change * symmetric(flipped, x.size(0)), x + delta


def information_regularizer(u: Tensor, v: Tensor, z: Tensor, temperature: float) -> Tensor:
    """Return ARIEL's regularizer to minimize: two views agree no more than each with the graph.

    It is mean_i max(0, 2 s(u_i,v_i) - s(u_i,z_i) - s(v_i,z_i)) with s = e^{θ/τ}, for u and v of the
    views and z of the clean graph, [n, d] each; no gradient flows through the last two.
    """

    def agreement(a: Tensor, b: Tensor) -> Tensor:
        return (functional.cosine_similarity(a, b) / temperature).exp()

    with_graph = agreement(u, z) + agreement(v, z)
    return (2 * agreement(u, v) - with_graph.detach()).relu().mean()


def symmetric(upper: Tensor, n: int) -> Tensor:
    """Return the symmetric matrix with zero diagonal and `upper` [n(n-1)/2] above it, [n, n]."""
    rows, cols = torch.triu_indices(n, n, offset=1, device=upper.device)
    half = upper.new_zeros(n, n).index_put((rows, cols), upper)
    return half + half.t()


def within_budget(a: Tensor, budget: float) -> Tensor:
    """Return the nearest point to `a` in [0, 1]^M whose sum is at most `budget`, [M].

    It is clip(a - μ) for the smallest μ ≥ 0 that keeps the budget, found by bisection.
    """
    if float(a.clamp(0, 1).sum()) <= budget:
        return a.clamp(0, 1)
    low, high = 0.0, float(a.max())
    for _ in range(50):
        middle = (low + high) / 2
        if float((a - middle).clamp(0, 1).sum()) > budget:
            low = middle
        else:
            high = middle
    return (a - high).clamp(0, 1)


def dense_propagation(adjacency: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the map x, b -> D̃^-1/2 (A + I) D̃^-1/2 x + b of a dense, differentiable A [n, n]."""
    looped = adjacency + torch.eye(
        adjacency.size(0), dtype=adjacency.dtype, device=adjacency.device
    )
    scale = looped.sum(0).rsqrt()
    normalized = scale[:, None] * looped.t() * scale
    return lambda x, bias: torch.addmm(bias, normalized, x)

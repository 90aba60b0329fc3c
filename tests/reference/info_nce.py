"""Eq. (1)-(2) and (7)-(10) of the paper as plain loops over anchors and pairs, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

Edges = set[tuple[int, int]]


def slow_info_nce(
    u: Tensor,
    v: Tensor,
    temperature: float,
    saliency: Tensor | None = None,
    edges: tuple[Edges, Edges] = (set(), set()),
    *,
    averaged: bool = False,
    own_pair_twice: bool = False,
) -> Tensor:
    """The loss to minimize, one term at a time and summed in log space.

    Args:
        u: Vectors of the first view, [N, d].
        v: Vectors of the second view, [N, d].
        temperature: τ.
        saliency: S, [N, N]; needed where there are edges.
        edges: Pairs (i, j) such that j is a neighbor of i, in the first and the second view.
        averaged: Whether a node's neighbor sum is divided by its degree in the view plus 0.01.
        own_pair_twice: Whether (u_i, v_i) stands in the denominator a second time.
    """
    n = u.size(0)
    s = torch.zeros(n, n, dtype=torch.float64) if saliency is None else saliency
    ratios = []
    for here, there, (near, far) in ((u, v, edges), (v, u, edges[::-1])):
        for i in range(n):
            others = [j for j in range(n) if j != i]
            degree = sum((i, j) in near for j in others)
            share = 1 / (degree + 0.01) if averaged else 1.0
            own = cosine(here[i], there[i]) / temperature
            pos = [(torch.tensor(1.0, dtype=torch.float64), own)]
            neg = [pos[0]] if own_pair_twice else []
            for j in others:
                inside = cosine(here[i], here[j]) / temperature
                across = cosine(here[i], there[j]) / temperature
                if (i, j) in near:
                    pos.append((s[i, j] * share, inside))
                else:
                    neg.append((torch.tensor(1.0, dtype=torch.float64), inside))
                if (i, j) not in far:
                    neg.append((torch.tensor(1.0, dtype=torch.float64), across))
            ratios.append(log_sum(pos) - log_sum(pos + neg))
    return -torch.stack(ratios).mean()


def slow_averaged_nce(
    u: Tensor, v: Tensor, temperature: float, saliency: Tensor, edges: tuple[Edges, Edges]
) -> Tensor:
    """Eq. (1) averaged over a node's positives: itself, and neighbors by S, in the other view.

    `edges` are the neighbors of the first view's anchors, and of the second's.
    """
    n, one = u.size(0), torch.tensor(1.0, dtype=torch.float64)
    losses = []
    for here, there, near in ((u, v, edges[0]), (v, u, edges[1])):
        for i in range(n):
            across = [cosine(here[i], there[j]) / temperature for j in range(n)]
            inside = [cosine(here[i], here[j]) / temperature for j in range(n) if j != i]
            everything = log_sum([(one, logit) for logit in across + inside])
            weights = [one if j == i else saliency[i, j] * ((i, j) in near) for j in range(n)]
            total = torch.stack(
                [w * (everything - logit) for w, logit in zip(weights, across, strict=True)]
            )
            losses.append(total.sum() / torch.stack(weights).sum())
    return torch.stack(losses).mean()


def cosine(x: Tensor, y: Tensor) -> Tensor:
    """θ(x, y) in float64."""
    x, y = x.double(), y.double()
    result: Tensor = (x @ y) / (x.square().sum().sqrt() * y.square().sum().sqrt())
    return result


def log_sum(terms: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Logarithm of Σ w e^l; a weight of 0 that needs no gradient is no term at all."""
    counted = [(weight, logit) for weight, logit in terms if weight > 0 or weight.requires_grad]
    highest = max(logit.item() for weight, logit in counted if weight > 0)
    total = torch.stack([weight * (logit - highest).exp() for weight, logit in counted]).sum()
    return total.log() + highest

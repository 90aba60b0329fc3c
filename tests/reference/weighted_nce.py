"""InfoNCE with a weight for each negative, and with or without those of the anchor's own view."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.utils import coalesce

from homogcl.homophily.positives import Positives


def unit(x: Tensor) -> Tensor:
    """The rows scaled to length 1."""
    return torch.nn.functional.normalize(x)


def two_views(n: int, d: int = 5, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Vectors of two views that resemble each other, [n, d] each, in float64."""
    rng = torch.Generator().manual_seed(seed)
    u = torch.randn(n, d, generator=rng, dtype=torch.float64)
    return u, u + 0.7 * torch.randn(n, d, generator=rng, dtype=torch.float64)


def some_pairs(n: int, seed: int = 1) -> tuple[Positives, Positives]:
    """Neighbor pairs of which each view has lost some, one direction at a time."""
    rng = torch.Generator().manual_seed(seed)
    drawn = torch.randint(n, (2, 2 * n), generator=rng)
    drawn = drawn[:, drawn[0] != drawn[1]]
    edge_index = coalesce(torch.cat([drawn, drawn.flip(0)], 1), num_nodes=n)
    count = edge_index.size(1)
    weight = torch.rand(count, generator=rng, dtype=torch.float64)
    in_u, in_v = (torch.rand(count, generator=rng) < 0.6 for _ in range(2))
    return Positives(edge_index, weight, in_u), Positives(edge_index, weight, in_v)


def slow_weighted_nce(
    u: Tensor,
    v: Tensor,
    tau: float,
    positives: tuple[Positives, Positives] | None = None,
    *,
    weigh: Callable[[Tensor], Tensor] | None = None,
    frozen: tuple[Tensor, Tensor] | None = None,
    intra_view: bool = True,
) -> float:
    """The formula term by term; in `frozen` mode W_ij = f(u⁰_i·v⁰_j) for both views' anchors."""
    n = u.size(0)
    total = 0.0
    for side, (here, there) in enumerate(((unit(u), unit(v)), (unit(v), unit(u)))):
        near: dict[tuple[int, int], float] = {}
        far: set[tuple[int, int]] = set()
        if positives is not None:
            mine, others = positives[side], positives[1 - side]
            pairs = mine.edge_index.t().tolist()
            assert mine.present is not None
            assert others.present is not None
            near = {
                (i, j): float(mine.weight[p])
                for p, (i, j) in enumerate(pairs)
                if bool(mine.present[p])
            }
            far = {(i, j) for p, (i, j) in enumerate(pairs) if bool(others.present[p])}
        for i in range(n):
            others_of_i = [j for j in range(n) if j != i]
            raw = {}
            for j in others_of_i:
                cosine = here[i] @ there[j] if frozen is None else frozen[0][i] @ frozen[1][j]
                raw[j] = 1.0 if weigh is None else float(weigh(cosine))
            mean = sum(raw.values()) / (n - 1)
            own = math.exp(float(here[i] @ there[i]) / tau)
            positive, negative = own, 0.0
            for j in others_of_i:
                inside = math.exp(float(here[i] @ here[j]) / tau)
                outside = math.exp(float(here[i] @ there[j]) / tau)
                if (i, j) in near:
                    positive += near[i, j] * inside
                elif intra_view:
                    negative += raw[j] / mean * inside
                if (i, j) not in far:
                    negative += raw[j] / mean * outside
            total -= math.log(positive / (positive + negative))
    return total / (2 * n)

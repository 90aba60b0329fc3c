"""What embeddings say without labels: how well their clusters fit the edges, how many there are.

Whoever has no labels cannot validate. These three figures need none: the modularity of clusters of
the embeddings, the number of clusters that has most of it, and the effective rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.core.distributed import ALONE, Ranks
from homogcl.homophily.clusters import centroids, nearest_centroid

CANDIDATES = (5, 10, 15, 20, 25, 30)  # the paper's numbers of clusters


@dataclass(frozen=True)
class Clustering:
    """Centroids [k, d] and how modular the clusters around them are."""

    centroids: Tensor
    modularity: float


def modularity(cluster: Tensor, edge_index: Tensor, k: int, ranks: Ranks = ALONE) -> float:
    """Return Newman's modularity of a partition, in [-1/2, 1] for edges in both directions.

    It is the share of edges that lie inside clusters, less what that share would be on the mean
    if edges were drawn by degrees alone; 0 where there is no edge.

    Args:
        cluster: Of each node, int64 [N], below `k`.
        edge_index: Edges, int64 [2, E].
        k: Number of clusters.
        ranks: Processes that hold other nodes and edges, which count too.
    """
    source, target = cluster[edge_index]
    kinds = (source[source == target], source, target)
    counts = torch.stack([torch.bincount(kind, minlength=k) for kind in kinds]).double()
    inside, out, into = ranks.sum(counts)
    edges = out.sum()
    if not edges:
        return 0.0
    return float((inside / edges - (out / edges) * (into / edges)).sum())


def most_modular(
    h: Tensor,
    edge_index: Tensor,
    rng: torch.Generator,
    candidates: Sequence[int] = CANDIDATES,
    max_iterations: int = 20,
    ranks: Ranks = ALONE,
) -> Clustering:
    """Return the k-means clusters of the embeddings, among several k, that fit the edges best.

    Args:
        h: Embeddings, [N, d].
        edge_index: Edges, int64 [2, E].
        rng: Where the starts draw from.
        candidates: Numbers of clusters; those above N are passed over, and of equally modular
            ones the first is taken.
        max_iterations: Lloyd steps at most.
        ranks: Processes that hold other nodes.
    """
    best: Clustering | None = None
    for k in [k for k in candidates if k <= h.size(0)] or [h.size(0)]:
        c = centroids(h, k, rng, None, max_iterations, ranks)
        found = Clustering(c, modularity(nearest_centroid(h, c), edge_index, k, ranks))
        if best is None or found.modularity > best.modularity:
            best = found
    assert best is not None
    return best


def effective_rank(z: Tensor) -> float:
    """Return exp of the entropy of the singular values' shares: how many directions are in use.

    It is 1 where all rows are multiples of one, and at most the smaller side of `z` [N, d]; 0
    where all of it is 0.
    """
    # The products of the smaller side have the squares of the singular values.
    z = z.double() if z.size(0) >= z.size(1) else z.double().t()
    shares = torch.linalg.eigvalsh(z.t() @ z).clamp(min=0).sqrt()
    if not shares.sum():
        return 0.0
    shares = shares / shares.sum()
    return float(torch.special.entr(shares).sum().exp())


def unlabeled_scores(z: Tensor, edge_index: Tensor, rng: torch.Generator) -> dict[str, float]:
    """Return what an embedding [N, d] is worth as far as that can be said without labels.

    Returns:
        `modularity` and `modular_clusters`: that of the most modular clusters of the rows'
        directions, and their number; `effective_rank` of the rows' directions.
    """
    rows = functional.normalize(z.detach())
    found = most_modular(rows, edge_index, rng)
    return {
        "modularity": found.modularity,
        "modular_clusters": float(len(found.centroids)),
        "effective_rank": effective_rank(rows),
    }


def rank_of_directions(z: Tensor) -> float:
    """Return the effective rank of the rows' directions, [N, d]."""
    return effective_rank(functional.normalize(z.detach()))

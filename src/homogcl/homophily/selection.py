"""Scores of embeddings without labels: modularity, number of clusters, effective rank.

Without labels there is no validation accuracy. These scores need none: the modularity of clusters
of the embeddings, the number of clusters with the highest modularity, and the effective rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.core.distributed import ALONE, Ranks
from homogcl.homophily.clusters import centroids, nearest_centroid

CLUSTER_NUMBERS = (5, 10, 15, 20, 25, 30)  # the paper's numbers of clusters


@dataclass(frozen=True)
class Clustering:
    """Centroids [k, d], and the modularity of their clusters."""

    centroids: Tensor
    modularity: float


def modularity(cluster: Tensor, edge_index: Tensor, k: int, ranks: Ranks = ALONE) -> float:
    """Return Newman's modularity of a partition, in [-1/2, 1] for edges in both directions.

    It is the share of edges [2, E] inside the k clusters of nodes, int64 [N], minus the expected
    share if edges were drawn by degrees alone; 0 without edges. Nodes and edges of other processes
    count too.
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
    candidates: Sequence[int] = CLUSTER_NUMBERS,
    max_iterations: int = 20,
    ranks: Ranks = ALONE,
) -> Clustering:
    """Return the k-means clusters of `h` [N, d] with the highest modularity among several k.

    Candidates above N are ignored; the first wins a tie.
    """
    best: Clustering | None = None
    for k in [k for k in candidates if k <= h.size(0)] or [h.size(0)]:
        c = centroids(h, k, rng, None, max_iterations, ranks)
        clustering = Clustering(c, modularity(nearest_centroid(h, c), edge_index, k, ranks))
        if best is None or clustering.modularity > best.modularity:
            best = clustering
    assert best is not None
    return best


def effective_rank(z: Tensor) -> float:
    """Return the number of directions in use: exp of the entropy of the singular values' shares.

    It is 1 if all rows are multiples of one row, at most the smaller side of `z` [N, d], and 0 if
    `z` is 0.
    """
    # The eigenvalues of zᵀz, for the smaller side, are the squared singular values.
    z = z.double() if z.size(0) >= z.size(1) else z.double().t()
    shares = torch.linalg.eigvalsh(z.t() @ z).clamp(min=0).sqrt()
    if not shares.sum():
        return 0.0
    shares = shares / shares.sum()
    return float(torch.special.entr(shares).sum().exp())


def unlabeled_scores(z: Tensor, edge_index: Tensor, rng: torch.Generator) -> dict[str, float]:
    """Return the scores of an embedding [N, d] that need no labels, all of the rows' directions.

    `modular_clusters` is the number of the most modular clusters.
    """
    rows = functional.normalize(z.detach())
    best = most_modular(rows, edge_index, rng)
    return {
        "modularity": best.modularity,
        "modular_clusters": float(len(best.centroids)),
        "effective_rank": effective_rank(rows),
    }


def rank_of_directions(z: Tensor) -> float:
    """Return the effective rank of the rows' directions, [N, d]."""
    return effective_rank(functional.normalize(z.detach()))

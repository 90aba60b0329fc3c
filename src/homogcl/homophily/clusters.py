"""Clusters of embeddings: k-means with a warm start, over the nodes of all processes."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.core.distributed import ALONE, Ranks
from homogcl.core.errors import UserError


def centroids(
    h: Tensor,
    k: int,
    rng: torch.Generator,
    start: Tensor | None = None,
    max_iterations: int = 20,
    ranks: Ranks = ALONE,
) -> Tensor:
    """Return the means of the k-means clusters of the embeddings, [k, d].

    Args:
        h: Embeddings, [N, d]; no gradient flows into the centroids.
        k: Number of clusters, at most N without a start.
        rng: Random generator of the k-means++ start.
        start: Centroids to start from, such as the last step's, [k, d]; k-means++ by default.
        max_iterations: Most Lloyd steps; fewer if no node changes its cluster.
        ranks: Processes that hold other nodes; the clusters are those of all nodes together, from
            the start of the first process.
    """
    h = h.detach()
    if start is None and k > h.size(0):
        raise UserError(f"num_clusters={k} is more than the {h.size(0)} nodes there are")
    c = ranks.first(plus_plus(h, k, rng) if start is None else start)
    # Subtract the centroids' mean: centroids far from 0 would lose precision.
    center = c.mean(0)
    h, c = h - center, c - center
    # All nodes start in cluster k, one more than there are, which has no sum.
    now = torch.full((h.size(0),), k, dtype=torch.long, device=h.device)
    sums, sizes = h.new_zeros(k, h.size(1)), h.new_zeros(k)
    for _ in range(max_iterations):
        before, now = now, _centered_closeness(h, c).argmax(1)
        moved = (before != now).nonzero().squeeze(1)
        if ranks.all(moved.numel() == 0):
            break
        # Only nodes that move change the sums, and from the second round on few do.
        came, left = (functional.one_hot(at[moved], k + 1)[:, :k] for at in (now, before))
        change = (came - left).to(h.dtype)  # [moved, k]
        sums += change.t() @ h[moved]
        sizes += change.sum(0)
        size = ranks.sum(sizes.clone())[:, None]
        # A cluster without nodes stays where it was.
        c = torch.where(size > 0, ranks.sum(sums.clone()) / size.clamp(min=1), c)
    return c + center


def plus_plus(h: Tensor, k: int, rng: torch.Generator) -> Tensor:
    """Return k rows of `h`, each drawn by its squared distance to the rows before it, [k, d]."""
    rows = [torch.randint(h.size(0), (1,), generator=rng, device=rng.device).to(h.device)]
    distance = h.new_full((h.size(0),), torch.inf)
    for _ in range(k - 1):
        distance = torch.minimum(distance, (h - h[rows[-1]]).square().sum(1))
        # If no row is away from those drawn, all rows are equally likely.
        chances = distance if float(distance.sum()) > 0 else torch.ones_like(distance)
        rows.append(torch.multinomial(chances.to(rng.device), 1, generator=rng).to(h.device))
    return h[torch.cat(rows)]


def nearest_centroid(h: Tensor, c: Tensor) -> Tensor:
    """Return the number of the nearest centroid [k, d] for each embedding [N, d], int64 [N]."""
    return closeness(h, c).argmax(1)


def spread(h: Tensor, c: Tensor, ranks: Ranks = ALONE) -> Tensor:
    """Return the mean squared distance of the embeddings [N, d] to the nearest centroid, a scalar.

    No gradient flows into it. It is tiny, not 0, if all nodes are on centroids. The nodes of
    other processes count too.
    """
    h, c = h.detach() - c.mean(0), c - c.mean(0)
    distance = h.square().sum(1) - _centered_closeness(h, c).amax(1)
    sums = ranks.sum(torch.stack([distance.sum(), distance.new_tensor(len(h))]))
    return (sums[0] / sums[1]).clamp(min=1e-12)


def closeness(h: Tensor, c: Tensor) -> Tensor:
    """Return -‖h_i - c_j‖² up to a term that is the same for all j, [N, k].

    The centroids' mean is subtracted first: centroids far from 0 would lose precision.
    """
    center = c.mean(0)
    return _centered_closeness(h - center, c - center)


def _centered_closeness(h: Tensor, c: Tensor) -> Tensor:
    return torch.addmm(c.square().sum(1), h, c.t(), beta=-1, alpha=2)

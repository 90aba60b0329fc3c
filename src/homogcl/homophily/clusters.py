"""Clusters of embeddings: k-means, warm-started and shared by many processes."""

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
        k: Number of clusters, at most N where there is no start.
        rng: Where the k-means++ start draws from.
        start: Centroids to go on from, such as the last step's, [k, d]; k-means++ by default.
        max_iterations: Lloyd steps at most; fewer when no node changes its cluster.
        ranks: Processes that hold other nodes; the clusters are those of all nodes together, and
            the start is the first process's.
    """
    h = h.detach()
    if start is None and k > h.size(0):
        raise UserError(f"num_clusters={k} is more than the {h.size(0)} nodes there are")
    c = ranks.first(plus_plus(h, k, rng) if start is None else start)
    # Measured from the centroids' mean, so that little is lost where all of them lie far out.
    center = c.mean(0)
    h, c = h - center, c - center
    # The last of k + 1 clusters is where all nodes come from: no sum is of it.
    now = torch.full((h.size(0),), k, dtype=torch.long, device=h.device)
    sums, sizes = h.new_zeros(k, h.size(1)), h.new_zeros(k)
    for _ in range(max_iterations):
        before, now = now, _centered_closeness(h, c).argmax(1)
        moved = (before != now).nonzero().squeeze(1)
        if ranks.all(moved.numel() == 0):
            break
        # Few nodes move from the second round on, and only they change the sums.
        came, left = (functional.one_hot(at[moved], k + 1)[:, :k] for at in (now, before))
        change = (came - left).to(h.dtype)  # [moved, k]
        sums += change.t() @ h[moved]
        sizes += change.sum(0)
        size = ranks.sum(sizes.clone())[:, None]
        # A cluster that lost its last node stays where it was.
        c = torch.where(size > 0, ranks.sum(sums.clone()) / size.clamp(min=1), c)
    return c + center


def plus_plus(h: Tensor, k: int, rng: torch.Generator) -> Tensor:
    """Return k rows of `h`, each drawn by its squared distance to those before it, [k, d]."""
    chosen = [torch.randint(h.size(0), (1,), generator=rng, device=rng.device).to(h.device)]
    distance = h.new_full((h.size(0),), torch.inf)
    for _ in range(k - 1):
        distance = torch.minimum(distance, (h - h[chosen[-1]]).square().sum(1))
        # Where all rows have been met already, any row is as good as another.
        odds = distance if float(distance.sum()) > 0 else torch.ones_like(distance)
        chosen.append(torch.multinomial(odds.to(rng.device), 1, generator=rng).to(h.device))
    return h[torch.cat(chosen)]


def nearest_centroid(h: Tensor, c: Tensor) -> Tensor:
    """Return which centroid [k, d] each embedding [N, d] is nearest to, int64 [N]."""
    return closeness(h, c).argmax(1)


def spread(h: Tensor, c: Tensor, ranks: Ranks = ALONE) -> Tensor:
    """Return the mean squared distance of the embeddings [N, d] to the nearest centroid, a scalar.

    No gradient flows into it. Where all nodes stand on centroids it is next to nothing, not 0.
    Other processes' nodes count too.
    """
    h, c = h.detach() - c.mean(0), c - c.mean(0)
    distance = h.square().sum(1) - _centered_closeness(h, c).amax(1)
    sums = ranks.sum(torch.stack([distance.sum(), distance.new_tensor(len(h))]))
    return (sums[0] / sums[1]).clamp(min=1e-12)


def closeness(h: Tensor, c: Tensor) -> Tensor:
    """Return -‖h_i - c_j‖² up to a term that is the same for all j, [N, k].

    Measured from the centroids' mean, so that little is lost where all of them lie far out.
    """
    center = c.mean(0)
    return _centered_closeness(h - center, c - center)


def _centered_closeness(h: Tensor, c: Tensor) -> Tensor:
    return torch.addmm(c.square().sum(1), h, c.t(), beta=-1, alpha=2)

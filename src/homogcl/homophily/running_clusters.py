"""Clusters over batches: a running k-means, so that clusters mean the same from step to step.

Where a step sees a part of the nodes, the clusters of these alone would be others at each step.
Here each step moves the clusters of the steps before: every cluster is the mean of its rows, in
which rows of earlier steps count less and less, since the encoder moves on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.core.distributed import ALONE, Ranks
from homogcl.homophily.clusters import nearest_centroid, spread

REMEMBERED: Final = 20  # batches after which a row counts 1/e, unless an epoch has fewer


@dataclass(frozen=True)
class RunningClusters:
    """Means of clusters, and what is remembered of the rows behind them.

    Attributes:
        centroids: [k, d].
        sizes: Rows of each cluster, of which older ones count less, [k].
        distance: Squared distances of these rows to their centroids, summed; a scalar.
    """

    centroids: Tensor
    sizes: Tensor
    distance: Tensor

    @classmethod
    def begin(cls, centroids: Tensor) -> RunningClusters:
        """Return clusters at `centroids` [k, d] that no row stands behind yet."""
        return cls(centroids, centroids.new_zeros(len(centroids)), centroids.new_zeros(()))

    @property
    def spread(self) -> Tensor:
        """The mean squared distance of the rows to their centroids; tiny, not 0, without any."""
        return (self.distance / self.sizes.sum().clamp(min=1e-12)).clamp(min=1e-12)

    def after(self, h: Tensor, whole: int, ranks: Ranks = ALONE) -> RunningClusters:
        """Return the clusters after a step that sees the rows `h`.

            n_j ← m n_j + b_j,   c_j ← c_j + (1 / n_j) Σ_(i in j) (h_i - c_j)

        with b_j the step's rows next to c_j and m = 1 - max(b / whole, 1 / REMEMBERED).

        Args:
            h: Embeddings of a batch, [n, d]; no gradient flows into the clusters.
            whole: Rows of an epoch.
            ranks: Processes that hold batches of their own; all get the same clusters.
        """
        h, k = h.detach(), len(self.centroids)
        nearest = nearest_centroid(h, self.centroids)
        members = functional.one_hot(nearest, k).to(h.dtype)
        counts = ranks.sum(members.sum(0))
        moves = ranks.sum(members.t() @ (h - self.centroids[nearest]))
        rows = float(counts.sum())
        memory = max(0.0, 1 - max(rows / whole, 1 / REMEMBERED))
        sizes = memory * self.sizes + counts
        # Without a row a cluster stays where it was.
        c = self.centroids + moves / torch.where(counts > 0, sizes, 1)[:, None]
        distance = memory * self.distance + rows * spread(h, c, ranks)
        return RunningClusters(c, sizes, distance)

    def packed(self) -> Tensor:
        """Return everything as one tensor, [1, k, d + 2], as files of weights hold it."""
        rest = torch.stack([self.sizes, self.distance.expand_as(self.sizes)], dim=1)
        return torch.cat([self.centroids, rest], dim=1)[None]

    @classmethod
    def unpacked(cls, packed: Tensor) -> RunningClusters:
        """Return the clusters that `packed` returned."""
        table = packed[0]
        return cls(table[:, :-2].contiguous(), table[:, -2].clone(), table[0, -1].clone())

"""Negatives of methods that contrast two views: all other nodes, or a sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import NonNegativeInt, PositiveInt
from torch import Tensor, nn

from homogcl.core.config import Config
from homogcl.core.distributed import Sharing
from homogcl.core.errors import UserError
from homogcl.core.seeds import branch
from homogcl.homophily.clusters import centroids, nearest_centroid
from homogcl.homophily.running_clusters import RunningClusters
from homogcl.losses.contrast.negatives import AllPairs, Negatives, Sampled
from homogcl.losses.contrast.sampled import SampledColumns, stratified_columns
from homogcl.losses.contrast.tiles import Workspace
from homogcl.nn.unit_rows import of_length
from homogcl.views.augment import TwoViews


class NegativesConfig(Config):
    """Settings of the negatives."""

    negatives: Literal["exact", "sampled"] = "exact"
    num_negatives: PositiveInt = 1024  # M, the size of the sample
    negative_clusters: NonNegativeInt = 0  # k, to draw the sample by; 0 draws it uniformly


@dataclass(frozen=True)
class ContrastViews(TwoViews):
    """Two views of one graph, and what is random in the negatives of the step.

    Attributes:
        draw: One uniform random number per node, [N]; None if negatives are exact.
        cluster_seed: Seed of k-means, if negatives are drawn by cluster.
    """

    draw: Tensor | None = None
    cluster_seed: int = 0


class ContrastNegatives(nn.Module):
    """The negatives of each step: all pairs, or a sample.

    With `negative_clusters` the sample is divided among k clusters of the directions of the first
    view's vectors, in proportion to their size. k-means starts from the last step's centroids;
    where a step sees a batch, the clusters are those of all batches so far.
    """

    centroids: Tensor  # of the last step, [k, d]; NaN before the first
    sizes: Tensor  # of the clusters over batches, [k]; 0 without batches

    def __init__(self, config: NegativesConfig, dim: int) -> None:
        """Make room for the centroids of vectors of width `dim`."""
        super().__init__()
        self.config = config
        self.workspace = Workspace()
        k = config.negative_clusters
        # Without clusters a saved method has nothing of them.
        self.register_buffer("centroids", torch.full((k, dim), torch.nan), persistent=k > 0)
        self.register_buffer("sizes", torch.zeros(k), persistent=k > 0)

    def check(self, nodes: int) -> None:
        """Refuse a larger sample than there are nodes, and clusters that get no column of it."""
        count, k = self.config.num_negatives, self.config.negative_clusters
        if self.config.negatives == "exact":
            if k:
                raise UserError(f"negative_clusters={k} has no effect without negatives=sampled")
        elif count > nodes:
            raise UserError(f"num_negatives={count} is more than the {nodes} nodes of a step")
        elif k > count:
            raise UserError(f"negative_clusters={k} is more than num_negatives={count}")

    def draw(self, views: TwoViews, rng: torch.Generator) -> ContrastViews:
        """Return the views with what is random in their negatives."""
        if self.config.negatives == "exact":
            return ContrastViews(views.first, views.second)
        device, seed = views.first.edge_index.device, branch(rng, "negatives")
        draw = torch.rand(int(views.first.num_nodes or 0), generator=rng, device=rng.device)
        return ContrastViews(views.first, views.second, draw.to(device), seed)

    def of(self, views: ContrastViews, u: Tensor, sharing: Sharing) -> Negatives:
        """Return the negatives of a step with the vectors `u` [N, d] of the first view."""
        columns = self.columns(views, u, sharing)
        return AllPairs(self.workspace, sharing.pairs) if columns is None else Sampled(columns)

    def columns(self, views: ContrastViews, u: Tensor, sharing: Sharing) -> SampledColumns | None:
        """Return the sampled nodes of a step; None if all nodes are negatives."""
        if views.draw is None:
            return None
        strata = None
        if self.config.negative_clusters:
            strata = self._clusters(of_length(u.detach(), 1.0), views.cluster_seed, sharing)
        return stratified_columns(views.draw, self.config.num_negatives, strata)

    def _clusters(self, h: Tensor, seed: int, sharing: Sharing) -> Tensor:
        """Return the cluster of each row, int64 [N]."""
        start = None if bool(self.centroids.isnan().any()) else self.centroids
        rng = torch.Generator(device=h.device).manual_seed(seed)
        k, nodes = self.config.negative_clusters, sharing.nodes
        if not sharing.whole or start is None:
            self.centroids = centroids(h, k, rng, start, ranks=nodes)
        if sharing.whole:
            before = RunningClusters(self.centroids, self.sizes.to(h.dtype), h.new_zeros(()))
            now = before.after(h, sharing.whole, nodes)
            self.centroids, self.sizes = now.centroids, now.sizes
        return nearest_centroid(h, self.centroids)

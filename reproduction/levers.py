"""HomoGCL with all settings that the study varies, one at a time or together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Self

import torch
from pydantic import Field, JsonValue, model_validator
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.clusters import centroids
from homogcl.homophily.plugins.base import ClusterConfig, HomoViews
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import MEANS, Combine, Positives, Taken
from homogcl.homophily.saliency import homophily_loss, soft_assignment
from homogcl.homophily.selection import most_modular
from homogcl.methods.base import Method, Terms
from homogcl.nn.encoders import dropped_inputs, move_target, target_of
from homogcl.nn.sparse import Pattern
from homogcl.nn.unit_rows import of_length

# These settings make it the plug-in `+adaptive`.
ADAPTIVE: Mapping[str, JsonValue] = {
    "combine": "mean",
    "clustered": "directions",
    "width": "clusters",
    "two_sigma_sq": 1.0,
    "saliency_gradient": False,
    "homophily_weight": 0.0,
}
# These too, but all neighbors weigh the same; there is no S to learn through.
ALIKE: Mapping[str, JsonValue] = {**ADAPTIVE, "saliency": "hard", "saliency_gradient": True}


class Levers(HomoGCL):
    """HomoGCL with a setting for each of its choices.

    The defaults make it `+homogcl`. The further settings say what is clustered and how, from
    which step on neighbors count, and whether they enter the base's loss as in the paper or by a
    mean, and then which of them: all, or those whose edge a view has or has lost.
    """

    name = "HomoGCL with levers"
    progress: Tensor  # share of the steps done; only with `start_at`

    class Config(HomoGCL.Config):
        """Settings of HomoGCL, and the levers."""

        combine: Literal["paper", "mean", "weighted mean"] = "paper"
        taken: Taken = Taken.ALL  # which neighbors a mean takes
        clustered: Literal["embeddings", "directions"] = "embeddings"  # what is clustered
        choose_clusters: bool = False  # whether k is the most modular of 5, 10, ..., 30 instead
        cluster_momentum: float = Field(default=0.0, ge=0, lt=1)  # of the encoder to cluster by
        warm_start: bool = True  # whether k-means starts from the last step's clusters
        kmeans_iterations: int = Field(default=20, ge=1)
        saliency_scale: float = Field(default=1.0, ge=0, le=1)  # factor of S
        start_at: float = Field(default=0.0, ge=0, lt=1)  # share of the steps without the plug-in
        dropout: float = Field(default=0.0, ge=0, lt=1)  # before each layer of the base's encoders

        @model_validator(mode="after")
        def _taken_by_a_mean(self) -> Self:
            if self.taken is not Taken.ALL and self.combine not in MEANS:
                raise ValueError(f"taken={self.taken} is for combine=mean or combine=weighted mean")
            return self

    config: Config

    def __init__(self, base: Method, config: Config) -> None:
        """Put the plug-in on `base`."""
        super().__init__(base, config)
        self.taken = config.taken
        # A copy of the base that follows it slowly, for its embeddings only.
        self.slow = target_of(base) if config.cluster_momentum else None
        if config.start_at:
            self.register_buffer("progress", torch.zeros((), dtype=torch.float64))

    @classmethod
    def ways_of(cls, config: ClusterConfig | None) -> tuple[Combine, ...]:
        """Return the paper's ways, or the mean that the settings ask for."""
        way = getattr(config, "combine", "paper")
        return cls.ways if way == "paper" else (Combine(way),)

    @classmethod
    def check_base(cls, base: Method | type[Method], config: ClusterConfig | None = None) -> None:
        """Refuse a base that cannot combine neighbors as the settings ask; β may be any."""
        cls.combine_on(base, config)

    def check(self, nodes: int) -> None:
        """Refuse more clusters than nodes, unless modularity chooses their number."""
        if self.config.choose_clusters:
            self.base.check(nodes)
        else:
            super().check(nodes)

    def objective(self, views: HomoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the base's own terms until the plug-in starts, then those with neighbors."""
        if self.config.start_at and float(self.progress) < self.config.start_at:
            return self.base.objective(views.base)
        return super().objective(views)

    def expanded(self, views: HomoViews, weight: Tensor) -> Terms:
        """Return the base's terms with the edges as positives, of views with dropout if asked."""
        if not self.config.dropout:
            return super().expanded(views, weight)
        # The seed of k-means is fresh at each step, and its draws are those of another generator.
        rng = torch.Generator(device=weight.device).manual_seed(views.cluster_seed)
        with dropped_inputs(self.base, self.config.dropout, rng):
            return super().expanded(views, weight)

    def weigh(self, views: HomoViews) -> tuple[Tensor, Callable[[], Terms]]:
        """Return S of each edge and the homophily loss."""
        edges = Pattern.of_graph(views.graph)
        h = self._rows(self.base.embed(views.graph))
        c = self._centroids(
            self._clustered(h, views.graph), views.graph.edge_index, views.cluster_seed
        )
        r = soft_assignment(h, c, self._two_sigma_sq(h, c))
        return self._weight(r, edges), lambda: {"homophily": homophily_loss(r, edges)}

    def assignment(self, graph: Data) -> Tensor | None:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            return None
        h = self._rows(self.embed(graph))
        return soft_assignment(h, self.centroids, self._two_sigma_sq(h, self.centroids))

    def after_step(self, progress: float) -> None:
        """Update the base, and let its slow copy follow it."""
        super().after_step(progress)
        if self.slow is not None:
            move_target(self.slow, self.base, self.config.cluster_momentum)
        if self.config.start_at:
            self.progress.fill_(progress)

    def _rows(self, h: Tensor) -> Tensor:
        return h if self.config.clustered == "embeddings" else of_length(h, 1.0)

    def _clustered(self, h: Tensor, graph: Data) -> Tensor:
        """Return the rows to cluster, without a gradient, [N, d]."""
        if self.slow is None:
            return h.detach()
        with torch.no_grad():
            return self._rows(self.slow.embed(graph))

    def _centroids(self, h: Tensor, edge_index: Tensor, seed: int) -> Tensor:
        k, iterations = self.config.num_clusters, self.config.kmeans_iterations
        nodes = self.sharing.nodes
        rng = torch.Generator(device=h.device).manual_seed(seed)
        if self.config.warm_start and self.centroids.numel():
            start = self.centroids
            self.centroids = centroids(h, len(start), rng, start, iterations, nodes)
        elif self.config.choose_clusters:
            best = most_modular(h, edge_index, rng, max_iterations=iterations, ranks=nodes)
            self.centroids = best.centroids
        else:
            self.centroids = centroids(h, k, rng, None, iterations, nodes)
        return self.centroids

    def _weight(self, r: Tensor, edges: Pattern) -> Tensor:
        return super()._weight(r, edges) * self.config.saliency_scale

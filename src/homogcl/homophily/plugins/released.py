"""HomoGCL as the published code computes it, where that differs from the paper."""

from __future__ import annotations

from collections.abc import Callable

import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.clusters import centroids
from homogcl.homophily.plugins.base import ClusterConfig, HomoViews, NeighborPlugin
from homogcl.homophily.positives import Combine
from homogcl.homophily.saliency import homophily_loss, saliency, soft_assignment
from homogcl.methods.base import Terms
from homogcl.nn.sparse import Pattern

SEED = 1234
NODES_PER_CLUSTER = 256


class Released(NeighborPlugin):
    """HomoGCL as its authors' code computes it.

    It differs from Algorithm 1 in four ways: k-means starts anew at each step, from one fixed
    seed and on at most 256 nodes per cluster; a node's own pair is in the denominator twice; all
    neighbors of a node together weigh as one; and the homophily loss averages over self-loops too.
    """

    name = "Released HomoGCL"
    ways = (Combine.RELEASED,)

    class Config(ClusterConfig):
        """Settings of the plug-in."""

        two_sigma_sq: float = Field(default=1e-3, gt=0)  # 2σ² of Eq. (5)
        homophily_weight: float = 1.0  # α

    config: Config

    def weigh(self, views: HomoViews) -> tuple[Tensor, Callable[[], Terms]]:
        """Return S of each edge and the homophily loss."""
        pattern = Pattern.of_graph(views.graph)
        h = self.base.embed(views.graph)
        r = soft_assignment(h, self._fresh_centroids(h.detach()), self.config.two_sigma_sq)
        edges = pattern.row.numel()
        with_loops = edges / (edges + r.size(0))
        return saliency(r, pattern), lambda: {"homophily": homophily_loss(r, pattern) * with_loops}

    def term_weights(self) -> dict[str, float]:
        """Return α, and the base's own weights."""
        return {**self.base.term_weights(), "homophily": self.config.homophily_weight}

    def assignment(self, graph: Data) -> Tensor | None:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            return None
        return soft_assignment(self.embed(graph), self.centroids, self.config.two_sigma_sq)

    def _fresh_centroids(self, h: Tensor) -> Tensor:
        k = self.config.num_clusters
        rng = torch.Generator(device=h.device).manual_seed(SEED)
        sample = torch.randperm(h.size(0), generator=rng, device=h.device)[: NODES_PER_CLUSTER * k]
        self.centroids = centroids(h[sample], k, rng, ranks=self.sharing.nodes)
        return self.centroids

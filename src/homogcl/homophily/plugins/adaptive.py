"""Adaptive HomoGCL: the base's own loss, averaged over a node and its neighbors."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.base import ClusterConfig, HomoViews, NeighborPlugin
from homogcl.homophily.positives import Combine
from homogcl.homophily.saliency import saliency, soft_assignment
from homogcl.methods.base import Terms
from homogcl.nn.sparse import Pattern
from homogcl.nn.unit_rows import of_length


class Adaptive(NeighborPlugin):
    """HomoGCL without settings that depend on the scale of the embeddings or of the base's loss.

    It clusters the embeddings' directions, the unit rows ĥ; 2σ² is the mean squared distance of a
    row to its nearest centroid. S is a plain weight without gradient, and there is no homophily
    loss. The loss of a node is the base's own loss, averaged over the node itself and its
    neighbors in the other view, which together weigh as one:

        J_i = (ℓ(i, i) + Σ_j w_ij ℓ(i, j)) / (1 + Σ_j w_ij),   w_ij = S_ij / (degree of i + 0.01)

    docs/homophily-study.md has the runs behind each of these choices.
    """

    name = "Adaptive HomoGCL"
    ways = (Combine.MEAN,)

    class Config(ClusterConfig):
        """Settings of the plug-in."""

    def weigh(self, views: HomoViews) -> tuple[Tensor, Callable[[], Terms]]:
        """Return S of each edge; there are no terms of its own."""
        with torch.no_grad():  # nothing is learned through S
            h = of_length(self.base.embed(views.graph), 1.0)
        c = self.next_centroids(h, views.cluster_seed)
        r = soft_assignment(h, c, self.spread_around(h, c))
        return saliency(r, Pattern.of_graph(views.graph)), dict

    def assignment(self, graph: Data) -> Tensor | None:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            return None
        h = of_length(self.embed(graph), 1.0)
        return soft_assignment(h, self.centroids, self.spread_around(h, self.centroids))

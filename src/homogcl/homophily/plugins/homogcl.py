"""HomoGCL: neighbors as positives, weighted by how likely they share a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.plugins.base import (
    ClusterConfig,
    ClusterNumber,
    HomoViews,
    NeighborPlugin,
)
from homogcl.homophily.positives import Combine
from homogcl.homophily.saliency import homophily_loss, saliency, soft_assignment
from homogcl.methods.base import Method, Terms
from homogcl.nn.sparse import Pattern


class SoftClusterConfig(ClusterNumber):
    """Number and width of soft clusters."""

    two_sigma_sq: float = Field(default=1e-3, gt=0)  # 2σ² of Eq. (5), in the unit `width`
    width: Literal["fixed", "clusters"] = "fixed"  # 1, or a node's mean squared distance to c


class HomoGCL(NeighborPlugin):
    """HomoGCL (Li et al., KDD 2023), Algorithm 1, over any base with pair positives.

    Each step encodes the clean graph to H, finds k centroids of H by k-means, and computes the
    Gaussian posteriors R of the clusters and S_ij = cos(R_i, R_j) on the edges. The base takes
    the edges, weighted by S, as positives, and the homophily loss is added:

        J = L_base(S) + α L_homo  (+ β L_2 if the base has no negatives, Section 4.4)

    `saliency="hard"` is the paper's HomoGCL_hd: all neighbors weigh 1.
    """

    name = "HomoGCL"
    ways = (Combine.SUM, Combine.TERM)

    class Config(SoftClusterConfig, ClusterConfig):
        """Settings of the plug-in."""

        homophily_weight: float = 1.0  # α
        neighbor_weight: float = 1.0  # β, for bases with a separate term for neighbors
        saliency: Literal["soft", "hard"] = "soft"
        saliency_gradient: bool = True  # whether the encoder learns through S

        @model_validator(mode="after")
        def _gradient_needs_soft(self) -> Self:
            if self.saliency == "hard" and not self.saliency_gradient:
                raise ValueError("saliency=hard has no gradient: leave saliency_gradient out")
            return self

    config: Config

    @classmethod
    def check_base(cls, base: Method | type[Method], config: ClusterConfig | None = None) -> None:
        """Refuse a base without pair positives, and β for a base without a term for neighbors."""
        weight = getattr(config, "neighbor_weight", 1.0)
        if cls.combine_on(base) is not Combine.TERM and weight != 1.0:
            raise UserError(
                f"neighbor_weight={weight}: {base.name} has no term of neighbors to weigh"
            )

    def weigh(self, views: HomoViews) -> tuple[Tensor, Callable[[], Terms]]:
        """Return S of each edge and the homophily loss (lines 5-9 and 11)."""
        edges = Pattern.of_graph(views.graph)
        with torch.set_grad_enabled(torch.is_grad_enabled() and self._learns_clusters()):
            h = self.base.embed(views.graph)
        c = self.next_centroids(h.detach(), views.cluster_seed)
        r = soft_assignment(h, c, self._two_sigma_sq(h, c))
        return self._weight(r, edges), lambda: {"homophily": homophily_loss(r, edges)}

    def term_weights(self) -> dict[str, float]:
        """Return α and β, and the base's own weights."""
        own = {"homophily": self.config.homophily_weight, "neighbors": self.config.neighbor_weight}
        return {**self.base.term_weights(), **own}

    def assignment(self, graph: Data) -> Tensor | None:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            return None
        h = self.embed(graph)
        return soft_assignment(h, self.centroids, self._two_sigma_sq(h, self.centroids))

    def _two_sigma_sq(self, h: Tensor, c: Tensor) -> float | Tensor:
        unit = 1.0 if self.config.width == "fixed" else self.spread_around(h, c)
        return self.config.two_sigma_sq * unit

    def _learns_clusters(self) -> bool:
        """Return whether the encoder learns from R: through S or by the homophily loss."""
        through_s = self.config.saliency == "soft" and self.config.saliency_gradient
        return through_s or self.config.homophily_weight != 0

    def _weight(self, r: Tensor, edges: Pattern) -> Tensor:
        if self.config.saliency == "hard":
            return torch.ones(edges.row.numel(), dtype=r.dtype, device=r.device)
        return saliency(r if self.config.saliency_gradient else r.detach(), edges)

"""HomoGCL: neighbors as positives, weighted by how surely they share a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.config import Config
from homogcl.distributed import sharing
from homogcl.errors import UserError
from homogcl.homophily import centroids, homophily_loss, saliency, soft_assignment
from homogcl.methods.base import Method
from homogcl.positives import Positives


class NoPairPositives(UserError):
    """The base method has no positive pairs that neighbors could join."""


@dataclass(frozen=True)
class HomoViews:
    """What one step of the base drew, the clean graph, and a seed for the clusters' start."""

    base: Any
    graph: Data
    cluster_seed: int


class HomoGCL(Method):
    """HomoGCL (Li et al., KDD 2023), Algorithm 1, over any base with pair positives.

    Each step encodes the clean graph to H, finds k centroids of H by k-means, takes the Gaussian
    posteriors R of the clusters and S_ij = cos(R_i, R_j) on the edges, hands the edges weighted
    by S to the base as positives, and adds the homophily loss:

        J = L_base(S) + α L_homo  (+ β L_2 where the base has no negatives, Section 4.4)

    `saliency="hard"` is the paper's HomoGCL_hd: all neighbors weigh 1. `variant="released"` does
    what the published code does where it departs from the paper: the own pair stands in the
    denominator twice, the homophily loss averages over self-loops too, and k-means starts anew
    at each step from the same seed on at most 256 nodes a cluster.
    """

    name = "HomoGCL"
    expands_positives = False

    class Config(Config):
        """Settings of the plug-in."""

        num_clusters: int = Field(default=10, ge=1)  # k
        two_sigma_sq: float = Field(default=1e-3, gt=0)  # 2σ² of Eq. (5)
        homophily_weight: float = 1.0  # α
        neighbor_weight: float = 1.0  # β, for bases whose neighbor term stands apart
        kmeans_iterations: int = Field(default=20, ge=1)
        saliency: Literal["soft", "hard"] = "soft"
        saliency_gradient: bool = True  # whether the encoder learns through S
        average_neighbors: bool = False  # a node's neighbors weigh as one (released, Cora only)
        variant: Literal["paper", "released"] = "paper"

    def __init__(self, base: Method, config: Config) -> None:
        """Put the plug-in on `base`."""
        super().__init__()
        self.check_base(base)
        self.base = base
        self.config = config
        self.name = f"{base.name}+HomoGCL"
        self.training_data = base.training_data
        self.transductive = base.transductive
        self.takes_batches = base.takes_batches
        self.centroids = torch.empty(0)  # of the last step, [k, d]; where the next one starts

    @staticmethod
    def check_base(base: Method | type[Method]) -> None:
        """Refuse, by name, a base that has no pair positives."""
        if not base.expands_positives:
            raise NoPairPositives(f"{base.name} has no pair positives for HomoGCL to expand")

    def check(self, nodes: int) -> None:
        """Refuse more clusters than nodes, and what the base refuses."""
        self.base.check(nodes)
        if self.config.num_clusters > nodes:
            raise UserError(
                f"num_clusters={self.config.num_clusters} is more than the {nodes} nodes of a step"
            )

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Let the base prepare."""
        self.base.prepare(graph, rng)

    def views(self, graph: Data, rng: torch.Generator) -> HomoViews:
        """Return the base's views beside the clean graph (lines 3-4)."""
        seed = torch.randint(2**31, (1,), generator=rng, device=rng.device)
        return HomoViews(self.base.views(graph, rng), graph, int(seed))

    def objective(
        self, views: HomoViews, positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        """Return the base's terms with expanded positives, and the homophily loss (lines 5-11)."""
        edge_index = views.graph.edge_index
        h = self.base.embed(views.graph)
        c = self._centroids(h.detach(), views.cluster_seed)
        r = soft_assignment(h, c, self.config.two_sigma_sq)
        terms = self.base.objective(views.base, self._positives(r, edge_index))
        return {**terms, "homophily": self._homophily(r, edge_index)}

    def term_weights(self) -> dict[str, float]:
        """Return α and β beside the base's own weights."""
        mine = {"homophily": self.config.homophily_weight, "neighbors": self.config.neighbor_weight}
        return {**self.base.term_weights(), **mine}

    def embed(self, graph: Data) -> Tensor:
        """Return the base's embeddings."""
        return self.base.embed(graph)

    def after_step(self, progress: float) -> None:
        """Let the base follow the step."""
        self.base.after_step(progress)

    def assignment(self, graph: Data) -> Tensor:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            raise UserError("saliency needs clusters, which the first training step makes")
        return soft_assignment(self.embed(graph), self.centroids, self.config.two_sigma_sq)

    def saliency(self, graph: Data) -> Tensor:
        """Return S of each edge of `graph` under the clusters of the last step, [E]."""
        return saliency(self.assignment(graph), graph.edge_index)

    def get_extra_state(self) -> Tensor:
        """Return the centroids, a part of the state that has no size before the first step."""
        return self.centroids

    def set_extra_state(self, state: Tensor) -> None:
        """Take the centroids back."""
        self.centroids = state

    @property
    def _released(self) -> bool:
        return self.config.variant == "released"

    def _centroids(self, h: Tensor, seed: int) -> Tensor:
        k, iterations = self.config.num_clusters, self.config.kmeans_iterations
        nodes = sharing().nodes
        if self._released:
            rng = torch.Generator(device=h.device).manual_seed(1234)
            few = torch.randperm(h.size(0), generator=rng, device=h.device)[: 256 * k]
            self.centroids = centroids(h[few], k, rng, None, iterations, nodes)
        else:
            rng = torch.Generator(device=h.device).manual_seed(seed)
            start = self.centroids if self.centroids.numel() else None
            self.centroids = centroids(h, k, rng, start, iterations, nodes)
        return self.centroids

    def _positives(self, r: Tensor, edge_index: Tensor) -> Positives:
        if self.config.saliency == "hard":
            s = torch.ones(edge_index.size(1), dtype=r.dtype, device=r.device)
        else:
            s = saliency(r if self.config.saliency_gradient else r.detach(), edge_index)
        return Positives(
            edge_index,
            s,
            averaged=self.config.average_neighbors,
            own_pair_twice=self._released,
            strata=r.detach().argmax(1),
        )

    def _homophily(self, r: Tensor, edge_index: Tensor) -> Tensor:
        loss = homophily_loss(r, edge_index)
        if not self._released:
            return loss
        edges = edge_index.size(1)
        return loss * (edges / (edges + r.size(0)))

"""HomoGCL: neighbors as positives, weighted by how surely they share a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.homophily.clusters import centroids, homophily_loss, saliency, soft_assignment, spread
from homogcl.homophily.positives import Positives
from homogcl.homophily.selection import most_modular
from homogcl.methods.base import Method
from homogcl.nn.encoders import move_target, target_of
from homogcl.nn.unit_rows import of_length

# What `variant="adaptive"` stands for; docs/homophily-study.md has the runs that speak for each.
ADAPTIVE: Mapping[str, object] = {
    "width": "clusters",
    "two_sigma_sq": 1.0,
    "clustered": "directions",
    "saliency_gradient": False,
    "one_each": True,
    "average_neighbors": True,
    "homophily_weight": 0.0,
}


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

    `variant="adaptive"` has nothing to be tuned to the scale of the embeddings or of the base's
    loss: clusters of directions, as wide as they are; S as plain weights, through which nothing is
    learned; and the base's own loss averaged over itself and its neighbors, which weigh as one
    together, in place of a sum in one logarithm and of a homophily loss.
    """

    name = "HomoGCL"
    expands_positives = False
    progress: Tensor  # share of the steps that are done, where `start_at` asks for it

    class Config(Config):
        """Settings of the plug-in."""

        # First, since what the others may be depends on it.
        variant: Literal["paper", "released", "adaptive"] = "paper"
        num_clusters: int = Field(default=10, ge=1)  # k
        choose_clusters: bool = False  # whether k is the most modular of 5, 10, ..., 30 instead
        two_sigma_sq: float = Field(default=1e-3, gt=0)  # 2σ² of Eq. (5), in the unit `width`
        width: Literal["fixed", "clusters"] = "fixed"  # 1, or a node's mean squared distance to c
        clustered: Literal["embeddings", "directions"] = "embeddings"  # what the clusters are of
        cluster_momentum: float = Field(default=0.0, ge=0, lt=1)  # of the encoder they are found by
        warm_start: bool = True  # whether k-means goes on from the last step's clusters
        start_at: float = Field(default=0.0, ge=0, lt=1)  # share of the steps without the plug-in
        homophily_weight: float = 1.0  # α
        neighbor_weight: float = 1.0  # β, for bases whose neighbor term stands apart
        kmeans_iterations: int = Field(default=20, ge=1)
        saliency: Literal["soft", "hard"] = "soft"
        saliency_scale: float = Field(default=1.0, ge=0, le=1)  # what S is multiplied by
        one_each: bool = False  # the base's loss averaged over positives, in place of their sum
        saliency_gradient: bool = True  # whether the encoder learns through S
        average_neighbors: bool = False  # a node's neighbors weigh as one (released, on Cora)

        @classmethod
        def settled_by(cls, given: Mapping[str, object]) -> Mapping[str, object]:
            """Return what the adaptive variant stands for, where it is given."""
            return ADAPTIVE if given.get("variant") == "adaptive" else {}

        @model_validator(mode="before")
        @classmethod
        def _adapt(cls, given: dict[str, object]) -> dict[str, object]:
            return {**cls.settled_by(given), **given}

        @field_validator(*ADAPTIVE)
        @classmethod
        def _agree(cls, value: object, about: ValidationInfo) -> object:
            settled = cls.settled_by(about.data).get(str(about.field_name), value)
            if value != settled:
                raise PydanticCustomError("settled", f"variant=adaptive has {settled!r}")
            return value

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
        # A copy of the base that follows it slowly; only its embeddings are used.
        self.slow = target_of(base) if config.cluster_momentum else None
        if config.start_at:
            self.register_buffer("progress", torch.zeros((), dtype=torch.float64))

    @staticmethod
    def check_base(base: Method | type[Method]) -> None:
        """Refuse, by name, a base that has no pair positives."""
        if not base.expands_positives:
            raise NoPairPositives(f"{base.name} has no pair positives for HomoGCL to expand")

    def check(self, nodes: int) -> None:
        """Refuse more clusters than nodes, and what the base refuses."""
        self.base.check(nodes)
        if self.config.num_clusters > nodes and not self.config.choose_clusters:
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
        if self.config.start_at and float(self.progress) < self.config.start_at:
            return self.base.objective(views.base)
        edge_index = views.graph.edge_index
        h = self._rows(self.base.embed(views.graph))
        c = self._centroids(self._clustered(h, views.graph), edge_index, views.cluster_seed)
        r = soft_assignment(h, c, self._two_sigma_sq(h, c))
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
        """Let the base follow the step, and its slow copy the base."""
        self.base.after_step(progress)
        if self.slow is not None:
            move_target(self.slow, self.base, self.config.cluster_momentum)
        if self.config.start_at:
            self.progress.fill_(progress)

    def assignment(self, graph: Data) -> Tensor:
        """Return R of the nodes of `graph` under the clusters of the last step, [N, k]."""
        if not self.centroids.numel():
            raise UserError("saliency needs clusters, which the first training step makes")
        h = self._rows(self.embed(graph))
        return soft_assignment(h, self.centroids, self._two_sigma_sq(h, self.centroids))

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

    def _rows(self, h: Tensor) -> Tensor:
        return h if self.config.clustered == "embeddings" else of_length(h, 1.0)

    def _clustered(self, h: Tensor, graph: Data) -> Tensor:
        """Return the rows whose clusters are looked for, without a gradient, [N, d]."""
        if self.slow is None:
            return h.detach()
        with torch.no_grad():
            return self._rows(self.slow.embed(graph))

    def _two_sigma_sq(self, h: Tensor, c: Tensor) -> float | Tensor:
        unit = 1.0 if self.config.width == "fixed" else spread(h, c, self.sharing.nodes)
        return self.config.two_sigma_sq * unit

    def _centroids(self, h: Tensor, edge_index: Tensor, seed: int) -> Tensor:
        k, iterations = self.config.num_clusters, self.config.kmeans_iterations
        nodes = self.sharing.nodes
        rng = torch.Generator(device=h.device).manual_seed(1234 if self._released else seed)
        if self._released:
            few = torch.randperm(h.size(0), generator=rng, device=h.device)[: 256 * k]
            self.centroids = centroids(h[few], k, rng, None, iterations, nodes)
        elif self.config.warm_start and self.centroids.numel():
            start = self.centroids
            self.centroids = centroids(h, len(start), rng, start, iterations, nodes)
        elif self.config.choose_clusters:
            found = most_modular(h, edge_index, rng, max_iterations=iterations, ranks=nodes)
            self.centroids = found.centroids
        else:
            self.centroids = centroids(h, k, rng, None, iterations, nodes)
        return self.centroids

    def _positives(self, r: Tensor, edge_index: Tensor) -> Positives:
        if self.config.saliency == "hard":
            s = torch.ones(edge_index.size(1), dtype=r.dtype, device=r.device)
        else:
            s = saliency(r if self.config.saliency_gradient else r.detach(), edge_index)
        return Positives(
            edge_index,
            s * self.config.saliency_scale,
            one_each=self.config.one_each,
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

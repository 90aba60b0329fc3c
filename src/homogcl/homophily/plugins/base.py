"""What the plug-ins share: they pass the contract on to a base and keep clusters between steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.homophily.clusters import centroids
from homogcl.homophily.positives import CannotCombine, Combine, Positives
from homogcl.homophily.saliency import saliency
from homogcl.methods.base import Method


class NoPairPositives(UserError):
    """The base method has no positive pairs that neighbors could join."""


@dataclass(frozen=True)
class HomoViews:
    """What one step of the base drew, the clean graph, and a seed for the clusters' start."""

    base: Any
    graph: Data
    cluster_seed: int


class ClusterConfig(Config):
    """The setting that every plug-in has."""

    num_clusters: int = Field(default=10, ge=1)  # k


class NeighborPlugin(Method):
    """A base method whose positives are joined by neighbors.

    A plug-in writes `objective`: from the embeddings of the clean graph to clusters, to weights of
    the edges, to the base's own objective with those edges as positives. All else is here.
    """

    ways: ClassVar[tuple[Combine, ...]]  # of which the first is taken that the base can do
    presets: ClassVar[str] = "homogcl"  # the plug-in whose presets are shared

    def __init__(self, base: Method, config: ClusterConfig | None = None, **settings: Any) -> None:
        """Put the plug-in on `base`.

        Args:
            base: A method that takes positives.
            config: Settings of the plug-in.
            **settings: The same by name, where there is no `config`.
        """
        super().__init__()
        self.config: ClusterConfig = config or self.Config(**settings)  # type: ignore[assignment]
        self.check_base(base, self.config)
        self.base = base
        self.combine = self.combine_on(base, self.config)
        self.name = f"{base.name}+{type(self).name}"
        self.training_data = base.training_data
        self.transductive = base.transductive
        self.takes_batches = base.takes_batches
        self.centroids = torch.empty(0)  # of the last step, [k, d]; where the next one starts

    @classmethod
    def combine_on(
        cls, base: Method | type[Method], config: ClusterConfig | None = None
    ) -> Combine:
        """Return how neighbors enter the loss of `base`; one that cannot do it is refused."""
        if not base.combines:
            raise NoPairPositives(f"{base.name} has no pair positives for {cls.name} to expand")
        ways = cls.ways_of(config)
        for way in ways:
            if way in base.combines:
                return way
        can = ", ".join(sorted(base.combines))
        raise CannotCombine(
            f"{base.name} takes neighbors by {can}, {cls.name} by {', '.join(ways)}: "
            "take another plug-in, such as +homogcl, or another base, such as grace"
        )

    @classmethod
    def ways_of(cls, config: ClusterConfig | None) -> tuple[Combine, ...]:
        """Return how neighbors may enter a loss under these settings, the best way first."""
        return cls.ways

    @classmethod
    def check_base(cls, base: Method | type[Method], config: ClusterConfig | None = None) -> None:
        """Refuse, by name, a base that the plug-in cannot expand, or settings without effect on it.

        Args:
            base: A method, or its class.
            config: Settings of the plug-in, where they are known.
        """
        cls.combine_on(base, config)

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
        """Return the base's views beside the clean graph."""
        seed = torch.randint(2**31, (1,), generator=rng, device=rng.device)
        return HomoViews(self.base.views(graph, rng), graph, int(seed))

    def term_weights(self) -> dict[str, float]:
        """Return the base's own weights."""
        return self.base.term_weights()

    def embed(self, graph: Data) -> Tensor:
        """Return the base's embeddings."""
        return self.base.embed(graph)

    def after_step(self, progress: float) -> None:
        """Let the base follow the step."""
        self.base.after_step(progress)

    def edge_scores(self, graph: Data) -> Tensor | None:
        """Return S of each edge of `graph` under the clusters of the last step, [E]."""
        r = self.assignment(graph)
        return None if r is None else saliency(r, graph.edge_index)

    def get_extra_state(self) -> Tensor:
        """Return the centroids, a part of the state that has no size before the first step."""
        return self.centroids

    def set_extra_state(self, state: Tensor) -> None:
        """Take the centroids back."""
        self.centroids = state

    def expanded(self, views: HomoViews, r: Tensor, weight: Tensor) -> dict[str, Tensor]:
        """Return the base's terms with the edges as positives.

        Args:
            views: What the step drew.
            r: Soft assignments of the nodes, [N, k].
            weight: How positive each edge is, [E].
        """
        pairs = Positives(views.graph.edge_index, weight, combine=self.combine)
        drawn = self.base.stratify(views.base, r.detach().argmax(1))
        return self.base.objective(drawn, pairs)

    def next_centroids(self, h: Tensor, seed: int) -> Tensor:
        """Return the centroids of `h` by k-means, started from the last step's, [k, d]."""
        rng = torch.Generator(device=h.device).manual_seed(seed)
        start = self.centroids if self.centroids.numel() else None
        k = self.config.num_clusters
        self.centroids = centroids(h, k, rng, start, ranks=self.sharing.nodes)
        return self.centroids

"""The base class of the plug-ins: it calls the base method and keeps clusters between steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.core.seeds import branch
from homogcl.homophily.clusters import centroids, spread
from homogcl.homophily.positives import CannotCombine, Combine, Positives, Taken
from homogcl.homophily.running_clusters import RunningClusters
from homogcl.homophily.saliency import saliency
from homogcl.homophily.standing import StandingWeights
from homogcl.methods.base import Method, Terms
from homogcl.nn.sparse import Pattern, with_pattern


class NoPairPositives(UserError):
    """The base method has no positive pairs for neighbors to join."""


@dataclass(frozen=True)
class HomoViews:
    """The base's views of one step, the clean graph, and a seed for k-means."""

    base: Any
    graph: Data
    cluster_seed: int


class ClusterNumber(Config):
    """How many clusters there are."""

    num_clusters: int = Field(default=10, ge=1)  # k


class ClusterConfig(ClusterNumber):
    """The settings that all plug-ins share."""

    refresh: int = Field(default=1, ge=1)  # steps from one weighing of the edges to the next


class NeighborPlugin(Method):
    """A base method with neighbors as further positives.

    A plug-in only writes `weigh`: it clusters the embeddings of the clean graph and weighs the
    edges, which the base's own objective then takes as positives. With `refresh=n` it does so at
    every n-th step on the whole graph; the weights stand in between, and its own terms count n
    times. Batches differ from step to step, so that their edges are weighed at each.
    """

    ways: ClassVar[tuple[Combine, ...]]  # in order of preference; the base takes the first it can
    presets: ClassVar[str] = "homogcl"  # the plug-in whose presets this one shares
    taken: Taken = Taken.ALL  # which neighbors a mean takes

    def __init__(self, base: Method, config: ClusterConfig | None = None, **settings: Any) -> None:
        """Put the plug-in on `base`.

        Args:
            base: A method that takes positives.
            config: Settings of the plug-in.
            **settings: The same by name, instead of `config`.
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
        self.follows_progress = base.follows_progress
        self.centroids = torch.empty(0)  # of the last step, [k, d]; the next step starts from them
        self.standing = StandingWeights(self.config.refresh)
        self.running: RunningClusters | None = None  # of a training by batches

    @classmethod
    def combine_on(
        cls, base: Method | type[Method], config: ClusterConfig | None = None
    ) -> Combine:
        """Return how neighbors enter the loss of `base`; refuse a base that has no such way."""
        if not base.combines:
            raise NoPairPositives(f"{base.name} has no pair positives for {cls.name} to expand")
        ways = cls.ways_of(config)
        for way in ways:
            if way in base.combines:
                return way
        base_ways = ", ".join(sorted(base.combines))
        raise CannotCombine(
            f"{base.name} takes neighbors by {base_ways}, {cls.name} by {', '.join(ways)}: "
            "take another plug-in, such as +homogcl, or another base, such as grace"
        )

    @classmethod
    def ways_of(cls, config: ClusterConfig | None) -> tuple[Combine, ...]:
        """Return the ways in which neighbors may enter a loss, in order of preference."""
        return cls.ways

    @classmethod
    def check_base(cls, base: Method | type[Method], config: ClusterConfig | None = None) -> None:
        """Refuse, by name, a base that does not fit the plug-in, or settings without effect on it.

        Args:
            base: A method, or its class.
            config: Settings of the plug-in, if the caller has them.
        """
        cls.combine_on(base, config)

    def check(self, nodes: int) -> None:
        """Refuse more clusters than nodes, and let the base check its own settings."""
        self.base.check(nodes)
        if self.config.num_clusters > nodes:
            raise UserError(
                f"num_clusters={self.config.num_clusters} is more than the {nodes} nodes of a step"
            )

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Let the base prepare, and remember which edges are those of the whole graph."""
        self.base.prepare(graph, rng)
        self.standing.begin(graph.edge_index)

    def views(self, graph: Data, rng: torch.Generator) -> HomoViews:
        """Return the base's own views, the clean graph, and a seed that costs `rng` no draw."""
        seed = branch(rng, "clusters")
        return HomoViews(self.base.views(graph, rng), with_pattern(graph), seed)

    def objective(self, views: HomoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the base's terms with the edges as positives, and the plug-in's own terms."""
        edges = views.graph.edge_index
        weight = self.standing.next_of(edges)
        if weight is not None:
            return self.expanded(views, weight)
        weight, own_terms = self.weigh(views)
        steps = self.standing.keep(edges, weight)
        terms = self.expanded(views, weight)
        return {**terms, **{name: steps * term for name, term in own_terms().items()}}

    def weigh(self, views: HomoViews) -> tuple[Tensor, Callable[[], Terms]]:
        """Return how positive each edge of the clean graph is, [E], and the plug-in's own terms.

        These are computed after the base's: the order of terms decides that of sums of gradients.
        """
        raise NotImplementedError

    def term_weights(self) -> dict[str, float]:
        """Return the base's own weights."""
        return self.base.term_weights()

    def embed(self, graph: Data) -> Tensor:
        """Return the base's embeddings."""
        return self.base.embed(graph)

    def layer_outputs(self, graph: Data) -> list[Tensor]:
        """Return those of the base."""
        return self.base.layer_outputs(graph)

    def after_step(self, progress: float) -> None:
        """Let the base follow the step."""
        self.base.after_step(progress)

    def edge_scores(self, graph: Data, seed: int = 0) -> Tensor | None:
        """Return S of each edge of `graph` under the clusters of the last step, [E]."""
        r = self.assignment(graph)
        return None if r is None else saliency(r, graph.edge_index)

    def get_extra_state(self) -> Tensor:
        """Return the clusters, which have no fixed size and so cannot be a buffer."""
        return self.centroids if self.running is None else self.running.packed()

    def set_extra_state(self, state: Tensor) -> None:
        """Restore the clusters; those of batches have three axes."""
        self.running = RunningClusters.unpacked(state) if state.dim() == 3 else None
        self.centroids = state if self.running is None else self.running.centroids

    def expanded(self, views: HomoViews, weight: Tensor) -> dict[str, Tensor]:
        """Return the base's terms with the edges as positives, each by its weight, [E]."""
        graph = views.graph
        pattern = Pattern.of_graph(graph)
        pairs = Positives(
            graph.edge_index, weight, combine=self.combine, taken=self.taken, pattern_hint=pattern
        )
        return self.base.objective(views.base, pairs)

    def next_centroids(self, h: Tensor, seed: int) -> Tensor:
        """Return the k-means centroids of `h`, starting from those of the last step, [k, d].

        Where a step sees a batch, they are those of all batches so far, see `running_clusters`.
        """
        rng = torch.Generator(device=h.device).manual_seed(seed)
        start = self.centroids if self.centroids.numel() else None
        k, ranks = self.config.num_clusters, self.sharing.nodes
        if not self.sharing.whole:
            self.running = None
            self.centroids = centroids(h, k, rng, start, ranks=ranks)
            return self.centroids
        if self.running is None:
            self.running = RunningClusters.begin(centroids(h, k, rng, start, ranks=ranks))
        self.running = self.running.after(h, self.sharing.whole, ranks)
        self.centroids = self.running.centroids
        return self.centroids

    def spread_around(self, h: Tensor, c: Tensor) -> Tensor:
        """Return the mean squared distance of embeddings [N, d] to the nearest of centroids [k, d].

        Where a step sees a batch, it is that of all batches so far.
        """
        if self.sharing.whole and self.running is not None:
            return self.running.spread
        return spread(h, c, self.sharing.nodes)

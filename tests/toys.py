"""Methods small enough to be understood at a glance."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.homophily.positives import Positives
from homogcl.methods.base import Method, Sizes


class Toy(Method):
    """One linear map with dropout that is pulled towards noise; it remembers what it was given."""

    name = "Toy"

    def __init__(self, sizes: Sizes, weights: dict[str, float] | None = None) -> None:
        """Start at ones; `weights` are those of the terms."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(sizes.features, 2))
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
        self.dropout = nn.Dropout(0.5)
        self.weights = weights or {}
        self.graphs: list[Data] = []
        self.progress: list[float] = []

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Remember the graph."""
        self.graphs.append(graph)

    def views(self, graph: Data, rng: torch.Generator) -> tuple[Data, Tensor]:
        """Return the graph and noise."""
        self.graphs.append(graph)
        return graph, torch.randn(int(graph.num_nodes or 0), 2, generator=rng)

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        """Return the distance to the noise and the size of the weights."""
        graph, noise = views
        distance = (self.dropout(self.embed(graph)) - noise).square().mean()
        return {"distance": distance, "size": self.weight.square().sum()}

    def term_weights(self) -> dict[str, float]:
        """Return the given weights."""
        return self.weights

    def embed(self, graph: Data) -> Tensor:
        """Return the mapped features, [N, 2]."""
        z: Tensor = graph.x @ self.weight * self.frozen
        return z

    def after_step(self, progress: float) -> None:
        """Remember the progress."""
        self.progress.append(progress)


class Supervised(Toy):
    """The same, and it may see labels."""

    training_data = "X, A, Y"


class Fixed(Method):
    """Nothing to train."""

    name = "Fixed"
    Config: ClassVar[type[Config]] = Config

    def embed(self, graph: Data) -> Tensor:
        """Return the features, [N, d]."""
        x: Tensor = graph.x
        return x


class Breaking(Toy):
    """Its term or its gradient is not finite from step 3 on."""

    def __init__(self, sizes: Sizes, where: str) -> None:
        """Break in the "loss" or in the "gradient"."""
        super().__init__(sizes)
        self.where = where

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        """Return good terms twice, then bad ones."""
        terms = super().objective(views)
        if len(self.progress) < 2:
            return terms
        if self.where == "loss":
            return {**terms, "distance": terms["distance"] * torch.nan}
        # The square root's slope at 0 is infinite.
        return {**terms, "size": (self.weight * 0).abs().sqrt().sum()}

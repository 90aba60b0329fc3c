"""A method that keeps the contract, and methods that each break one promise of it."""

import random

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from docs.template.masked import Masked
from homogcl.core.config import Config
from homogcl.homophily.positives import Combine, Positives
from homogcl.methods.registry import Method, Sizes
from homogcl.nn.encoders import Encoder, EncoderConfig


class Linear(Method):
    """One linear map that is pulled to the mean of its noisy copy."""

    name = "Linear"

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(sizes.features, 4))

    def views(self, graph: Data, rng: torch.Generator) -> tuple[Data, Tensor]:
        return graph, 0.1 * torch.randn(4, generator=rng)

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        graph, noise = views
        return {"distance": (self.embed(graph) - noise).square().mean()}

    def embed(self, graph: Data) -> Tensor:
        z: Tensor = graph.x @ self.weight
        return z


class ChangesTheGraph(Linear):
    """It scales the features in place."""

    def embed(self, graph: Data) -> Tensor:
        graph.x.mul_(0.5)
        return super().embed(graph)


class DrawsInEmbed(Linear):
    """Its embeddings are noisy."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) + torch.randn(4)


class LeavesAParameter(Linear):
    """One of its parameters is never used."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.unused = nn.Parameter(torch.ones(3))


class Climbs(Linear):
    """It maximizes what it should minimize."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        distance = super().objective(views)["distance"]
        return {"distance": 2 * distance.detach() - distance}


class Lucky(Linear):
    """Its loss is what it draws, and it learns nothing."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        return {"distance": views[1].abs().mean() + 0 * self.weight.sum()}


class CountsNodes(Linear):
    """A node's number is part of its embedding."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) + torch.arange(graph.num_nodes)[:, None]


class Forgets(Linear):
    """Something that it learned is not in its state."""

    scale = 1.0

    def after_step(self, progress: float) -> None:
        self.scale = 1.0 + progress

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) * self.scale


class Gambles(Linear):
    """It draws from a generator that nobody seeds."""

    def views(self, graph: Data, rng: torch.Generator) -> tuple[Data, Tensor]:
        return graph, random.SystemRandom().random() * torch.ones(4)


class Vector(Linear):
    """Its term is no scalar."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        return {"distance": super().objective(views)["distance"][None]}


class Dense(Linear):
    """It cannot read sparse features."""

    def embed(self, graph: Data) -> Tensor:
        z: Tensor = graph.x.view(-1, 16) @ self.weight
        return z


class Centered(nn.Module):
    """The rows less their mean: a row's result depends on the others."""

    def forward(self, x: Tensor) -> Tensor:
        return x - x.mean(0)


class MindsBlocks(Linear):
    """It embeds blocks of nodes differently."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.encoder = Encoder(EncoderConfig(num_layers=1, out_dim=4), sizes.features)
        self.encoder.tails[0] = Centered()

    def embed(self, graph: Data) -> Tensor:
        z: Tensor = super().embed(graph) + self.encoder(graph)
        return z


class ForgetsALayer(Linear):
    """Its layers end before its embeddings."""

    def layer_outputs(self, graph: Data) -> list[Tensor]:
        return [graph.x]


class Undocumented(Linear):
    __doc__ = "no sentence"


class Detached(Masked):
    """It claims pair positives, but no gradient flows through its embeddings."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph).detach()


class TakesAnything(Linear):
    """It says that it sums neighbors, and takes them in any other way as well."""

    combines = frozenset({Combine.SUM})

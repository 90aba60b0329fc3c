"""The contract of all methods, on which the trainer, the plug-ins and the tests rely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.distributed import Sharing
from homogcl.homophily.positives import CannotCombine, Combine, Positives
from homogcl.nn.encoders import Encoder, hidden_outputs

Terms: TypeAlias = dict[str, Tensor]  # the named scalars of an objective


@dataclass(frozen=True)
class Sizes:
    """The sizes of a graph that a method needs to build its parameters."""

    nodes: int
    features: int
    classes: int = 0

    @classmethod
    def of(cls, graph: Data) -> Sizes:
        """Return the sizes of `graph`."""
        classes = int(graph.y.max()) + 1 if graph.y is not None and graph.y.numel() else 0
        return cls(int(graph.num_nodes or 0), graph.num_features, classes)


class Method(nn.Module):
    """A way to learn node embeddings from a graph."""

    name: str  # as the paper prints it
    training_data: str = "X, A"  # what it learns from: features, adjacency, labels (Y)
    Config: ClassVar[type[Config]] = Config
    combines: frozenset[Combine] = frozenset()  # how `objective` takes neighbor pairs, if it does
    transductive: bool = False  # whether `embed` works on the training graph only
    takes_batches: bool = True  # whether a step may take a part of the training graph
    follows_progress: bool = False  # whether `after_step` depends on the share of epochs done
    encoder: Encoder  # of methods whose embeddings are its output
    sharing: Sharing = Sharing()  # what the processes of the current training share; see `share`

    def check(self, nodes: int) -> None:
        """Refuse settings that do not fit steps of `nodes` nodes, before any work is done."""

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Compute what depends on the graph alone, once before training."""

    def share(self, sharing: Sharing) -> None:
        """Set what the processes of a training share, also for methods that this one wraps."""
        for module in self.modules():
            if isinstance(module, Method):
                module.sharing = sharing

    def views(self, graph: Data, rng: torch.Generator) -> Any:
        """Draw everything random of one step and return it, in a type of the method's own."""
        return graph

    def objective(self, views: Any, positives: Positives = Positives.none()) -> Terms:
        """Return the named scalars to minimize; their weighted sum is the loss."""
        return {}

    def accept(self, positives: Positives) -> Positives:
        """Return `positives`; refuse, by name, a way of combining them that is not declared."""
        if positives.is_empty or positives.combine in self.combines:
            return positives
        ways = ", ".join(sorted(self.combines)) or "nothing"
        raise CannotCombine(f"{self.name} combines neighbors by {ways}, not by {positives.combine}")

    def term_weights(self) -> dict[str, float]:
        """Return the weights of the terms of the objective; terms without one have weight 1."""
        return {}

    def embed(self, graph: Data) -> Tensor:
        """Return the embeddings of the clean graph, [N, d']: differentiable, nothing random.

        By default they are the encoder's output.
        """
        if not hasattr(self, "encoder"):
            raise NotImplementedError(f"{self.name} has neither an encoder nor its own `embed`")
        h: Tensor = self.encoder(graph)
        return h

    def layer_outputs(self, graph: Data) -> list[Tensor]:
        """Return the outputs of all layers, each [N, d''], the last of which is `embed(graph)`.

        By default the others are those of the hidden layers of the encoders that `embed` uses.
        """
        with hidden_outputs(self) as outputs:
            z = self.embed(graph)
        return [*outputs, z]

    def predict(self, graph: Data) -> Tensor:
        """Return the logits of the classes, [N, C]; only supervised methods have them."""
        raise NotImplementedError(f"{self.name} learns from no labels")

    def assignment(self, graph: Data) -> Tensor | None:
        """Return how much each node belongs to each cluster, [N, k]; None without clusters."""
        return None

    def edge_scores(self, graph: Data, seed: int = 0) -> Tensor | None:
        """Return how likely the nodes of each edge belong together, [E]; None without scores.

        What is random about them comes from the root seed.
        """
        return None

    def after_step(self, progress: float) -> None:
        """Update state after an optimizer step; `progress` runs from 0 to 1 over the training."""


def total(terms: Terms, weights: dict[str, float]) -> Tensor:
    """Return the weighted sum of an objective's terms."""
    return torch.stack([weights.get(name, 1.0) * term for name, term in terms.items()]).sum()

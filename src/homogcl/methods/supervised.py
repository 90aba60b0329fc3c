"""The base class of the supervised baselines: a network with dropout, its loss, its best state."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.homophily.positives import Positives
from homogcl.methods.base import Method, Sizes
from homogcl.nn.dropout import dropped
from homogcl.nn.encoders import Activation, activation


class SupervisedConfig(Config):
    """Settings of all supervised networks."""

    num_layers: int = Field(default=2, ge=2)
    hidden_dim: int = Field(default=16, ge=1)
    input_dropout: float = Field(default=0.5, ge=0, lt=1)  # of the features
    dropout: float = Field(default=0.5, ge=0, lt=1)  # of each hidden layer
    norm: Literal["none", "batch"] = "none"
    # Weight of ½‖W‖² of the first layer; the trainer's weight decay applies to all layers.
    first_layer_decay: float = Field(default=0.0, ge=0)


def layer_sizes(config: SupervisedConfig, sizes: Sizes) -> list[tuple[int, int]]:
    """Return the input and output width of each layer, from the features to the classes."""
    if sizes.classes == 0:
        raise UserError("a supervised method needs labels, and the graph has none")
    dims = [sizes.features, *[config.hidden_dim] * (config.num_layers - 1), sizes.classes]
    return list(itertools.pairwise(dims))


class Network(nn.Module):
    """Layers with dropout before each; the last one gives the logits."""

    def __init__(
        self,
        layers: Sequence[nn.Module],
        structure: Callable[[Data], Any],
        hidden_dim: int,
        config: SupervisedConfig,
        activation_name: Activation = "relu",
    ) -> None:
        """Put norm, activation and dropout behind each hidden layer, of `hidden_dim` numbers.

        Layers are modules of the nodes' rows and of what `structure` computes of a graph.
        """
        super().__init__()
        self.structure = structure
        self.layers = nn.ModuleList(layers)
        self.tails = nn.ModuleList()
        for _ in layers[:-1]:
            tail = nn.Sequential(activation(activation_name), nn.Dropout(config.dropout))
            if config.norm == "batch":
                tail.insert(0, nn.BatchNorm1d(hidden_dim))
            self.tails.append(tail)
        self.input_dropout = config.input_dropout

    def forward(self, graph: Data) -> Tensor:
        """Return the logits of the nodes, [N, C]."""
        shared = self.structure(graph)
        logits: Tensor = self.layers[-1](self._hidden(graph, shared)[-1], shared)
        return logits

    def hidden(self, graph: Data) -> list[Tensor]:
        """Return the outputs of all layers but the last, each [N, hidden_dim]."""
        return self._hidden(graph, self.structure(graph))

    def _hidden(self, graph: Data, shared: Any) -> list[Tensor]:
        h = dropped(graph.x, self.input_dropout) if self.training else graph.x
        outputs = []
        for layer, tail in zip(self.layers, self.tails, strict=False):
            h = tail(layer(h, shared))
            outputs.append(h)
        return outputs


class Supervised(Method):
    """A network that learns the labels of the training nodes.

    The loss is the mean cross-entropy over the training nodes, plus λ/2 ‖W‖² of the first layer's
    matrices with λ = `first_layer_decay`. After each step the network is scored on the validation
    nodes, and a copy of the best one is kept: higher accuracy, or the same accuracy and a lower
    loss. `predict` and `embed` use the copy. Training never stops early, so all epochs compete;
    no test label is read.
    """

    takes_batches = False  # each step is scored on all validation nodes
    best_accuracy: Tensor
    best_loss: Tensor

    def __init__(self, config: SupervisedConfig, network: Network) -> None:
        super().__init__()
        self.config = config
        self.network = network
        self.best = copy.deepcopy(network).requires_grad_(False).eval()
        self.register_buffer("best_accuracy", torch.tensor(-1.0))
        self.register_buffer("best_loss", torch.tensor(torch.inf))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Keep the graph, whose validation nodes decide among the epochs."""
        for key, use in (("train_mask", "learn from"), ("val_mask", "choose the epoch by")):
            if key not in graph or not bool(graph[key].any()):
                raise UserError(f"{self.name} needs labeled nodes to {use}: {key} has none")
        self._graph = graph

    def objective(self, views: Data, positives: Positives = Positives.none()) -> dict[str, Tensor]:
        """Return the cross-entropy on the training nodes, and the first layer's decay if any."""
        logits = self.network(views)
        mask = views.train_mask
        terms = {"classification": cross_entropy(logits[mask], views.y[mask])}
        if self.config.first_layer_decay > 0:
            matrices = [p for p in self.network.layers[0].parameters() if p.dim() > 1]
            terms["decay"] = torch.stack([p.square().sum() / 2 for p in matrices]).sum()
        return terms

    def term_weights(self) -> dict[str, float]:
        """Return λ."""
        return {"decay": self.config.first_layer_decay}

    @torch.no_grad()
    def after_step(self, progress: float) -> None:
        """Keep the network if it is the best one on the validation nodes so far."""
        mask = self._graph.val_mask
        training = self.network.training
        logits = self.network.eval()(self._graph)[mask]
        self.network.train(training)
        y = self._graph.y[mask]
        accuracy = (logits.argmax(dim=1) == y).float().mean()
        loss = cross_entropy(logits, y)
        same = bool(accuracy == self.best_accuracy)
        if bool(accuracy > self.best_accuracy) or (same and bool(loss < self.best_loss)):
            self.best_accuracy.copy_(accuracy)
            self.best_loss.copy_(loss)
            self.best.load_state_dict(self.network.state_dict())

    def predict(self, graph: Data) -> Tensor:
        """Return the logits of the nodes by the best network, [N, C]."""
        logits: Tensor = self.best(graph)
        return logits

    def embed(self, graph: Data) -> Tensor:
        """Return the last hidden layer of the best network, [N, hidden_dim]."""
        return self.best.hidden(graph)[-1]

    def layer_outputs(self, graph: Data) -> list[Tensor]:
        """Return all hidden layers of the best network, each [N, hidden_dim]."""
        return self.best.hidden(graph)

    def train(self, mode: bool = True) -> Self:
        """Set the mode of all but the best network, which stays in evaluation mode."""
        super().train(mode)
        self.best.eval()
        return self

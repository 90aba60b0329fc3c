"""Networks from a graph to node embeddings, and the small heads that objectives put on top."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal, Self, TypeVar

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.nn.activations import PReLU
from homogcl.nn.computation import (
    AtOnce,
    Collected,
    Computation,
    DroppedInput,
    InBlocks,
    SharedInput,
    ViewParts,
)
from homogcl.nn.layers import DenseLayer, GATLayer, GCNLayer, Layer, SAGELayer, Structure

Activation = Literal["relu", "prelu", "elu", "selu", "leaky"]
Network = TypeVar("Network", bound=nn.Module)


class EncoderConfig(Config):
    """The choices in which the published encoders differ."""

    encoder: Literal["gcn", "gat", "sage", "mlp"] = "gcn"
    num_layers: int = Field(default=2, ge=1)
    hidden_dim: int = Field(default=512, ge=1)
    out_dim: int = Field(default=256, ge=1)
    activation: Activation = "relu"
    last_activation: bool = False  # whether norm and activation follow the last layer too
    norm: Literal["none", "batch", "layer"] = "none"
    norm_momentum: float = Field(default=0.1, gt=0, le=1)  # torch's: the newest batch's share
    heads: int = Field(default=4, ge=1)  # attention heads of each hidden GAT layer
    recompute: bool = False  # whether backward computes hidden layers again instead of keeping them

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        if self.encoder == "gat" and self.num_layers > 1 and self.hidden_dim % self.heads:
            raise ValueError(f"hidden_dim={self.hidden_dim} is no multiple of heads={self.heads}")
        return self

    @model_validator(mode="after")
    def _norm_fits(self) -> Self:
        if self.recompute and self.norm == "batch":
            raise ValueError("recompute would count each batch twice in the running norm=batch")
        return self


def activation(name: Activation) -> nn.Module:
    """Return a new activation; `leaky` is the mean slope of RReLU, as GCA's code computes it."""
    slope = (1 / 8 + 1 / 3) / 2
    # In place: nothing needs the output of a layer or a norm once it is cut off at zero.
    modules = {
        "relu": nn.ReLU(inplace=True),
        "prelu": PReLU(),
        "elu": nn.ELU(),
        "selu": nn.SELU(),
        "leaky": nn.LeakyReLU(slope),
    }
    return modules[name]


class Encoder(nn.Module):
    """A stack of layers over one graph: layer, norm and activation, the last one plain or not.

    Attributes:
        computation: How the layers are computed; see `in_blocks`, `shared_inputs`,
            `dropped_inputs` and `hidden_outputs`.
    """

    def __init__(self, config: EncoderConfig, num_features: int) -> None:
        """Build the layers that `config` describes for `num_features` input columns."""
        super().__init__()
        dims = [num_features, *[config.hidden_dim] * (config.num_layers - 1), config.out_dim]
        layer = _LAYERS[config.encoder]
        self.recompute = config.recompute
        self.structure: Callable[[Data], Structure] = (
            layer.structure
        )  # what layers share of a graph
        self.computation: Computation = AtOnce()
        norm = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm}
        self.layers = nn.ModuleList()
        self.tails = nn.ModuleList()
        for index, (fan_in, fan_out) in enumerate(itertools.pairwise(dims)):
            last = index == config.num_layers - 1
            heads = config.heads if config.encoder == "gat" and not last else 1
            self.layers.append(layer(fan_in, fan_out, heads))
            tail = nn.Sequential()
            if not last or config.last_activation:
                if config.norm == "batch":
                    tail.append(norm["batch"](fan_out, momentum=config.norm_momentum))
                elif config.norm == "layer":
                    tail.append(norm["layer"](fan_out))
                tail.append(activation(config.activation))
            self.tails.append(tail)

    def forward(self, graph: Data) -> Tensor:
        """Return the embeddings of the nodes of `graph`, [N, out_dim]."""
        if not (self.recompute and torch.is_grad_enabled()):
            return self._encode(graph)
        h: Tensor = checkpoint(self._encode, graph, use_reentrant=False)
        return h

    def _encode(self, graph: Data) -> Tensor:
        h: Tensor | None = None
        structure = self.structure(graph)
        for layer, tail in zip(self.layers, self.tails, strict=True):
            assert isinstance(layer, Layer)
            h = self.computation.output(layer, tail, h, structure, graph)
        assert h is not None  # an encoder has a layer at least
        return h


@contextmanager
def in_blocks(network: nn.Module, block: int) -> Iterator[None]:
    """Let the encoders inside `network` compute each layer for `block` nodes at a time.

    In evaluation mode the results are the same.
    """
    with _computing(_encoders(network), lambda _: InBlocks(block)):
        yield


@contextmanager
def shared_inputs(network: nn.Module) -> Iterator[None]:
    """Let the views that an encoder inside `network` sees share the first layer's product.

    What encoders need of a view is computed once for all of them.

    Use it for one step: the products are gone at its end.
    """
    # Backward computes the layers of the others again, by then without these products.
    encoders = [encoder for encoder in _encoders(network) if not encoder.recompute]
    parts = ViewParts()
    kinds = [encoder.structure for encoder in encoders]
    for encoder, kind in zip(encoders, kinds, strict=True):
        encoder.structure = partial(parts.structure, kind)
    try:
        with _computing(encoders, lambda _: SharedInput(parts)):
            yield
    finally:
        for encoder, kind in zip(encoders, kinds, strict=True):
            encoder.structure = kind


@contextmanager
def dropped_inputs(network: nn.Module, rate: float, rng: torch.Generator) -> Iterator[None]:
    """Let the encoders inside `network` drop numbers before each layer, by draws of `rng`.

    Outside nothing is dropped, whatever the mode: embeddings have nothing random.
    """
    with _computing(_encoders(network), lambda each: DroppedInput(each.computation, rate, rng)):
        yield


@contextmanager
def hidden_outputs(network: nn.Module) -> Iterator[list[Tensor]]:
    """Collect the outputs of all hidden layers that the encoders inside `network` compute."""
    outputs: list[Tensor] = []

    def collected(encoder: Encoder) -> Computation:
        last = encoder.layers[-1]
        assert isinstance(last, Layer)
        return Collected(encoder.computation, last, outputs)

    with _computing(_encoders(network), collected):
        yield outputs


@contextmanager
def _computing(
    encoders: list[Encoder], computation: Callable[[Encoder], Computation]
) -> Iterator[None]:
    before = [encoder.computation for encoder in encoders]
    for encoder in encoders:
        encoder.computation = computation(encoder)
    try:
        yield
    finally:
        for encoder, usual in zip(encoders, before, strict=True):
            encoder.computation = usual


def _encoders(network: nn.Module) -> list[Encoder]:
    return [module for module in network.modules() if isinstance(module, Encoder)]


_LAYERS: dict[str, type[GCNLayer | SAGELayer | DenseLayer | GATLayer]] = {
    "gcn": GCNLayer,
    "sage": SAGELayer,
    "mlp": DenseLayer,
    "gat": GATLayer,
}


def projector(dim: int, hidden_dim: int) -> nn.Module:
    """Return GRACE's projection head; no hidden width means no head at all."""
    if hidden_dim == 0:
        return nn.Identity()
    return nn.Sequential(nn.Linear(dim, hidden_dim), nn.ELU(), nn.Linear(hidden_dim, dim))


def predictor(dim: int, hidden_dim: int) -> nn.Module:
    """Return BGRL's prediction head."""
    return nn.Sequential(nn.Linear(dim, hidden_dim), PReLU(), nn.Linear(hidden_dim, dim))


def target_of(online: Network) -> Network:
    """Return a copy of `online` that no optimizer moves."""
    return copy.deepcopy(online).requires_grad_(False)


@torch.no_grad()
def move_target(target: nn.Module, online: nn.Module, decay: float) -> None:
    """Move the target's parameters by an exponential moving average: φ ← decay·φ + (1-decay)·ξ."""
    for held, live in zip(target.parameters(), online.parameters(), strict=True):
        held.lerp_(live, 1 - decay)

"""Networks from a graph to node embeddings, and the small heads that objectives put on top."""

from __future__ import annotations

import copy
import itertools
from typing import Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from homogcl.config import Config
from homogcl.sparse import Pattern, Sparse, product, sparse

Activation = Literal["relu", "prelu", "elu", "leaky"]


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

    @model_validator(mode="after")
    def _heads_fit(self) -> Self:
        if self.encoder == "gat" and self.num_layers > 1 and self.hidden_dim % self.heads:
            raise ValueError(f"hidden_dim={self.hidden_dim} is no multiple of heads={self.heads}")
        return self


def activation(name: Activation) -> nn.Module:
    """Return a new activation; `leaky` is the mean slope of RReLU, as GCA's code computes it."""
    slope = (1 / 8 + 1 / 3) / 2
    made = {"relu": nn.ReLU, "prelu": nn.PReLU, "elu": nn.ELU}
    return nn.LeakyReLU(slope) if name == "leaky" else made[name]()


class Encoder(nn.Module):
    """A stack of layers over one graph: layer, norm and activation, the last one plain or not."""

    def __init__(self, config: EncoderConfig, num_features: int) -> None:
        """Build the layers that `config` describes for `num_features` input columns."""
        super().__init__()
        dims = [num_features, *[config.hidden_dim] * (config.num_layers - 1), config.out_dim]
        layer = _LAYERS[config.encoder]
        self.structure = layer.structure  # what the layers share of a graph
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
        h: Tensor = graph.x
        shared = self.structure(graph)
        for layer, tail in zip(self.layers, self.tails, strict=True):
            h = tail(layer(h, shared))
        return h


class GCNLayer(nn.Module):
    """x -> Â x W + b with Â = D̃^-1/2 (A + I) D̃^-1/2, degrees counted at the target."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Normalized:
        """Return what all layers share of the graph."""
        return Normalized(graph)

    def forward(self, x: Tensor, adjacency: Normalized) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return adjacency(multiply(x, self.weight)) + self.bias


class Normalized:
    """The operator Â of a graph; the self-loops are applied as a diagonal, not as edges."""

    def __init__(self, graph: Data) -> None:
        """Work out degrees and the sparse operator of `graph`."""
        n = int(graph.num_nodes or 0)
        source, target = graph.edge_index
        weight = edge_weights(graph)
        degree = weight.new_ones(n).index_add_(0, target, weight)
        scale = degree.rsqrt()
        # The pattern's rows are the sources, so its transpose aggregates at the targets.
        by_source = Pattern.of(graph.edge_index, n).with_values(
            scale[source] * weight * scale[target]
        )
        self.matrix = Sparse(by_source.transposed, by_source.csr)
        self.loops = degree.reciprocal()[:, None]

    def __call__(self, x: Tensor) -> Tensor:
        """Return Â x, [N, d]."""
        return torch.addcmul(product(self.matrix, x), x, self.loops)


class SAGELayer(nn.Module):
    """x -> W_root x + W_mean (mean of the neighbors) + b."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
        super().__init__()
        self.root = _glorot(fan_in, fan_out)
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Sparse:
        """Return the row-stochastic adjacency; nodes without neighbors have a zero row."""
        n = int(graph.num_nodes or 0)
        target = graph.edge_index[1]
        weight = edge_weights(graph)
        degree = weight.new_zeros(n).index_add_(0, target, weight)
        degree = torch.where(degree > 0, degree, 1.0)
        by_source = Pattern.of(graph.edge_index, n).with_values(weight / degree[target])
        return Sparse(by_source.transposed, by_source.csr)

    def forward(self, x: Tensor, adjacency: Sparse) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return multiply(x, self.root) + product(adjacency, multiply(x, self.weight)) + self.bias


class DenseLayer(nn.Module):
    """x -> x W + b, blind to the graph."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> None:
        """Return nothing: the layer uses no edge."""

    def forward(self, x: Tensor, nothing: None) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return multiply(x, self.weight) + self.bias


class GATLayer(nn.Module):
    """Graph attention by torch_geometric, heads concatenated; it takes no edge weights."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Split `fan_out` over the heads."""
        super().__init__()
        self.attention = GATConv(fan_in, fan_out // heads, heads=heads)

    @staticmethod
    def structure(graph: Data) -> Tensor:
        """Return the edges."""
        edges: Tensor = graph.edge_index
        return edges

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        dense = x.to_dense() if x.layout == torch.sparse_csr else x
        result: Tensor = self.attention(dense, edge_index)
        return result


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
    return nn.Sequential(nn.Linear(dim, hidden_dim), nn.PReLU(), nn.Linear(hidden_dim, dim))


def target_of(online: nn.Module) -> nn.Module:
    """Return a copy of `online` that no optimizer moves."""
    return copy.deepcopy(online).requires_grad_(False)


@torch.no_grad()
def move_target(target: nn.Module, online: nn.Module, decay: float) -> None:
    """Move the target's parameters by an exponential moving average: φ ← decay·φ + (1-decay)·ξ."""
    for held, live in zip(target.parameters(), online.parameters(), strict=True):
        held.lerp_(live, 1 - decay)


def multiply(x: Tensor, weight: Tensor) -> Tensor:
    """Return x W for dense features or for `torch.sparse_csr` ones, [N, d]."""
    return product(sparse(x), weight) if x.layout == torch.sparse_csr else x @ weight


def edge_weights(graph: Data) -> Tensor:
    """Return the weight of each edge, [E]: all 1 where the graph states none."""
    if graph.edge_weight is not None:
        weight: Tensor = graph.edge_weight
        return weight
    dtype = graph.x.dtype
    return torch.ones(graph.edge_index.size(1), dtype=dtype, device=graph.edge_index.device)


def _glorot(fan_in: int, fan_out: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(fan_in, fan_out)))

"""Small encoders, and graphs in double precision to run them on."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.nn.encoders import (
    Encoder,
    EncoderConfig,
)


def random_graph(seed: int, *, nodes: int = 12, weighted: bool = False) -> Data:
    """Return an undirected graph in float64 whose last two nodes are isolated."""
    rng = torch.Generator().manual_seed(seed)
    half = (torch.rand(nodes, nodes, generator=rng) < 0.3).triu(1)
    half[:, -2:] = False
    graph = Data(
        x=torch.randn(nodes, 5, generator=rng, dtype=torch.float64),
        edge_index=(half | half.t()).nonzero().t().contiguous(),
        num_nodes=nodes,
    )
    if weighted:
        weight = torch.rand(graph.num_edges, generator=rng, dtype=torch.float64)
        graph.edge_weight = 0.1 + weight
    return graph


def encoder(num_features: int = 5, **settings: object) -> Encoder:
    """Return a narrow encoder in float64 whose biases are not zero."""
    config = EncoderConfig.model_validate({"hidden_dim": 8, "out_dim": 3, **settings})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        built = Encoder(config, num_features).double()
        for parameter in built.parameters():
            if parameter.dim() == 1:
                # Biases start at zero, where a test would not see them.
                nn.init.normal_(parameter)
    return built


def parts(modules: nn.ModuleList) -> list[Any]:
    """Return the layers or tails of an encoder, which have no common type."""
    return list(modules)


def gradients(output: Tensor, model: nn.Module) -> list[Tensor]:
    """Return the gradients of the sum of squares of `output` to all parameters."""
    return list(torch.autograd.grad(output.square().sum(), list(model.parameters())))

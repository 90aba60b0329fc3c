"""A narrow base with a plug-in on it, in float64, and what tests of plug-ins compare."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.base import NeighborPlugin
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build
from tests.reference.info_nce import Edges

NARROW: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "projector_dim": 5}
SETTINGS: dict[str, object] = {**NARROW, "num_clusters": 3, "two_sigma_sq": 0.5}


def half_of(block_graph: Data) -> Data:
    """Half of the block graph, in float64."""
    half: Data = block_graph.subgraph(torch.arange(0, 60, 2))
    half.x = half.x.double()
    return half


def plugged(graph: Data, name: str, settings: dict[str, object]) -> NeighborPlugin:
    """The method of that name for `graph`, untrained."""
    method = build(name, settings, Sizes.of(graph), seed=0).double()
    assert isinstance(method, NeighborPlugin)
    return method


def scores(method: NeighborPlugin, graph: Data) -> Tensor:
    """S of each edge; the method has taken a step."""
    s = method.edge_scores(graph)
    assert s is not None
    return s


def edges_of(view: Data) -> Edges:
    """The edges of a view as pairs."""
    return {(i, j) for i, j in view.edge_index.t().tolist()}


def gradients(loss: Tensor, method: NeighborPlugin) -> list[Tensor]:
    """The gradient of each parameter."""
    trained = [parameter for parameter in method.parameters() if parameter.requires_grad]
    return list(torch.autograd.grad(loss, trained, allow_unused=True, materialize_grads=True))

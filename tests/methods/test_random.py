from __future__ import annotations

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.methods.base import Sizes
from homogcl.methods.random import RandomInit
from homogcl.methods.registry import build
from homogcl.training.loop import TrainConfig, fit
from tests.graphs import same

SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}


def random_init(graph: Data, seed: int = 0) -> RandomInit:
    method = build("random", SMALL, Sizes.of(graph), seed)
    assert isinstance(method, RandomInit)
    return method


def test_embeddings_are_those_of_an_untrained_gcn(block_graph: Data) -> None:
    method = random_init(block_graph)
    first, second = method.encoder.layers
    h = block_graph.x
    for layer in (first, second):
        weight = layer.get_parameter("weight")
        convolution = GCNConv(*weight.shape)  # its bias starts at zero, as ours does
        convolution.lin.weight.data = weight.t()
        h = convolution(h, block_graph.edge_index)
        h = h.relu() if layer is first else h
    torch.testing.assert_close(method.embed(block_graph), h)


def test_training_changes_nothing(block_graph: Data) -> None:
    method = random_init(block_graph)
    assert not any(parameter.requires_grad for parameter in method.parameters())
    before = {key: value.clone() for key, value in method.state_dict().items()}
    fit(method, block_graph, TrainConfig(epochs=3), seed=0)
    assert same(dict(method.state_dict()), before)


def test_draw_is_that_of_the_seed(block_graph: Data) -> None:
    z, again, other = (random_init(block_graph, seed).embed(block_graph) for seed in (4, 4, 5))
    assert torch.equal(z, again)
    assert not torch.allclose(z, other)

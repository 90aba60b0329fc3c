"""The perceptron sees features and nothing else."""

import torch
import torch_geometric.nn
from torch_geometric.data import Data

from homogcl.methods.base import Sizes
from homogcl.methods.mlp import MLP
from homogcl.training.loop import TrainConfig, fit


def test_logits_are_those_of_torch_geometric(block_graph: Data) -> None:
    method = MLP(MLP.Config(num_layers=3), Sizes.of(block_graph))
    peer = torch_geometric.nn.MLP([16, 16, 16, 3], norm=None)
    with torch.no_grad():
        for index, layer in enumerate(peer.lins):
            layer.weight.copy_(method.best.get_parameter(f"layers.{index}.weight").t())
            layer.bias.copy_(method.best.get_parameter(f"layers.{index}.bias"))
    torch.testing.assert_close(method.predict(block_graph), peer(block_graph.x))


def test_edges_change_nothing(block_graph: Data) -> None:
    alone = block_graph.clone()
    alone.edge_index = torch.empty(2, 0, dtype=torch.long)
    states = []
    for graph in (block_graph, alone):
        torch.manual_seed(0)
        method = MLP(MLP.Config(), Sizes.of(graph))
        states.append(fit(method, graph, TrainConfig(epochs=3), seed=0).state_dict())
    assert all(torch.equal(value, states[1][key]) for key, value in states[0].items())

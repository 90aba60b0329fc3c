"""GraphSAGE against torch_geometric's layers."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

from homogcl.methods.base import Sizes
from homogcl.methods.sage import SAGE
from homogcl.nn.layers import SAGELayer
from tests.graphs import with_isolated


def test_logits_are_those_of_torch_geometric(block_graph: Data) -> None:
    graph = with_isolated(block_graph, 2)
    method = SAGE(SAGE.Config(num_layers=3, hidden_dim=5), Sizes.of(graph))
    h = graph.x
    for index, layer in enumerate(method.best.layers):
        assert isinstance(layer, SAGELayer)
        peer = SAGEConv(*layer.weight.shape)
        with torch.no_grad():
            peer.lin_l.weight.copy_(layer.weight.t())
            peer.lin_r.weight.copy_(layer.root.t())
            peer.lin_l.bias.copy_(layer.bias)
        h = peer(h if index == 0 else h.relu(), graph.edge_index)
    torch.testing.assert_close(method.predict(graph), h)


def test_batch_norm_stands_between_layer_and_activation(block_graph: Data) -> None:
    method = SAGE(SAGE.Config(norm="batch", input_dropout=0, dropout=0), Sizes.of(block_graph))
    with torch.no_grad():
        method.network.get_parameter("tails.0.0.bias").fill_(-100.0)
    assert not method.network.hidden(block_graph)[-1].any()

"""GCN against the paper's formula and against torch_geometric's layers."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.methods.base import Sizes
from homogcl.methods.gcn import GCN


def test_logits_are_the_formula(block_graph: Data) -> None:
    block_graph.x = block_graph.x.double()
    method = GCN(GCN.Config(), Sizes.of(block_graph)).double()
    with torch.no_grad():
        method.best.get_parameter("layers.0.bias").normal_()
        method.best.get_parameter("layers.1.bias").normal_()
    n = 60
    adjacency = torch.eye(n, dtype=torch.float64)
    for source, target in block_graph.edge_index.t().tolist():
        adjacency[target, source] = 1
    degree = adjacency.sum(dim=1)
    for i in range(n):
        for j in range(n):
            adjacency[i, j] /= (degree[i] * degree[j]).sqrt()
    w0, b0, w1, b1 = method.best.parameters()
    hidden = (adjacency @ block_graph.x @ w0 + b0).clamp(min=0)
    torch.testing.assert_close(method.embed(block_graph), hidden)
    logits = adjacency @ hidden @ w1 + b1
    torch.testing.assert_close(method.predict(block_graph), logits)


def test_logits_are_those_of_torch_geometric(block_graph: Data) -> None:
    method = GCN(GCN.Config(num_layers=3), Sizes.of(block_graph))
    h = block_graph.x
    for index in range(3):
        weight = method.best.get_parameter(f"layers.{index}.weight")
        peer = GCNConv(*weight.shape)
        with torch.no_grad():
            peer.lin.weight.copy_(weight.t())
            peer.bias.copy_(method.best.get_parameter(f"layers.{index}.bias"))
        h = peer(h if index == 0 else h.relu(), block_graph.edge_index)
    torch.testing.assert_close(method.predict(block_graph), h)

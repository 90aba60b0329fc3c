"""GAT against the paper's formula and against torch_geometric's layer."""

import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from homogcl.methods.base import Sizes
from homogcl.methods.gat import GAT, AttentionLayer, HeadMean
from tests.graphs import with_isolated


def small_layer(heads: int = 2, attention_dropout: float = 0.0) -> AttentionLayer:
    torch.manual_seed(0)
    layer = AttentionLayer(16, 3, heads, attention_dropout).double()
    with torch.no_grad():
        layer.bias.normal_()
    return layer


def by_loops(x: Tensor, layer: AttentionLayer, graph: Data) -> Tensor:
    """The layer's output from the paper's formula, one pair of nodes at a time."""
    n, heads, width = len(x), layer.heads, layer.toward.size(1)
    incoming = {i: [i] for i in range(n)}
    for source, target in graph.edge_index.t().tolist():
        incoming[target].append(source)
    out = torch.zeros(n, heads * width, dtype=torch.float64)
    for k in range(heads):
        part = slice(k * width, (k + 1) * width)
        h = x @ layer.weight[:, part]
        for i in range(n):
            scores = []
            for j in incoming[i]:
                score = float(layer.toward[k] @ h[i] + layer.away[k] @ h[j])
                scores.append(math.exp(score if score > 0 else 0.2 * score))
            for j, score in zip(incoming[i], scores, strict=True):
                out[i, part] += score / sum(scores) * h[j]
    return out + layer.bias


def test_layer_is_the_formula(block_graph: Data) -> None:
    graph = with_isolated(block_graph, 2)
    x, layer = graph.x.double(), small_layer()
    torch.testing.assert_close(layer(x, layer.structure(graph)), by_loops(x, layer, graph))


def test_direction_of_edges_is_from_source_to_target() -> None:
    graph = Data(edge_index=torch.tensor([[0, 0], [1, 2]]), x=torch.randn(3, 16).double())
    layer = small_layer()
    result = layer(graph.x, layer.structure(graph))
    torch.testing.assert_close(result, by_loops(graph.x, layer, graph))


@pytest.mark.parametrize("averaged", [False, True])
def test_output_and_gradients_are_those_of_torch_geometric(
    averaged: bool, block_graph: Data
) -> None:
    layer = small_layer(heads=4)
    peer = GATConv(16, 3, 4, concat=not averaged, bias=False).double()
    with torch.no_grad():
        layer.bias.zero_()
        peer.lin.weight.copy_(layer.weight.t())
        peer.att_dst.copy_(layer.toward[None])
        peer.att_src.copy_(layer.away[None])
    x, peer_x = (block_graph.x.double().requires_grad_() for _ in range(2))
    ours = HeadMean(layer) if averaged else layer
    out, expected = ours(x, layer.structure(block_graph)), peer(peer_x, block_graph.edge_index)
    torch.testing.assert_close(out, expected)

    direction = torch.randn_like(out)
    (out * direction).sum().backward()
    (expected * direction).sum().backward()
    torch.testing.assert_close(x.grad, peer_x.grad)
    torch.testing.assert_close(layer.weight.grad, peer.lin.weight.grad.t())
    torch.testing.assert_close(layer.toward.grad, peer.att_dst.grad[0])
    torch.testing.assert_close(layer.away.grad, peer.att_src.grad[0])


def test_attention_dropout_drops_whole_neighbors_in_training_only() -> None:
    star = torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
    graph = Data(edge_index=star, x=torch.eye(3, 16).double())
    layer = small_layer(heads=1, attention_dropout=0.5)
    with torch.no_grad():
        layer.bias.zero_()
        layer.toward.zero_()
        layer.away.zero_()
    pairs = layer.structure(graph)
    h = graph.x @ layer.weight
    # With no preference each neighbor of the center has 1/3, or twice that, or nothing.
    possible = [
        2 / 3 * (a * h[0] + b * h[1] + c * h[2]) for a in (0, 1) for b in (0, 1) for c in (0, 1)
    ]
    classes = set()
    for _ in range(60):
        center = layer(graph.x, pairs)[0]
        distances = [float((center - each).abs().max()) for each in possible]
        assert min(distances) < 1e-12
        classes.add(distances.index(min(distances)))
    assert len(classes) == 8
    torch.testing.assert_close(layer.eval()(graph.x, pairs)[0], h.mean(dim=0))


def test_heads_stand_side_by_side_until_the_last_layer(block_graph: Data) -> None:
    config = GAT.Config(num_layers=3, hidden_dim=4, heads=3, output_heads=2)
    method = GAT(config, Sizes.of(block_graph))
    x = block_graph.x
    first, second, last = method.best.layers
    pairs = AttentionLayer.structure(block_graph)
    elu = torch.nn.functional.elu
    h = elu(second(elu(first(x, pairs)), pairs))
    assert h.shape == (60, 12)
    torch.testing.assert_close(method.embed(block_graph), h)
    assert isinstance(last, HeadMean)
    both = last.layer(h, pairs)
    torch.testing.assert_close(method.predict(block_graph), (both[:, :3] + both[:, 3:]) / 2)

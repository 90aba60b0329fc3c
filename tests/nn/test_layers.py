"""Layers against torch_geometric and against loops."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, SAGEConv

from homogcl.core.seeds import stream
from homogcl.data.synthetic import citation_graph
from homogcl.nn.layers import DenseLayer, GCNLayer, SAGELayer, dense, multiply, products
from homogcl.views.augment import drop_edges
from tests.networks import encoder, gradients, parts, random_graph
from tests.products import counted


def test_a_graph_convolution_costs_what_its_sizes_say() -> None:
    graph = citation_graph(50, 3, 20, seed=0)
    x = graph.x.to_dense() if graph.x.is_sparse_csr else graph.x
    layer = GCNLayer(20, 8)
    costs = counted(lambda: layer(x, GCNLayer.structure(graph)))
    assert costs == (2 * 50 * 20 * 8, 2 * graph.edge_index.size(1) * 8)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 999), weighted=st.booleans(), dropped=st.sampled_from([0.0, 0.5, 1.0]))
def test_gcn_is_torch_geometrics_on_views_with_weights_and_isolated_nodes(
    seed: int, weighted: bool, dropped: float
) -> None:
    view = drop_edges(random_graph(seed, weighted=weighted), dropped, stream(seed, "augment"))
    ours = encoder(encoder="gcn")
    oracle = [GCNConv(5, 8).double(), GCNConv(8, 3).double()]
    for layer, theirs in zip(parts(ours.layers), oracle, strict=True):
        theirs.lin.weight.data = layer.weight.data.t().clone()
        theirs.bias.data = layer.bias.data.clone()
    weights = (view.edge_index, view.edge_weight)
    expected = oracle[1](oracle[0](view.x, *weights).relu(), *weights)
    result = ours(view)
    torch.testing.assert_close(result, expected)
    for mine, layer in zip(gradients(result, ours)[::2], oracle, strict=True):
        (other,) = torch.autograd.grad(expected.square().sum(), layer.lin.weight, retain_graph=True)
        torch.testing.assert_close(mine, other.t())


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 999), dropped=st.sampled_from([0.0, 0.5, 1.0]))
def test_sage_is_torch_geometrics_with_mean_aggregation(seed: int, dropped: float) -> None:
    view = drop_edges(random_graph(seed), dropped, stream(seed, "augment"))
    ours = encoder(encoder="sage")
    oracle = [SAGEConv(5, 8, aggr="mean").double(), SAGEConv(8, 3, aggr="mean").double()]
    for layer, theirs in zip(parts(ours.layers), oracle, strict=True):
        theirs.lin_l.weight.data = layer.weight.data.t().clone()
        theirs.lin_l.bias.data = layer.bias.data.clone()
        theirs.lin_r.weight.data = layer.root.data.t().clone()
    expected = oracle[1](oracle[0](view.x, view.edge_index).relu(), view.edge_index)
    torch.testing.assert_close(ours(view), expected)


def test_sparse_features_become_dense_ones() -> None:
    x = random_graph(4).x.relu()
    assert dense(x) is x
    assert torch.equal(dense(x.to_sparse_csr()), x)


def test_sage_with_edge_weights_takes_the_weighted_mean() -> None:
    view = drop_edges(random_graph(3, weighted=True), 0.3, stream(0, "augment"))
    ours = encoder(encoder="sage", num_layers=1)
    [layer] = parts(ours.layers)
    mean = torch.zeros_like(view.x)
    for node in range(int(view.num_nodes)):
        into = (view.edge_index[1] == node).nonzero().flatten().tolist()
        weight = sum(float(view.edge_weight[e]) for e in into)
        for e in into:
            mean[node] += view.edge_weight[e] / weight * view.x[view.edge_index[0, e]]
    torch.testing.assert_close(ours(view), view.x @ layer.root + mean @ layer.weight + layer.bias)


def test_gat_is_attention_in_a_loop() -> None:
    view = drop_edges(random_graph(1), 0.4, stream(0, "augment"))
    ours = encoder(encoder="gat", num_layers=1)
    attention = parts(ours.layers)[0].attention
    h = view.x @ attention.lin.weight.t()
    sent, received = h @ attention.att_src[0, 0], h @ attention.att_dst[0, 0]
    expected = torch.empty(int(view.num_nodes), 3, dtype=torch.float64)
    for node in range(int(view.num_nodes)):
        near = [*view.edge_index[0, view.edge_index[1] == node].tolist(), node]
        scores = torch.stack([functional.leaky_relu(sent[j] + received[node], 0.2) for j in near])
        expected[node] = scores.softmax(0) @ h[near] + attention.bias
    torch.testing.assert_close(ours(view), expected)


def test_gat_concatenates_the_heads_of_hidden_layers() -> None:
    ours = encoder(encoder="gat", heads=4, num_layers=3)
    assert [layer.attention.heads for layer in parts(ours.layers)] == [4, 4, 1]
    assert ours(random_graph(0)).shape == (12, 3)


def test_mlp_is_blind_to_the_edges() -> None:
    graph = random_graph(0)
    ours = encoder(encoder="mlp")
    first, second = parts(ours.layers)
    expected = (graph.x @ first.weight + first.bias).relu() @ second.weight + second.bias
    torch.testing.assert_close(ours(graph), expected)
    assert torch.equal(ours(drop_edges(graph, 1.0, stream(0, "augment"))), ours(graph))


def test_features_of_both_layouts_are_multiplied() -> None:
    x, weight, other = torch.randn(4, 3).relu(), torch.randn(3, 2), torch.randn(3, 5)
    for features in (x, x.to_sparse_csr()):
        torch.testing.assert_close(multiply(features, weight), x @ weight)
        both = products(features, (weight, other))
        torch.testing.assert_close(both, (x @ weight, x @ other))


@pytest.mark.parametrize("layer", [GCNLayer, SAGELayer, DenseLayer])
def test_weights_start_within_glorots_bound_and_biases_at_zero(
    layer: type[GCNLayer | SAGELayer | DenseLayer],
) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        built = layer(200, 100)
    bound = (6 / (200 + 100)) ** 0.5
    for name, parameter in built.named_parameters():
        if name == "bias":
            assert torch.equal(parameter, torch.zeros(100))
        else:
            assert parameter.shape == (200, 100)
            assert 0.99 * bound < float(parameter.detach().abs().max()) <= bound
            # The variance of a uniform draw is a third of the squared bound.
            assert float(parameter.detach().var()) == pytest.approx(bound**2 / 3, rel=0.02)


def test_gcn_counts_degrees_at_the_target() -> None:
    graph = Data(
        x=torch.eye(3, dtype=torch.float64),
        edge_index=torch.tensor([[0, 0, 1], [1, 2, 2]]),
        edge_weight=torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64),
    )
    degree = torch.tensor([1.0, 1.5, 4.0], dtype=torch.float64)
    expected = torch.diag(1 / degree)
    for source, target, weight in ((0, 2, 1.0), (1, 2, 2.0), (0, 1, 0.5)):
        expected[target, source] = weight / (degree[source] * degree[target]).sqrt()
    ours = encoder(3, encoder="gcn", num_layers=1)
    [layer] = parts(ours.layers)
    torch.testing.assert_close(ours(graph), expected @ layer.weight + layer.bias)

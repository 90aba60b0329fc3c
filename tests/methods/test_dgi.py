from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.nn import DeepGraphInfomax, GCNConv

from homogcl.methods.base import Sizes
from homogcl.methods.dgi import DGI
from homogcl.views.augment import shuffle_features
from tests.reference.infomax import affine, cross_entropy, normalized, prelu, small_graph


def dgi() -> DGI:
    torch.manual_seed(0)
    return DGI(DGI.Config(out_dim=4), Sizes(nodes=9, features=5)).double()


class OneConvolution(torch.nn.Module):
    """The encoder of the original, from torch_geometric's parts."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = GCNConv(5, 4)
        self.activation = torch.nn.PReLU()

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h: Tensor = self.activation(self.convolution(x, edge_index))
        return h


@pytest.mark.parametrize("sparse", [False, True])
def test_loss_and_gradient_are_those_of_torch_geometric(sparse: bool) -> None:
    method, graph, order = dgi(), small_graph(sparse=sparse), torch.randperm(9)
    model = DeepGraphInfomax(
        4,
        OneConvolution(),
        summary=lambda z, *args: z.mean(0).sigmoid(),
        corruption=lambda x, edge_index: (x[order], edge_index),
    ).double()
    w, _ = affine(method.encoder.layers[0])
    model.encoder.convolution.lin.weight.data = w.data.t().clone()
    model.weight.data = method.discriminator.data.clone()
    dense = small_graph()
    oracle = model.loss(*model(dense.x, dense.edge_index))
    views = method.views(graph, torch.Generator().manual_seed(0))
    loss = method.objective(type(views)(graph, shuffle_features(graph, order)))["infomax"]
    torch.testing.assert_close(loss, oracle)
    loss.backward()  # type: ignore[no-untyped-call]
    oracle.backward()
    weight = model.encoder.convolution.lin.weight
    torch.testing.assert_close(w.grad, weight.grad.t())
    torch.testing.assert_close(method.discriminator.grad, model.weight.grad)


def test_loss_is_the_formula_node_by_node() -> None:
    method, graph = dgi(), small_graph()
    views = method.views(graph, torch.Generator().manual_seed(4))
    weight, bias = affine(method.encoder.layers[0])
    slope = method.encoder.get_parameter("tails.0.0.weight")
    a = normalized(graph)
    h = prelu(a @ graph.x @ weight + bias, slope)
    fake = prelu(a @ views.corrupted.x @ weight + bias, slope)
    s = torch.sigmoid(h.sum(0) / 9)
    w = method.discriminator
    expected = cross_entropy([h[i] @ w @ s for i in range(9)], [fake[i] @ w @ s for i in range(9)])
    torch.testing.assert_close(method.objective(views)["infomax"], expected)
    torch.testing.assert_close(method.embed(graph), h)


@pytest.mark.parametrize("sparse", [False, True])
def test_corruption_moves_whole_rows_and_leaves_the_graph_alone(sparse: bool) -> None:
    graph, order = small_graph(sparse=sparse), torch.tensor([8, 0, 3, 2, 1, 5, 7, 6, 4])
    before = small_graph().x
    view = shuffle_features(graph, order)
    assert view.x.layout == graph.x.layout
    assert torch.equal(view.x.to_dense(), before[order])
    assert torch.equal(graph.x.to_dense(), before)
    assert torch.equal(view.edge_index, graph.edge_index)


def test_views_hold_each_row_once() -> None:
    graph = small_graph()
    x = dgi().views(graph, torch.Generator().manual_seed(2)).corrupted.x
    assert not torch.equal(x, graph.x)
    assert sorted(map(tuple, x.tolist())) == sorted(map(tuple, graph.x.tolist()))

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GAE as PyGGAE  # noqa: N811
from torch_geometric.nn import GCNConv

from homogcl.methods.base import Sizes
from homogcl.methods.gae import GAE
from tests.reference.infomax import affine, small_graph


class TwoConvolutions(torch.nn.Module):
    """The encoder of the autoencoder example of torch_geometric."""

    def __init__(self, features: int, hidden: int, out: int) -> None:
        super().__init__()
        self.first = GCNConv(features, hidden)
        self.second = GCNConv(hidden, out)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        second: Tensor = self.second(self.first(x, edge_index).relu(), edge_index)
        return second


def gae(all_pairs_up_to: int) -> GAE:
    torch.manual_seed(0)
    config = GAE.Config(hidden_dim=6, out_dim=4, all_pairs_up_to=all_pairs_up_to)
    return GAE(config, Sizes(nodes=9, features=5)).double()


def twin(method: GAE) -> PyGGAE:
    """Torch_geometric's class with the weights of `method`."""
    model = PyGGAE(TwoConvolutions(5, 6, 4)).double()
    convolutions = (model.encoder.first, model.encoder.second)
    for convolution, layer in zip(convolutions, method.encoder.layers, strict=True):
        weight, bias = affine(layer)
        convolution.lin.weight.data = weight.data.t().clone()
        convolution.bias.data = bias.data.clone()
    return model


@pytest.mark.parametrize("sparse", [False, True])
def test_sampled_loss_and_embeddings_are_those_of_torch_geometric(sparse: bool) -> None:
    graph, method = small_graph(sparse=sparse), gae(all_pairs_up_to=8)
    model = twin(method)
    dense = small_graph()
    z = model.encode(dense.x, dense.edge_index)
    views = method.views(graph, torch.Generator().manual_seed(1))
    assert views.negatives is not None
    positive = torch.cat([graph.edge_index, torch.arange(9).expand(2, -1)], dim=1)
    oracle = model.recon_loss(z, positive, views.negatives)
    loss = method.objective(views)["reconstruction"]
    torch.testing.assert_close(loss, oracle)
    torch.testing.assert_close(method.embed(graph), z)
    loss.backward()  # type: ignore[no-untyped-call]
    oracle.backward()
    for layer, convolution in zip(
        method.encoder.layers, (model.encoder.first, model.encoder.second), strict=True
    ):
        weight, bias = affine(layer)
        torch.testing.assert_close(weight.grad, convolution.lin.weight.grad.t())
        torch.testing.assert_close(bias.grad, convolution.bias.grad)


def test_small_graphs_use_all_pairs() -> None:
    graph, method = small_graph(), gae(all_pairs_up_to=9)
    views = method.views(graph, torch.Generator().manual_seed(1))
    assert views.negatives is None
    logits = method.embed(graph) @ method.embed(graph).t()
    label = torch.eye(9, dtype=torch.float64)
    label[graph.edge_index[0], graph.edge_index[1]] = 1
    # The weighted cross-entropy of the original: norm times the mean over N² pairs, doubled.
    ones = label.sum()
    weighted = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, label, pos_weight=(81 - ones) / ones
    )
    norm = 81 / (2 * (81 - ones))
    loss = method.objective(views)["reconstruction"]
    torch.testing.assert_close(loss, 2 * norm * weighted)


def test_training_recovers_the_blocks(block_graph: Data) -> None:
    method = GAE(GAE.Config(), Sizes.of(block_graph))
    optimizer = torch.optim.Adam(method.parameters(), lr=0.01)
    views = method.views(block_graph, torch.Generator().manual_seed(0))
    for _ in range(60):
        optimizer.zero_grad()
        method.objective(views)["reconstruction"].backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    z = method.embed(block_graph).detach()
    scores = z @ z.t()
    same = block_graph.y[:, None] == block_graph.y
    assert float(scores[same].mean()) > float(scores[~same].mean()) + 1

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine
from homogcl.methods.base import Sizes, total
from homogcl.methods.ccassg import CCASSG
from homogcl.training.loop import TrainConfig, fit
from tests.reference.neighbors import doubled, neighbor_mean, weighted_pairs


def ccassg() -> CCASSG:
    torch.manual_seed(0)
    config = CCASSG.Config(hidden_dim=8, out_dim=5, decorrelation_weight=0.02)
    return CCASSG(config, Sizes(nodes=60, features=16)).double()


def scaled(h: Tensor) -> Tensor:
    """Columns with mean 0 and norm 1: the paper's, whose factor 1/√N is in them."""
    columns = []
    for column in h.t():
        mean = column.sum() / column.numel()
        deviation = ((column - mean).square().sum() / (column.numel() - 1)).sqrt()
        columns.append((column - mean) / (deviation * column.numel() ** 0.5))
    return torch.stack(columns, dim=1)


def test_loss_and_gradient_are_the_formula_column_by_column(block_graph: Data) -> None:
    method, graph = ccassg(), doubled(block_graph)
    views = method.views(graph, torch.Generator().manual_seed(1))
    a, b = scaled(method.encoder(views.first)), scaled(method.encoder(views.second))
    slow = -(a * b).sum()
    for z in (a, b):
        for i in range(5):
            for j in range(5):
                slow = slow + 0.02 * ((z[:, i] * z[:, j]).sum() - float(i == j)).square()
    terms = method.objective(views)
    assert list(terms) == ["invariance", "decorrelation"]
    loss = total(terms, method.term_weights())
    torch.testing.assert_close(loss, slow)
    live = list(method.parameters())
    result, expected = torch.autograd.grad(loss, live), torch.autograd.grad(slow, live)
    torch.testing.assert_close(result, expected)


def test_neighbor_term_is_the_mean_cosine_pair_by_pair(block_graph: Data) -> None:
    method, graph = ccassg(), doubled(block_graph)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    views = method.views(graph, torch.Generator().manual_seed(1))
    a, b = scaled(method.encoder(views.first)), scaled(method.encoder(views.second))
    terms = method.objective(views, pairs)
    torch.testing.assert_close(terms["neighbors"], -neighbor_mean(a, b, pairs))
    alone = method.objective(views)
    assert all(torch.equal(terms[name], alone[name]) for name in alone)


def test_equal_views_without_redundancy_are_the_minimum() -> None:
    config = CCASSG.Config(num_layers=1, out_dim=2, encoder="mlp", drop_edge=0, mask_feature=0)
    method = CCASSG(config, Sizes(nodes=4, features=2)).double()
    x = torch.tensor([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=torch.float64)
    with torch.no_grad():
        method.encoder.get_parameter("layers.0.weight").copy_(torch.eye(2))
    graph = Data(x=x, edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=4)
    terms = method.objective(method.views(graph, torch.Generator().manual_seed(0)))
    # The unbiased deviation leaves 3/4 of each column's unit correlation with itself.
    assert float(terms["invariance"].detach()) == pytest.approx(-2 * 3 / 4)
    assert float(terms["decorrelation"].detach()) == pytest.approx(2 * 2 * (1 / 4) ** 2)


def test_embeddings_are_not_standardized(block_graph: Data) -> None:
    method, graph = ccassg(), doubled(block_graph)
    assert torch.equal(method.embed(graph), method.encoder(graph))


def test_a_single_node_is_refused_before_anything_is_done(block_graph: Data) -> None:
    lone = block_graph.subgraph(torch.tensor([0]))
    with pytest.raises(UserError, match="CCA-SSG standardizes over the nodes"):
        fit(ccassg(), lone, TrainConfig(epochs=1), seed=0)

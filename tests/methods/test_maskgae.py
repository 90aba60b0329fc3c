from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Combine, Positives
from homogcl.methods.base import Sizes, total
from homogcl.methods.maskgae import MaskedViews, MaskGAE
from tests.reference.neighbors import doubled, weighted_pairs


def maskgae(**settings: object) -> MaskGAE:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "decoder_dim": 5, **settings}
    still = {"dropout": 0.0, "decoder_dropout": 0.0}
    config = MaskGAE.Config.model_validate({**still, **small})
    return MaskGAE(config, Sizes(nodes=60, features=16)).double()


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return doubled(block_graph)


def drawn(method: MaskGAE, graph: Data) -> MaskedViews:
    return method.views(graph, torch.Generator().manual_seed(1))


def slow_losses(method: MaskGAE, views: MaskedViews, *, edges: bool) -> list[Tensor]:
    """The cross-entropy of each pair, one after another."""
    z = method.encoder(views.visible)
    losses = []
    for i, j in (views.edges if edges else views.others).t().tolist():
        hidden = method.decoder.hidden(z[i] * z[j]).clamp(min=0)
        probability = 1 / (1 + (-method.decoder.last(hidden)).exp())
        losses.append(-(probability if edges else 1 - probability).log().squeeze())
    return losses


def test_loss_and_gradient_are_the_formula_pair_by_pair(graph: Data) -> None:
    method = maskgae()
    views = drawn(method, graph)
    terms = method.objective(views)
    slow = {
        "neighbors": torch.stack(slow_losses(method, views, edges=True)).mean(),
        "others": torch.stack(slow_losses(method, views, edges=False)).mean(),
    }
    torch.testing.assert_close(terms, slow)
    parameters = list(method.parameters())
    torch.testing.assert_close(
        torch.autograd.grad(total(terms, method.term_weights()), parameters),
        torch.autograd.grad(total(slow, {}), parameters),
    )


def test_hidden_edges_are_not_in_the_graph_that_predicts_them(graph: Data) -> None:
    views = drawn(maskgae(hide="edge"), graph)
    visible, lost, others = (
        {(i, j) for i, j in pairs.t().tolist()}
        for pairs in (views.visible.edge_index, views.edges, views.others)
    )
    assert visible
    assert lost
    assert others
    assert not visible & lost
    assert not (visible | lost) & others
    assert torch.equal(graph.edge_index[:, views.hidden], views.edges)


@pytest.mark.parametrize("combine", [Combine.TERM, Combine.WEIGHTED_MEAN, Combine.MEAN])
def test_a_hidden_edge_counts_by_its_weight(graph: Data, combine: Combine) -> None:
    method = maskgae()
    views, near = drawn(method, graph), weighted_pairs(graph.edge_index, combine)
    degree = torch.bincount(graph.edge_index[0], minlength=60)
    weights = []
    for place in views.hidden.tolist():
        share = degree[graph.edge_index[0, place]] + 0.01 if combine is Combine.MEAN else 1.0
        weights.append(near.weight[place] / share)
    losses = slow_losses(method, views, edges=True)
    weighted = torch.stack([w * loss for w, loss in zip(weights, losses, strict=True)]).sum()
    count = len(weights) if combine is Combine.TERM else torch.stack(weights).sum()
    terms = method.objective(views, near)
    torch.testing.assert_close(terms["neighbors"], weighted / count)
    assert torch.equal(terms["others"], method.objective(views)["others"])


def test_edges_that_all_weigh_one_are_its_own(graph: Data) -> None:
    method = maskgae()
    views = drawn(method, graph)
    equal = torch.ones(graph.num_edges, dtype=torch.float64)
    near = Positives(graph.edge_index, equal, combine=Combine.TERM)
    torch.testing.assert_close(method.objective(views, near), method.objective(views))


def test_dropout_is_drawn_by_the_views_and_leaves_the_embeddings(graph: Data) -> None:
    method = maskgae(dropout=0.5, decoder_dropout=0.5)
    views = drawn(method, graph)
    first, second = method.objective(views), method.objective(views)
    assert all(torch.equal(first[name], second[name]) for name in first)
    still = maskgae()
    assert not torch.equal(first["neighbors"], still.objective(views)["neighbors"])
    assert torch.equal(method.embed(graph), still.embed(graph))


def test_a_step_predicts_no_more_edges_than_it_may(graph: Data) -> None:
    views = drawn(maskgae(num_pairs=10), graph)
    assert views.hidden.numel() == 10
    assert len(set(views.hidden.tolist())) == 10
    assert views.others.size(1) <= 10
    assert torch.equal(views.visible.edge_index, drawn(maskgae(), graph).visible.edge_index)


def test_without_edges_there_is_no_loss(graph: Data) -> None:
    graph.edge_index = torch.empty(2, 0, dtype=torch.long)
    method = maskgae()
    terms = method.objective(drawn(method, graph))
    assert {name: float(term.detach()) for name, term in terms.items()} == {
        "neighbors": 0.0,
        "others": 0.0,
    }

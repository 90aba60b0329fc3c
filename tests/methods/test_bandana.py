from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.core.config import validated
from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine
from homogcl.methods.bandana import Bandana, BandwidthViews
from homogcl.methods.base import Sizes, total
from tests.reference.neighbors import doubled, weighted_pairs


def bandana(**settings: object) -> Bandana:
    torch.manual_seed(0)
    small = {"num_layers": 3, "hidden_dim": 6, "out_dim": 6, "decoder_dim": 5}
    still = {"dropout": 0.0, "decoder_dropout": 0.0, "temperature": 0.5}
    config = Bandana.Config.model_validate({**small, **still, **settings})
    return Bandana(config, Sizes(nodes=60, features=16)).double()


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return doubled(block_graph)


def drawn(method: Bandana, graph: Data) -> BandwidthViews:
    return method.views(graph, torch.Generator().manual_seed(1))


def outputs(method: Bandana, views: BandwidthViews) -> list[Tensor]:
    """All layers by the convolution of torch_geometric with bandwidths as weights."""
    h, graph, results = views.graph.x, views.graph, []
    for index, bandwidth in enumerate(views.bandwidths):
        layer, tail = method.encoder.layers[index], method.encoder.tails[index]
        weight = layer.get_parameter("weight")
        convolution = GCNConv(*weight.shape, bias=False).double()
        del convolution.lin.weight
        convolution.lin.weight = weight.t()
        h = tail(convolution(h, graph.edge_index, bandwidth) + layer.get_parameter("bias"))
        results.append(h)
    return results


def logit(method: Bandana, h: Tensor, i: int, j: int) -> Tensor:
    hidden = method.decoder.hidden(h[i] * h[j]).clamp(min=0)
    result: Tensor = method.decoder.last(hidden).squeeze()
    return result


def slow_terms(method: Bandana, views: BandwidthViews, weight: Tensor) -> dict[str, Tensor]:
    """Both terms, edge by edge in both directions; `weight` [E] is that of the positives."""
    of_edges, of_others = [], []
    edges = views.graph.edge_index.t().tolist()
    for h, bandwidth in zip(outputs(method, views), views.bandwidths, strict=True):
        for place, (i, j) in enumerate(edges):
            probability = 1 / (1 + (-logit(method, h, i, j)).exp())
            of_edges.append(-bandwidth[place] * weight[place] * probability.log())
        for i, j in views.others.t().tolist():
            probability = 1 / (1 + (-logit(method, h, i, j)).exp())
            of_others.append(-(1 - probability).log())
    return {"neighbors": torch.stack(of_edges).mean(), "others": torch.stack(of_others).mean()}


def test_loss_and_gradient_are_the_formula_edge_by_edge(graph: Data) -> None:
    method = bandana()
    views = drawn(method, graph)
    terms = method.objective(views)
    slow = slow_terms(method, views, torch.ones(graph.num_edges, dtype=torch.float64))
    torch.testing.assert_close(terms, slow)
    parameters = list(method.parameters())
    torch.testing.assert_close(
        torch.autograd.grad(total(terms, method.term_weights()), parameters, allow_unused=True),
        torch.autograd.grad(total(slow, {}), parameters, allow_unused=True),
    )


def test_bandwidths_are_multiplied_by_the_weights_of_positives(graph: Data) -> None:
    method = bandana(num_layers=1)
    views, near = drawn(method, graph), weighted_pairs(graph.edge_index, Combine.TERM)
    torch.testing.assert_close(
        method.objective(views, near), slow_terms(method, views, near.weight)
    )
    near = weighted_pairs(graph.edge_index, Combine.MEAN)
    source = graph.edge_index[0]
    weight = near.weight / (torch.bincount(source)[source] + 0.01)
    bandwidth = views.bandwidths[0]
    weight = weight * (bandwidth.sum() / (weight * bandwidth).sum())
    torch.testing.assert_close(method.objective(views, near), slow_terms(method, views, weight))


def test_bandwidths_into_a_node_sum_to_one_and_layers_draw_their_own(graph: Data) -> None:
    bandwidths = drawn(bandana(), graph).bandwidths
    assert bandwidths.shape == (3, graph.num_edges)
    sums = torch.zeros(3, 60, dtype=torch.float64).index_add(1, graph.edge_index[1], bandwidths)
    torch.testing.assert_close(sums, torch.ones_like(sums))
    assert not torch.equal(bandwidths[0], bandwidths[1])
    # The hotter the softmax, the more even the bandwidths.
    even = drawn(bandana(temperature=50.0), graph).bandwidths
    assert float(even.std()) < float(bandwidths.std())


def test_each_edge_is_predicted_once(graph: Data) -> None:
    views = drawn(bandana(), graph)
    forth, back = graph.edge_index[:, views.forth], graph.edge_index[:, views.back]
    assert torch.equal(forth.flip(0), back)
    assert views.forth.numel() == graph.num_edges // 2
    few = drawn(bandana(num_pairs=7), graph)
    assert few.forth.numel() == 7
    assert few.others.size(1) <= 7
    assert torch.equal(graph.edge_index[:, few.forth].flip(0), graph.edge_index[:, few.back])


def test_dropout_is_drawn_by_the_views_and_leaves_the_embeddings(graph: Data) -> None:
    method, still = bandana(dropout=0.5, decoder_dropout=0.5), bandana()
    views = drawn(method, graph)
    first, second = method.objective(views), method.objective(views)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["neighbors"], still.objective(views)["neighbors"])
    assert torch.equal(method.embed(graph), still.embed(graph))


def test_layers_of_two_widths_are_refused() -> None:
    with pytest.raises(UserError, match="hidden_dim=8 and out_dim=6 differ: one decoder reads all"):
        validated(Bandana.Config, {"hidden_dim": 8, "out_dim": 6})
    validated(Bandana.Config, {"hidden_dim": 8, "out_dim": 6, "num_layers": 1})


def test_without_edges_there_is_no_loss(graph: Data) -> None:
    graph.edge_index = torch.empty(2, 0, dtype=torch.long)
    method = bandana()
    terms = method.objective(drawn(method, graph))
    assert [float(term.detach()) for term in terms.values()] == [0.0, 0.0]

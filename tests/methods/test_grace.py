from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Positives
from homogcl.methods.base import Sizes
from homogcl.methods.grace import GRACE
from tests.reference.info_nce import Edges, slow_info_nce
from tests.reference.neighbors import doubled


@pytest.fixture
def graph(block_graph: Data) -> Data:
    """A part of the graph that loops can go through, in float64."""
    return doubled(block_graph.subgraph(torch.arange(18)))


def grace(**settings: object) -> GRACE:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "projector_dim": 5, **settings}
    return GRACE(GRACE.Config.model_validate(small), Sizes(nodes=18, features=16)).double()


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def projected(method: GRACE, graph: Data) -> Tensor:
    """The projector's output, layer by layer."""
    assert isinstance(method.projector, torch.nn.Sequential)
    first, bend, second = method.projector
    result: Tensor = second(bend(first(method.encoder(graph))))
    return result


@pytest.mark.parametrize("temperature", [0.2, 0.9])
def test_loss_and_gradient_are_eq_1_pair_by_pair(temperature: float, graph: Data) -> None:
    method = grace(temperature=temperature)
    terms = method.objective(method.views(graph, rng()))
    assert list(terms) == ["contrast"]
    views = method.views(graph, rng())
    slow = slow_info_nce(
        projected(method, views.first), projected(method, views.second), temperature
    )
    torch.testing.assert_close(terms["contrast"], slow)
    parameters = list(method.parameters())
    torch.testing.assert_close(
        torch.autograd.grad(terms["contrast"], parameters), torch.autograd.grad(slow, parameters)
    )


def edges_of(view: Data) -> Edges:
    """The pairs of a view."""
    return {(i, j) for i, j in view.edge_index.t().tolist()}


def test_with_positives_it_is_eq_10_over_the_edges_that_each_view_has_left(graph: Data) -> None:
    method = grace(drop_edge_1=0.5, drop_edge_2=0.2)
    saliency = torch.rand(18, 18, generator=rng(), dtype=torch.float64)
    source, target = graph.edge_index
    positives = Positives(graph.edge_index, saliency[source, target])
    views = method.views(graph, rng())
    first, second = edges_of(views.first), edges_of(views.second)
    assert first != second
    slow = slow_info_nce(
        projected(method, views.first),
        projected(method, views.second),
        0.5,
        saliency,
        (first, second),
    )
    torch.testing.assert_close(method.objective(views, positives)["contrast"], slow)


def test_embeddings_are_the_encoders_on_the_clean_graph(graph: Data) -> None:
    method = grace()
    h = graph.x
    for layer, bends in zip(method.encoder.layers, (True, False), strict=True):
        weight, bias = layer.get_parameter("weight"), layer.get_parameter("bias")
        convolution = GCNConv(*weight.shape).double()
        convolution.lin.weight.data, convolution.bias.data = weight.t(), bias.data
        h = convolution(h, graph.edge_index)
        h = h.relu() if bends else h
    torch.testing.assert_close(method.embed(graph), h)


def test_no_width_means_no_projector(graph: Data) -> None:
    method = grace(projector_dim=0)
    views = method.views(graph, rng())
    u, v = method.compared(views)
    assert torch.equal(u, method.encoder(views.first))
    assert torch.equal(v, method.encoder(views.second))


def test_each_view_has_its_own_rates(graph: Data) -> None:
    method = grace(drop_edge_1=0.0, drop_edge_2=1.0, mask_feature_1=1.0, mask_feature_2=0.0)
    views = method.views(graph, rng())
    assert edges_of(views.first) == edges_of(graph)
    assert edges_of(views.second) == set()
    assert not bool(views.first.x.any())
    assert torch.equal(views.second.x, graph.x)


def test_more_sampled_negatives_than_nodes_are_refused() -> None:
    method = grace(negatives="sampled", num_negatives=19)
    method.check(19)
    with pytest.raises(UserError, match="num_negatives=19 is more than the 18 nodes"):
        method.check(18)
    grace(num_negatives=19).check(18)

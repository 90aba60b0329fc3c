from __future__ import annotations

from typing import get_args

import pytest
import torch
from torch_geometric.data import Data

from homogcl.homophily.plugins.base import NoPairPositives
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Positives
from homogcl.methods.base import Sizes, total
from homogcl.methods.infogcl import InfoGCL, View, diffused_features, drop_nodes
from tests.reference.info_nce import slow_info_nce
from tests.reference.infomax import cross_entropy, edge_set, normalized, small_graph


def infogcl(**settings: object) -> InfoGCL:
    torch.manual_seed(0)
    config = InfoGCL.Config.model_validate({"out_dim": 4, **settings})
    return InfoGCL(config, Sizes(nodes=9, features=5)).double()


def test_both_contrasts_are_their_formulas() -> None:
    graph, method = small_graph(), infogcl(view_1="edges", view_2="features", contrast="hybrid")
    views = method.views(graph, torch.Generator().manual_seed(4))
    u, v = method.encoder(views.first), method.encoder(views.second)
    fakes = []
    for view in (views.first, views.second):
        fake = Data(x=view.x[views.order], edge_index=view.edge_index, num_nodes=9)
        fakes.append(method.encoder(fake))
    s_u, s_v = torch.sigmoid(u.mean(0)), torch.sigmoid(v.mean(0))
    w, nodes = method.discriminator, range(9)
    expected = cross_entropy(
        [u[i] @ w @ s_v for i in nodes] + [v[i] @ w @ s_u for i in nodes],
        [fakes[0][i] @ w @ s_v for i in nodes] + [fakes[1][i] @ w @ s_u for i in nodes],
    )
    terms = method.objective(views)
    torch.testing.assert_close(terms["local-local"], slow_info_nce(u, v, 0.5))
    torch.testing.assert_close(terms["local-global"], expected)


@pytest.mark.parametrize(
    ("contrast", "terms"),
    [
        ("local-local", {"local-local"}),
        ("local-global", {"local-global"}),
        ("hybrid", {"local-local", "local-global"}),
    ],
)
@pytest.mark.parametrize("kind", get_args(View))
def test_every_candidate_trains_all_its_parameters(
    contrast: str, terms: set[str], kind: str
) -> None:
    graph, method = small_graph(sparse=True), infogcl(view_1=kind, contrast=contrast)
    rng = torch.Generator().manual_seed(1)
    method.prepare(graph, rng)
    losses = method.objective(method.views(graph, rng))
    assert losses.keys() == terms
    total(losses, method.term_weights()).backward()  # type: ignore[no-untyped-call]
    for name, parameter in method.named_parameters():
        assert parameter.grad is not None, name
        assert float(parameter.grad.abs().sum()) > 0, name


def test_diffused_features_are_those_of_the_closed_form() -> None:
    graph, dense = small_graph(sparse=True), small_graph()
    a = normalized(graph)
    s = 0.2 * torch.linalg.inv(torch.eye(9, dtype=torch.float64) - 0.8 * a)
    # What twenty steps leave out weighs 0.8^21 and is spread by Â, of norm 1.
    bound = 0.8**20 * float(dense.x.norm()) * 2
    assert float((diffused_features(graph) - s @ dense.x).abs().max()) < bound
    method = infogcl(view_1="diffusion", view_2="clean")
    method.prepare(graph, torch.Generator())
    views = method.views(graph, torch.Generator().manual_seed(0))
    assert torch.equal(views.first.x, diffused_features(graph))
    assert views.second.x is graph.x


def test_dropped_nodes_lose_all_edges_and_others_only_those_to_them() -> None:
    graph = small_graph()
    graph.edge_weight = torch.arange(graph.edge_index.size(1)).double()
    view = drop_nodes(graph, 0.4, torch.Generator().manual_seed(5))
    assert view.num_nodes == 9
    assert torch.equal(view.edge_index, graph.edge_index[:, view.edge_id])
    assert torch.equal(view.edge_weight, graph.edge_weight[view.edge_id])
    remaining = {int(node) for node in view.edge_index.flatten()}
    lost = edge_set(graph) - edge_set(view)
    assert lost
    # No edge is lost between two nodes that both kept an edge of their own.
    dropped = set(range(9)) - remaining
    assert all(i in dropped or j in dropped for i, j in lost)


def test_neighbors_join_the_contrast_between_nodes_only() -> None:
    graph = small_graph()
    weight = torch.full((graph.edge_index.size(1),), 0.5, dtype=torch.float64)
    positives = Positives(graph.edge_index, weight)
    local = infogcl(view_1="edges", view_2="features", contrast="local-local")
    views = local.views(graph, torch.Generator().manual_seed(4))
    u, v = local.encoder(views.first), local.encoder(views.second)
    saliency = torch.full((9, 9), 0.5, dtype=torch.float64)
    edges = (edge_set(views.first), edge_set(views.second))
    torch.testing.assert_close(
        local.objective(views, positives)["local-local"],
        slow_info_nce(u, v, 0.5, saliency, edges),
    )


def test_without_pairs_it_is_refused_as_a_base() -> None:
    with pytest.raises(NoPairPositives, match="InfoGCL has no pair positives"):
        HomoGCL(infogcl(contrast="local-global"), HomoGCL.Config())
    HomoGCL(infogcl(contrast="hybrid"), HomoGCL.Config())

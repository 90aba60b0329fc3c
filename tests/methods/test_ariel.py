from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Positives
from homogcl.losses.adversarial import information_regularizer
from homogcl.methods.ariel import ARIEL, ArielViews
from homogcl.methods.base import Sizes
from homogcl.training.loop import TrainConfig, fit
from tests.graphs import with_isolated
from tests.reference.info_nce import slow_info_nce


def build(graph: Data, **settings: object) -> ARIEL:
    torch.manual_seed(0)
    small = {"hidden_dim": 12, "out_dim": 6, "projector_dim": 8, "subgraph_nodes": 20}
    return ARIEL(ARIEL.Config.model_validate({**small, **settings}), Sizes.of(graph))


def drawn(method: ARIEL, graph: Data, seed: int = 0) -> ArielViews:
    return method.views(graph, torch.Generator().manual_seed(seed))


def double(graph: Data) -> Data:
    changed = graph.clone()
    changed.x = changed.x.double()
    return changed


def test_the_dense_path_is_the_encoders_own(block_graph: Data) -> None:
    method = build(block_graph, last_activation=True)
    part = drawn(method, block_graph).clean
    adjacency = torch.zeros(20, 20)
    adjacency[part.edge_index[0], part.edge_index[1]] = 1.0
    torch.testing.assert_close(
        method._dense(adjacency, part.x), method.projector(method.encoder(part))
    )


def test_the_views_are_of_the_subgraph_and_number_its_edges(block_graph: Data) -> None:
    views = drawn(build(block_graph), block_graph)
    assert views.clean.num_nodes == 20
    for view in (views.first, views.second):
        assert torch.equal(views.clean.edge_index[:, view.edge_id], view.edge_index)
    source, target = block_graph.edge_index[:, views.clean.edge_id]
    assert torch.equal(views.clean.x[views.clean.edge_index[0]], block_graph.x[source])
    assert torch.equal(views.clean.x[views.clean.edge_index[1]], block_graph.x[target])


def test_contrast_and_adversarial_contrast_equal_graces_loss(block_graph: Data) -> None:
    graph = double(block_graph)
    method = build(graph, temperature=0.4).double()
    views = drawn(method, graph)
    terms = method.objective(views)
    u, v = (method.projector(method.encoder(x)).detach() for x in (views.first, views.second))
    adjacency, x = method._adversary(views, u)
    w = method._dense(adjacency, x).detach()
    assert set(terms) == {"contrast", "adversarial"}
    assert float(terms["contrast"].detach()) == pytest.approx(
        float(slow_info_nce(u, v, 0.4)), rel=1e-10
    )
    assert float(terms["adversarial"].detach()) == pytest.approx(
        float(slow_info_nce(u, w, 0.4)), rel=1e-10
    )


def test_neighbors_count_in_the_views_that_keep_their_edge(block_graph: Data) -> None:
    graph = double(block_graph)
    method = build(graph, temperature=0.4, attack_edge_share=100.0).double()
    # With these draws and this budget whatever raises the loss flips, edges among it.
    views = drawn(method, graph)
    views = replace(views, draws=torch.zeros_like(views.draws))
    rng = torch.Generator().manual_seed(5)
    weight = torch.rand(graph.num_edges, generator=rng, dtype=torch.float64)
    terms = method.objective(views, Positives(graph.edge_index, weight))
    u, v = (method.projector(method.encoder(x)).detach() for x in (views.first, views.second))
    adjacency, x = method._adversary(views, u)
    w = method._dense(adjacency, x).detach()
    part = views.clean
    saliency = torch.zeros(20, 20, dtype=torch.float64)
    saliency[part.edge_index[0], part.edge_index[1]] = weight[part.edge_id]
    first, second = (
        {(i, j) for i, j in view.edge_index.t().tolist()} for view in (views.first, views.second)
    )
    attacked = {(i, j) for i, j in part.edge_index.t().tolist() if adjacency[i, j] > 0}
    assert attacked != {(i, j) for i, j in part.edge_index.t().tolist()}
    for name, other, edges in (("contrast", v, second), ("adversarial", w, attacked)):
        expected = slow_info_nce(u, other, 0.4, saliency, (first, edges))
        assert float(terms[name].detach()) == pytest.approx(float(expected), rel=1e-10)


def test_the_adversary_is_worse_than_the_clean_graph_and_keeps_its_limits(
    block_graph: Data,
) -> None:
    method = build(block_graph, subgraph_nodes=60, attack_edge_step=1000.0)
    views = drawn(method, block_graph)
    u = method.projector(method.encoder(views.first)).detach()
    adjacency, x = method._adversary(views, u)
    clean = torch.zeros(60, 60)
    clean[views.clean.edge_index[0], views.clean.edge_index[1]] = 1.0
    assert torch.equal(adjacency, adjacency.t())
    assert bool((adjacency.diagonal() == 0).all())
    assert float((x - views.clean.x).abs().max()) <= 0.04 + 1e-6

    def loss(a: Tensor, features: Tensor) -> float:
        return float(slow_info_nce(u, method._dense(a, features).detach(), 0.5))

    assert loss(adjacency, x) > loss(clean, views.clean.x)
    # The flips are drawn from probabilities whose sum is the budget.
    flips = float((adjacency - clean).abs().sum()) / 2
    budget = 0.2 * float(clean.sum()) / 2
    assert 0 < flips < budget + 5 * budget**0.5


def test_the_attack_leaves_mode_and_gradients_as_they_were(block_graph: Data) -> None:
    method = build(block_graph, norm="batch")
    views = drawn(method, block_graph)
    before = {name: value.clone() for name, value in method.state_dict().items()}
    method._adversary(views, torch.randn(20, 6))
    assert method.training
    assert all(p.grad is None and p.requires_grad for p in method.parameters())
    for name, value in method.state_dict().items():
        assert torch.equal(value, before[name]), name


def test_the_curriculum_raises_the_adversarial_weight(block_graph: Data) -> None:
    method = build(
        block_graph,
        adversarial_weight=0.5,
        curriculum_growth=1.1,
        curriculum_epochs=2,
        information_weight=0.7,
    )
    weights = []
    for _ in range(5):
        weights.append(method.term_weights()["adversarial"])
        method.after_step(0.5)
    assert weights == pytest.approx([0.5, 0.5, 0.55, 0.55, 0.605])
    assert method.term_weights()["information"] == 0.7


def test_terms_of_no_weight_are_not_computed(block_graph: Data) -> None:
    method = build(block_graph, adversarial_weight=0.0)
    assert set(method.objective(drawn(method, block_graph))) == {"contrast"}
    full = build(block_graph, information_weight=1.0)
    terms = full.objective(drawn(full, block_graph))
    assert set(terms) == {"contrast", "adversarial", "information"}


def test_the_information_term_compares_both_views_with_the_clean_subgraph(
    block_graph: Data,
) -> None:
    method = build(block_graph, information_weight=1.0)
    views = drawn(method, block_graph)
    u, v, z = (
        method.projector(method.encoder(graph)).detach()
        for graph in (views.first, views.second, views.clean)
    )
    result = method.objective(views)["information"]
    wanted = information_regularizer(u, v, z, method.config.temperature)
    assert float(result.detach()) == pytest.approx(float(wanted), rel=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_it_trains_with_isolated_nodes_and_under_the_plug_in(
    block_graph: Data, sparse: bool
) -> None:
    graph = with_isolated(block_graph, 5)
    graph.x = graph.x.to_sparse_csr() if sparse else graph.x
    method = HomoGCL(build(graph), HomoGCL.Config(num_clusters=3))
    fit(method, graph, TrainConfig(epochs=3), seed=0)
    assert method.embed(graph).shape == (65, 6)

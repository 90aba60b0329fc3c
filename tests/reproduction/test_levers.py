from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids
from homogcl.homophily.positives import CannotCombine, Combine, Positives, Taken
from homogcl.homophily.saliency import soft_assignment
from homogcl.homophily.selection import most_modular
from homogcl.methods.base import Sizes
from homogcl.methods.grace import GRACE
from homogcl.methods.registry import build
from homogcl.nn.encoders import dropped_inputs
from reproduction.levers import Levers
from tests.plugged import NARROW, SETTINGS, edges_of, half_of, plugged, scores
from tests.reference.info_nce import Edges, slow_averaged_nce

PLUGIN: dict[str, object] = {"num_clusters": 3, "two_sigma_sq": 0.5}


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return half_of(block_graph)


def levers(graph: Data, *, encoder: str = "gcn", **settings: object) -> Levers:
    base = build("grace", {**NARROW, "encoder": encoder}, Sizes.of(graph), seed=0)
    config = Levers.Config.model_validate({**PLUGIN, **settings})
    return Levers(base, config).double()


def test_without_a_lever_it_is_homogcl(graph: Data) -> None:
    ours, shipped = levers(graph), plugged(graph, "grace+homogcl", SETTINGS)
    views = ours.views(graph, stream(0, "augment"))
    assert ours.objective(views) == shipped.objective(views)


def test_with_the_right_levers_it_is_the_adaptive_plugin(graph: Data) -> None:
    ours = levers(
        graph,
        combine="mean",
        clustered="directions",
        width="clusters",
        two_sigma_sq=1.0,
        saliency_gradient=False,
        homophily_weight=0.0,
    )
    shipped = plugged(graph, "grace+adaptive", {**NARROW, "num_clusters": 3})
    views = ours.views(graph, stream(0, "augment"))
    assert ours.objective(views)["contrast"] == shipped.objective(views)["contrast"]


def test_clusters_go_on_from_the_step_before(graph: Data) -> None:
    # Random features have no clusters, so that k-means needs several rounds.
    graph.x = torch.randn(graph.x.shape, generator=stream(1, "x"), dtype=torch.float64)
    method = levers(graph, encoder="mlp", kmeans_iterations=1, num_clusters=4)
    views = method.views(graph, stream(0, "augment"))
    h = method.embed(graph).detach()
    steps: list[Tensor] = []
    for step in (1, 2, 3):
        method.objective(views)
        rng = torch.Generator().manual_seed(views.cluster_seed)
        alone = centroids(h, 4, rng, max_iterations=step)
        torch.testing.assert_close(method.centroids, alone, rtol=0, atol=1e-12)
        assert not any(torch.equal(method.centroids, before) for before in steps)
        steps.append(method.centroids)


def test_clusters_of_directions_with_a_width_of_their_own(graph: Data) -> None:
    method = levers(graph, clustered="directions", width="clusters", two_sigma_sq=0.3)
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    h = normalize(method.embed(graph).detach())
    rng = torch.Generator().manual_seed(views.cluster_seed)
    c = centroids(h, 3, rng)
    torch.testing.assert_close(method.centroids, c)
    wide = float(((h[:, None] - c[None]).square().sum(2)).amin(1).mean())
    by_hand = soft_assignment(h, c, 0.3 * wide)
    r = method.assignment(graph)
    assert r is not None
    torch.testing.assert_close(r.detach(), by_hand)


def test_clusters_of_a_slow_copy(graph: Data) -> None:
    method = levers(graph, cluster_momentum=0.9)
    slow = method.slow
    assert slow is not None
    views = method.views(graph, stream(0, "augment"))
    before = [parameter.clone() for parameter in method.base.parameters()]
    with torch.no_grad():
        for parameter in method.base.parameters():
            parameter.add_(0.1)
    method.objective(views)
    rng = torch.Generator().manual_seed(views.cluster_seed)
    torch.testing.assert_close(method.centroids, centroids(slow.embed(graph), 3, rng))
    method.after_step(0.5)
    for held, old in zip(slow.parameters(), before, strict=True):
        torch.testing.assert_close(held, old + 0.1 * 0.1)


def test_the_plugin_is_switched_on_after_a_share_of_the_steps(graph: Data) -> None:
    method, whole = levers(graph, start_at=0.5), levers(graph)
    views = method.views(graph, stream(0, "augment"))
    assert {*method.objective(views)} == {"contrast"}
    assert torch.equal(
        method.objective(views)["contrast"], method.base.objective(views.base)["contrast"]
    )
    method.after_step(0.5)
    assert method.objective(views) == whole.objective(views)

    # A training that is resumed is as far as the one that was stopped.
    resumed = levers(graph, start_at=0.5)
    resumed.load_state_dict(method.state_dict())
    assert {*resumed.objective(views)} == {"contrast", "homophily"}


def test_cold_clusters_forget_the_last_step(graph: Data) -> None:
    method = levers(graph, warm_start=False, kmeans_iterations=1)
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    first = method.centroids
    method.objective(views)
    assert torch.equal(method.centroids, first)


def test_the_number_of_clusters_is_chosen_once_and_then_kept(graph: Data) -> None:
    method = levers(graph, choose_clusters=True, num_clusters=10_000)
    method.check(int(graph.num_nodes or 0))
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    chosen = method.centroids
    rng = torch.Generator().manual_seed(views.cluster_seed)
    best = most_modular(method.embed(graph).detach(), graph.edge_index, rng)
    assert torch.equal(chosen, best.centroids)
    method.objective(method.views(graph, stream(1, "augment")))
    assert method.centroids.shape == chosen.shape


def test_scaled_saliency_and_a_weighted_mean_reach_the_positives(graph: Data) -> None:
    method = levers(graph, saliency_scale=0.25, combine="weighted mean")
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    s = scores(method, graph)
    by_hand = Positives(graph.edge_index, 0.25 * s, combine=Combine.WEIGHTED_MEAN)
    torch.testing.assert_close(ours, method.base.objective(views.base, by_hand)["contrast"])


@pytest.mark.parametrize("taken", [Taken.SEEN, Taken.UNSEEN])
def test_a_view_decides_which_neighbors_count(graph: Data, taken: Taken) -> None:
    method = levers(graph, taken=taken, combine="weighted mean", saliency="hard")
    views = method.views(graph, stream(0, "augment"))
    nodes, everything = int(graph.num_nodes or 0), edges_of(graph)

    def near(view: Data) -> Edges:
        seen = edges_of(view)
        lost = {(i, j) for i, j in everything if not {(i, j), (j, i)} & seen}
        assert seen
        assert lost
        return seen if taken is Taken.SEEN else lost

    assert isinstance(method.base, GRACE)
    u, v = method.base.compared(views.base)
    ones = torch.ones(nodes, nodes, dtype=torch.float64)
    slow = slow_averaged_nce(u, v, 0.5, ones, (near(views.base.first), near(views.base.second)))
    torch.testing.assert_close(method.objective(views)["contrast"], slow)


def test_which_neighbors_count_is_a_question_of_means(graph: Data) -> None:
    with pytest.raises(ValueError, match="taken=unseen is for combine=mean"):
        levers(graph, taken="unseen")
    base = build("ccassg", {}, Sizes.of(graph), seed=0)
    method = Levers(base, Levers.Config(taken=Taken.UNSEEN, combine="mean", num_clusters=3))
    with pytest.raises(CannotCombine, match="unseen neighbors need a base that compares views"):
        method.double().objective(method.views(graph, stream(0, "augment")))


def test_without_weight_on_neighbors_a_mean_is_the_bases_own_loss(graph: Data) -> None:
    method = levers(graph, combine="mean", saliency_scale=0.0, homophily_weight=0.0)
    views = method.views(graph, stream(0, "augment"))
    alone = method.base.objective(views.base)["contrast"]
    torch.testing.assert_close(method.objective(views)["contrast"], alone)


def test_dropout_is_before_each_layer_and_not_in_embeddings(graph: Data) -> None:
    method = levers(graph, combine="mean", saliency_scale=0.0, dropout=0.5)
    views = method.views(graph, stream(0, "augment"))
    rng = torch.Generator().manual_seed(views.cluster_seed)
    with dropped_inputs(method.base, 0.5, rng):
        by_hand = method.base.objective(views.base)["contrast"]
    torch.testing.assert_close(method.objective(views)["contrast"], by_hand)
    alone = method.base.objective(views.base)["contrast"]
    assert not torch.allclose(by_hand, alone)
    assert torch.equal(method.embed(graph), levers(graph).embed(graph))


def test_a_mean_is_refused_by_a_base_that_cannot_take_it(graph: Data) -> None:
    base = build("gbt", {}, Sizes.of(graph), seed=0)
    with pytest.raises(CannotCombine, match=r"^G-BT takes neighbors by term"):
        Levers(base, Levers.Config(combine="mean"))

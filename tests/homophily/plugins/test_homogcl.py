from __future__ import annotations

import pytest
import torch
from pydantic import ValidationError
from sklearn.cluster import KMeans
from torch_geometric.data import Data

from homogcl import HomoGCL as PublicHomoGCL
from homogcl.core.errors import UserError
from homogcl.core.seeds import branch, stream
from homogcl.homophily.clusters import plus_plus
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Combine, Positives
from homogcl.homophily.saliency import saliency, soft_assignment
from homogcl.methods.base import Sizes, total
from homogcl.methods.grace import GRACE
from homogcl.methods.registry import build, configure
from homogcl.training.loop import TrainConfig, fit
from homogcl.views.augment import augment
from tests.plugged import NARROW, SETTINGS, edges_of, gradients, half_of, plugged, scores
from tests.reference.info_nce import slow_info_nce


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return half_of(block_graph)


def homogcl_on(graph: Data, name: str = "grace+homogcl", **settings: object) -> HomoGCL:
    method = plugged(graph, name, {**SETTINGS, **settings})
    assert isinstance(method, HomoGCL)
    return method


def test_it_goes_on_any_method_object(graph: Data) -> None:
    base = build("grace", NARROW, Sizes.of(graph), seed=0).double()
    by_hand = PublicHomoGCL(base, num_clusters=3, two_sigma_sq=0.5)
    views = by_hand.views(graph, stream(0, "augment"))
    by_name = homogcl_on(graph)
    assert by_hand.name == "GRACE+HomoGCL"
    assert by_hand.objective(views) == by_name.objective(views)


def test_step_is_algorithm_1_written_by_hand(graph: Data) -> None:
    method = homogcl_on(graph, homophily_weight=0.7)
    views = method.views(graph, stream(3, "augment"))
    terms = method.objective(views)
    ours = total(terms, method.term_weights())

    # The lines of Algorithm 1, with scikit-learn's k-means and loops for the losses.
    base = method.base
    assert isinstance(base, GRACE)
    rng = stream(3, "augment")
    cluster_seed = branch(rng, "clusters")
    first, second = (augment(graph, 0.4, 0.1, rng) for _ in range(2))
    h = base.encoder(graph)
    u, v = base.projector(base.encoder(first)), base.projector(base.encoder(second))
    start = plus_plus(h.detach(), 3, torch.Generator().manual_seed(cluster_seed))
    kmeans = KMeans(3, init=start.numpy(), n_init=1, max_iter=20, tol=0).fit(h.detach().numpy())
    c = torch.from_numpy(kmeans.cluster_centers_)
    r = (-(h[:, None] - c[None]).square().sum(2) / 0.5).softmax(1)
    s = (r / r.norm(dim=1, keepdim=True)) @ (r / r.norm(dim=1, keepdim=True)).t()
    contrast = slow_info_nce(u, v, 0.5, s, (edges_of(first), edges_of(second)))
    pairs = graph.edge_index.t().tolist()
    homophily = torch.stack([(r[i] - r[j]).square().sum() for i, j in pairs]).sum() / (
        3 * len(pairs)
    )
    by_hand = contrast + 0.7 * homophily

    assert all(value.item() > 0.01 for value in terms.values())
    torch.testing.assert_close(ours, by_hand)
    torch.testing.assert_close(gradients(ours, method), gradients(by_hand, method))


def test_hard_neighbors_weigh_one_each(graph: Data) -> None:
    method = homogcl_on(graph, "grace+hard")
    views = method.views(graph, stream(0, "augment"))
    ones = Positives(graph.edge_index, torch.ones(graph.num_edges, dtype=torch.float64))
    by_hand = method.base.objective(views.base, ones)["contrast"]
    assert torch.equal(method.objective(views)["contrast"], by_hand)


def test_hard_neighbors_are_what_saliency_gives_with_a_single_cluster(graph: Data) -> None:
    losses = []
    for name in ("grace+homogcl", "grace+hard"):
        method = homogcl_on(graph, name, num_clusters=1)
        losses.append(method.objective(method.views(graph, stream(0, "augment")))["contrast"])
    assert torch.equal(*losses)


def test_without_the_homophily_loss_only_the_contrast_counts(graph: Data) -> None:
    method = homogcl_on(graph, homophily_weight=0.0)
    terms = method.objective(method.views(graph, stream(0, "augment")))
    assert torch.equal(total(terms, method.term_weights()), terms["contrast"])


def test_a_scale_of_all_embeddings_changes_no_saliency_where_the_width_is_the_clusters(
    graph: Data,
) -> None:
    results = []
    for factor in (1.0, 7.0):
        method = homogcl_on(graph, width="clusters", encoder="mlp", num_layers=1)
        with torch.no_grad():
            for parameter in method.base.parameters():
                parameter.mul_(factor)
        method.objective(method.views(graph, stream(0, "augment")))
        results.append(scores(method, graph))
    torch.testing.assert_close(results[0], results[1])


def test_saliency_is_that_of_the_last_clusters(graph: Data) -> None:
    method = homogcl_on(graph)
    method.objective(method.views(graph, stream(0, "augment")))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    s = scores(method, graph)
    assert torch.equal(s, saliency(r, graph.edge_index))
    assert s.shape == (graph.num_edges,)
    assert 0 <= float(s.min()) < float(s.max()) <= 1


@pytest.mark.parametrize("flows", [True, False])
def test_gradient_flows_through_the_saliency_where_asked(graph: Data, flows: bool) -> None:
    method = homogcl_on(graph, saliency_gradient=flows)
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    s = scores(method, graph)
    by_hand = method.base.objective(
        views.base, Positives(graph.edge_index, s if flows else s.detach())
    )["contrast"]
    grads = gradients(ours, method)
    torch.testing.assert_close(grads, gradients(by_hand, method))
    other = method.base.objective(
        views.base, Positives(graph.edge_index, s.detach() if flows else s)
    )["contrast"]
    assert any(
        (a - b).abs().max() > 1e-6 for a, b in zip(grads, gradients(other, method), strict=True)
    )


def test_more_clusters_than_nodes_end_the_training_with_one_line(block_graph: Data) -> None:
    method = build("grace+homogcl", {**SETTINGS, "num_clusters": 61}, Sizes.of(block_graph), seed=0)
    with pytest.raises(UserError, match="num_clusters=61 is more than the 60 nodes"):
        fit(method, block_graph, TrainConfig(epochs=1), seed=0)


def test_graph_without_edges_trains_as_the_base_does(block_graph: Data) -> None:
    block_graph.edge_index = torch.empty(2, 0, dtype=torch.long)
    method = build("grace+homogcl", SETTINGS, Sizes.of(block_graph), seed=0)
    assert isinstance(method, HomoGCL)
    views = method.views(block_graph, stream(0, "augment"))
    terms = method.objective(views)
    assert torch.equal(terms["contrast"], method.base.objective(views.base)["contrast"])
    assert float(terms["homophily"].detach()) == 0


def test_weights_of_the_terms_are_alpha_and_beta(graph: Data) -> None:
    settings: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "num_clusters": 3}
    settings |= {"homophily_weight": 0.3, "neighbor_weight": 0.2}
    method = plugged(graph, "bgrl+homogcl", settings)
    assert method.term_weights() == {"homophily": 0.3, "neighbors": 0.2}
    assert method.combine is Combine.TERM


def test_a_weight_of_neighbors_is_refused_where_they_have_no_term() -> None:
    with pytest.raises(UserError, match=r"^neighbor_weight=0.2: GRACE has no term of neighbors"):
        configure("grace+homogcl", {"neighbor_weight": 0.2})
    assert configure("bgrl+homogcl", {"neighbor_weight": 0.2})


def test_hard_neighbors_have_no_gradient_to_switch_off() -> None:
    with pytest.raises(ValidationError, match="leave saliency_gradient out"):
        HomoGCL.Config(saliency="hard", saliency_gradient=False)
    with pytest.raises(UserError, match=r"saliency_gradient=False contradicts the name grace.hard"):
        configure("grace+hard", {"saliency_gradient": False})


def test_it_has_at_most_eight_settings() -> None:
    assert len(HomoGCL.Config.model_fields) <= 8

from __future__ import annotations

import pytest
import torch
from sklearn.cluster import KMeans
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids, plus_plus, saliency, soft_assignment
from homogcl.homophily.plugin import ADAPTIVE, HomoGCL, NoPairPositives
from homogcl.homophily.positives import Positives
from homogcl.homophily.selection import most_modular
from homogcl.methods.base import Sizes, total
from homogcl.methods.grace import GRACE
from homogcl.methods.registry import build, config_classes, configure, method_class, method_names
from homogcl.presets.resolve import resolve
from homogcl.training.loop import TrainConfig, fit
from homogcl.views.augment import augment
from tests.reference.info_nce import Edges, slow_info_nce

SETTINGS = {
    "hidden_dim": 8,
    "out_dim": 4,
    "projector_dim": 5,
    "num_clusters": 3,
    "two_sigma_sq": 0.5,
}


@pytest.fixture
def graph(block_graph: Data) -> Data:
    """Half of the block graph, in float64."""
    half: Data = block_graph.subgraph(torch.arange(0, 60, 2))
    half.x = half.x.double()
    return half


def plugged(graph: Data, name: str = "grace+homogcl", **settings: object) -> HomoGCL:
    method = build(name, {**SETTINGS, **settings}, Sizes.of(graph), seed=0).double()
    assert isinstance(method, HomoGCL)
    return method


def edges_of(view: Data) -> Edges:
    return {(i, j) for i, j in view.edge_index.t().tolist()}


def gradients(loss: Tensor, method: HomoGCL) -> list[Tensor]:
    return list(
        torch.autograd.grad(
            loss, list(method.parameters()), allow_unused=True, materialize_grads=True
        )
    )


def test_step_is_algorithm_1_written_by_hand(graph: Data) -> None:
    method = plugged(graph, homophily_weight=0.7)
    views = method.views(graph, stream(3, "augment"))
    terms = method.objective(views)
    ours = total(terms, method.term_weights())

    # The lines of Algorithm 1, with scikit-learn's k-means and loops for the losses.
    base = method.base
    assert isinstance(base, GRACE)
    rng = stream(3, "augment")
    cluster_seed = int(torch.randint(2**31, (1,), generator=rng))
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


@pytest.mark.parametrize("plugin", ["homogcl", "hard"])
@pytest.mark.parametrize(
    "base", [n for n in method_names() if not method_class(n).expands_positives]
)
def test_base_without_pair_positives_is_refused_by_its_name(base: str, plugin: str) -> None:
    named = method_class(base).name
    with pytest.raises(NoPairPositives, match=f"^{named} has no pair positives"):
        build(f"{base}+{plugin}", {}, Sizes(10, 4, 2), seed=0)
    assert issubclass(NoPairPositives, UserError)


def test_plugin_on_a_plugin_is_refused() -> None:
    with pytest.raises(NoPairPositives):
        build("grace+homogcl+hard", {}, Sizes(10, 4, 2), seed=0)


def test_hard_neighbors_weigh_one_each(graph: Data) -> None:
    method = plugged(graph, "grace+hard")
    views = method.views(graph, stream(0, "augment"))
    ones = Positives(graph.edge_index, torch.ones(graph.num_edges, dtype=torch.float64))
    by_hand = method.base.objective(views.base, ones)["contrast"]
    assert torch.equal(method.objective(views)["contrast"], by_hand)


def test_hard_neighbors_are_what_saliency_gives_with_a_single_cluster(graph: Data) -> None:
    losses = []
    for name in ("grace+homogcl", "grace+hard"):
        method = plugged(graph, name, num_clusters=1)
        losses.append(method.objective(method.views(graph, stream(0, "augment")))["contrast"])
    assert torch.equal(*losses)


def test_weights_of_the_terms_are_alpha_and_beta(graph: Data) -> None:
    method = plugged(graph, homophily_weight=0.3, neighbor_weight=0.2)
    assert method.term_weights() == {"homophily": 0.3, "neighbors": 0.2}


def test_without_the_homophily_loss_only_the_contrast_counts(graph: Data) -> None:
    method = plugged(graph, homophily_weight=0.0)
    terms = method.objective(method.views(graph, stream(0, "augment")))
    assert torch.equal(total(terms, method.term_weights()), terms["contrast"])


def test_clusters_go_on_from_the_step_before(graph: Data) -> None:
    # Random features have no clusters, so that k-means needs several rounds.
    graph.x = torch.randn(graph.x.shape, generator=stream(1, "x"), dtype=torch.float64)
    method = plugged(graph, encoder="mlp", kmeans_iterations=1, num_clusters=4)
    views = method.views(graph, stream(0, "augment"))
    h = method.embed(graph).detach()
    seen: list[Tensor] = []
    for step in (1, 2, 3):
        method.objective(views)
        rng = torch.Generator().manual_seed(views.cluster_seed)
        alone = centroids(h, 4, rng, max_iterations=step)
        torch.testing.assert_close(method.centroids, alone, rtol=0, atol=1e-12)
        assert not any(torch.equal(method.centroids, before) for before in seen)
        seen.append(method.centroids)


def test_clusters_of_directions_with_a_width_of_their_own(graph: Data) -> None:
    method = plugged(graph, clustered="directions", width="clusters", two_sigma_sq=0.3)
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    h = normalize(method.embed(graph).detach())
    rng = torch.Generator().manual_seed(views.cluster_seed)
    c = centroids(h, 3, rng)
    torch.testing.assert_close(method.centroids, c)
    wide = float(((h[:, None] - c[None]).square().sum(2)).amin(1).mean())
    by_hand = soft_assignment(h, c, 0.3 * wide)
    torch.testing.assert_close(method.assignment(graph).detach(), by_hand)


def test_a_scale_of_all_embeddings_changes_no_saliency_where_the_width_is_the_clusters(
    graph: Data,
) -> None:
    seen = []
    for factor in (1.0, 7.0):
        method = plugged(graph, width="clusters", encoder="mlp", num_layers=1)
        with torch.no_grad():
            for parameter in method.base.parameters():
                parameter.mul_(factor)
        method.objective(method.views(graph, stream(0, "augment")))
        seen.append(method.saliency(graph))
    torch.testing.assert_close(seen[0], seen[1])


def test_clusters_of_a_slow_copy(graph: Data) -> None:
    method = plugged(graph, cluster_momentum=0.9)
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
    method, whole = plugged(graph, start_at=0.5), plugged(graph)
    views = method.views(graph, stream(0, "augment"))
    assert {*method.objective(views)} == {"contrast"}
    assert torch.equal(
        method.objective(views)["contrast"], method.base.objective(views.base)["contrast"]
    )
    method.after_step(0.5)
    assert method.objective(views) == whole.objective(views)

    # A training that is resumed is as far as the one that was stopped.
    resumed = plugged(graph, start_at=0.5)
    resumed.load_state_dict(method.state_dict())
    assert {*resumed.objective(views)} == {"contrast", "homophily"}


def test_cold_clusters_forget_the_last_step(graph: Data) -> None:
    method = plugged(graph, warm_start=False, kmeans_iterations=1)
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    first = method.centroids
    method.objective(views)
    assert torch.equal(method.centroids, first)


def test_the_number_of_clusters_is_chosen_once_and_then_kept(graph: Data) -> None:
    method = plugged(graph, choose_clusters=True, num_clusters=10_000)
    method.check(int(graph.num_nodes or 0))
    views = method.views(graph, stream(0, "augment"))
    method.objective(views)
    chosen = method.centroids
    rng = torch.Generator().manual_seed(views.cluster_seed)
    found = most_modular(method.embed(graph).detach(), graph.edge_index, rng)
    assert torch.equal(chosen, found.centroids)
    method.objective(method.views(graph, stream(1, "augment")))
    assert method.centroids.shape == chosen.shape


def test_scaled_saliency_and_a_logarithm_each_reach_the_positives(graph: Data) -> None:
    method = plugged(graph, saliency_scale=0.25, one_each=True)
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    s = method.saliency(graph)
    by_hand = Positives(graph.edge_index, 0.25 * s, one_each=True)
    torch.testing.assert_close(ours, method.base.objective(views.base, by_hand)["contrast"])


@pytest.mark.parametrize(("base", "term"), [("bgrl", "bootstrap"), ("ccassg", "invariance")])
def test_averaged_positives_take_the_place_of_a_term_of_their_own(
    graph: Data, base: str, term: str
) -> None:
    method = build(base, {"hidden_dim": 8, "out_dim": 6}, Sizes.of(graph), seed=0).double()
    views = method.views(graph, stream(0, "augment"))
    weight = torch.ones(graph.num_edges, dtype=torch.float64)
    alone = method.objective(views)
    with_them = method.objective(views, Positives(graph.edge_index, weight, one_each=True))
    assert alone.keys() == with_them.keys()
    assert abs(float((alone[term] - with_them[term]).detach())) > 1e-3


@pytest.mark.parametrize("base", ["grace", "bgrl", "ccassg"])
def test_the_adaptive_variant_has_clusters_as_wide_as_they_are(graph: Data, base: str) -> None:
    settings: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "variant": "adaptive"}
    settings |= {"num_clusters": 3}
    method = build(f"{base}+homogcl", settings, Sizes.of(graph), seed=0).double()
    assert isinstance(method, HomoGCL)
    method.objective(method.views(graph, stream(0, "augment")))
    s = method.saliency(graph)
    h = normalize(method.embed(graph))
    c = method.centroids
    own_width = torch.cdist(h, c).square().amin(1).mean()
    torch.testing.assert_close(s, saliency(soft_assignment(h, c, own_width), graph.edge_index))
    assert method.term_weights()["homophily"] == 0.0


def test_what_the_adaptive_variant_settles_may_be_said_and_not_contradicted() -> None:
    assert HomoGCL.Config(variant="adaptive").one_each
    assert HomoGCL.Config.model_validate({"variant": "adaptive", **ADAPTIVE}) == HomoGCL.Config(
        variant="adaptive"
    )
    with pytest.raises(UserError) as refused:
        configure("grace+homogcl", {"variant": "adaptive", "two_sigma_sq": 4.0})
    assert str(refused.value) == "setting two_sigma_sq=4.0: variant=adaptive has 1.0"
    with pytest.raises(UserError, match="setting one_each='maybe': input should be"):
        configure("grace+homogcl", {"variant": "adaptive", "one_each": "maybe"})


@pytest.mark.parametrize("base", [n for n in method_names() if method_class(n).expands_positives])
def test_the_adaptive_variant_prevails_over_the_presets_of_every_base(base: str) -> None:
    for data in ("cora", "pubmed", "an unknown graph"):
        settings = resolve(f"{base}+homogcl", data, {"variant": "adaptive"})
        assert settings.method.items() >= ADAPTIVE.items()
        mine, plugins = config_classes(f"{base}+homogcl")
        assert not mine.model_fields.keys() & plugins.model_fields.keys()


def test_the_adaptive_variant_learns_nothing_through_its_saliency(graph: Data) -> None:
    settings = {key: value for key, value in SETTINGS.items() if key not in ADAPTIVE}
    made = build("grace+homogcl", {**settings, "variant": "adaptive"}, Sizes.of(graph), seed=0)
    method = made.double()
    assert isinstance(method, HomoGCL)
    views = method.views(graph, stream(0, "augment"))
    found = gradients(total(method.objective(views), method.term_weights()), method)
    degree = torch.bincount(graph.edge_index[0], minlength=graph.num_nodes)
    assert int(degree.max()) > 1
    pairs = Positives(
        graph.edge_index, method.saliency(graph).detach(), one_each=True, averaged=True
    )
    by_hand = gradients(method.base.objective(views.base, pairs)["contrast"], method)
    torch.testing.assert_close(found, by_hand)


def test_saliency_is_that_of_the_last_clusters(graph: Data) -> None:
    method = plugged(graph)
    method.objective(method.views(graph, stream(0, "augment")))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    s = method.saliency(graph)
    assert torch.equal(s, saliency(r, graph.edge_index))
    assert s.shape == (graph.num_edges,)
    assert 0 <= float(s.min()) < float(s.max()) <= 1


@pytest.mark.parametrize("flows", [True, False])
def test_gradient_flows_through_the_saliency_where_asked(graph: Data, flows: bool) -> None:
    method = plugged(graph, saliency_gradient=flows)
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    s = method.saliency(graph)
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


def test_released_variant_starts_its_clusters_anew_at_each_step(graph: Data) -> None:
    method = plugged(graph, variant="released", kmeans_iterations=1)
    views = [method.views(graph, stream(seed, "augment")) for seed in (0, 1)]
    seen = []
    for view in views:
        method.objective(view)
        seen.append(method.centroids)
    assert torch.equal(*seen)


def test_released_variant_clusters_at_most_256_nodes_a_cluster() -> None:
    nodes = 600
    ring = torch.arange(nodes)
    edges = torch.stack(
        [torch.cat([ring, (ring + 1) % nodes]), torch.cat([(ring + 1) % nodes, ring])]
    )
    edges = edges[:, (edges[0] * nodes + edges[1]).argsort()]
    x = torch.randn(nodes, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    graph = Data(x=x, edge_index=edges)
    method = plugged(graph, variant="released", num_clusters=1)
    method.objective(method.views(graph, stream(0, "augment")))
    h = method.embed(graph)
    kept = torch.randperm(nodes, generator=torch.Generator().manual_seed(1234))[:256]
    torch.testing.assert_close(method.centroids[0], h[kept].mean(0))


def test_released_variant_averages_the_homophily_loss_over_self_loops_too(graph: Data) -> None:
    method = plugged(graph, variant="released")
    terms = method.objective(method.views(graph, stream(0, "augment")))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    loops = torch.arange(graph.num_nodes)
    source, target = torch.cat([graph.edge_index, torch.stack([loops, loops])], 1)
    torch.testing.assert_close(terms["homophily"], (r[source] - r[target]).square().mean())


@pytest.mark.parametrize("averaged", [True, False])
def test_options_of_the_released_code_reach_the_loss(graph: Data, averaged: bool) -> None:
    method = plugged(graph, variant="released", average_neighbors=averaged)
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    base = method.base
    assert isinstance(base, GRACE)
    u, v = (base.projector(base.encoder(view)) for view in (views.base.first, views.base.second))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    unit = r / r.norm(dim=1, keepdim=True)
    edges = (edges_of(views.base.first), edges_of(views.base.second))
    slow = slow_info_nce(u, v, 0.5, unit @ unit.t(), edges, averaged=averaged, own_pair_twice=True)
    torch.testing.assert_close(ours, slow)


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

"""Negatives that are sampled, through the methods that have them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, cast

import pytest
import torch
from sklearn.cluster import KMeans
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.distributed import Ranks, Sharing
from homogcl.core.errors import UserError
from homogcl.homophily.clusters import centroids, nearest_centroid, plus_plus
from homogcl.homophily.running_clusters import RunningClusters
from homogcl.losses import info_nce
from homogcl.losses.contrast.negatives import Sampled
from homogcl.losses.contrast.sampled import SampledColumns
from homogcl.methods.base import Method, Sizes
from homogcl.methods.negatives import ContrastNegatives, NegativesConfig
from homogcl.methods.registry import build
from homogcl.testing.candidate import Candidate
from homogcl.testing.contract import resumed
from homogcl.testing.pairs import leaves
from homogcl.training.loop import TrainConfig, fit
from tests.graphs import same
from tests.reference.neighbors import doubled

METHODS = ["grace", "gca"]
SMALL = {"hidden_dim": 8, "out_dim": 6}


def prepared(name: str, graph: Data, **settings: object) -> Method:
    """A method with the same weights whatever its negatives are."""
    method = build(name, {**SMALL, **settings}, Sizes.of(graph), seed=0).double()
    method.prepare(graph, torch.Generator().manual_seed(3))
    return method


def losses(method: Method, graph: Data, seed: int = 1) -> tuple[float, list[torch.Tensor]]:
    """The loss on one draw of views, and its gradients."""
    views = method.views(graph, torch.Generator().manual_seed(seed))
    [loss] = method.objective(views).values()
    live = [p for p in method.parameters() if p.requires_grad]
    return float(loss.detach()), list(torch.autograd.grad(loss, live))


@pytest.mark.parametrize("name", METHODS)
def test_a_sample_of_all_nodes_is_exact(name: str, block_graph: Data) -> None:
    graph = doubled(block_graph)
    exact = losses(prepared(name, graph), graph)
    every = losses(prepared(name, graph, negatives="sampled", num_negatives=60), graph)
    assert every[0] == pytest.approx(exact[0], rel=1e-12)
    torch.testing.assert_close(every[1], exact[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_a_sample_is_drawn_by_the_generator_of_the_step(name: str, block_graph: Data) -> None:
    graph = doubled(block_graph)
    method = prepared(name, graph, negatives="sampled", num_negatives=5)
    exact = losses(prepared(name, graph), graph)[0]
    first, again = (losses(method, graph, seed=1)[0] for _ in range(2))
    assert first == again
    assert first != exact
    assert first == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("name", METHODS)
def test_sampling_leaves_the_views_of_a_step_as_they_were(name: str, block_graph: Data) -> None:
    both = [
        prepared(name, block_graph, **settings).views(block_graph, torch.Generator().manual_seed(1))
        for settings in ({}, {"negatives": "sampled", "num_negatives": 5})
    ]
    for left, right in ((both[0].first, both[1].first), (both[0].second, both[1].second)):
        assert same({"x": left.x, "e": left.edge_index}, {"x": right.x, "e": right.edge_index})


def drawn_by_loop(draw: Tensor, count: int, cluster: list[int]) -> SampledColumns:
    """The lowest draws of each cluster, as many as its share of `count`, in plain loops."""
    node, weight = [], []
    for each in sorted(set(cluster)):
        members = [i for i, own in enumerate(cluster) if own == each]
        members.sort(key=lambda i: float(draw[i]))
        quota = max(1, round(len(members) * count / len(cluster)))
        node += members[:quota]
        weight += [len(members) / quota] * quota
    return SampledColumns(torch.tensor(node), torch.tensor(weight, dtype=draw.dtype))


@pytest.mark.parametrize("name", METHODS)
def test_a_sample_by_cluster_is_that_of_plain_loops(name: str, block_graph: Data) -> None:
    graph = doubled(block_graph)
    sampled = {"negatives": "sampled", "num_negatives": 9}
    method: Any = prepared(name, graph, **sampled, negative_clusters=4)
    uniform = prepared(name, graph, **sampled)
    rng, own_rng = (torch.Generator().manual_seed(1) for _ in range(2))
    before = None
    for _ in range(3):
        views = method.views(graph, rng)
        loss = float(method.objective(views)["contrast"].detach())
        u, v = (
            method.projector(method.encoder(view)).detach() for view in (views.first, views.second)
        )
        unit = (u / u.norm(dim=1, keepdim=True)).numpy()
        start = before
        if start is None:
            seed = torch.Generator().manual_seed(views.cluster_seed)
            start = plus_plus(torch.from_numpy(unit), 4, seed)
        kmeans = KMeans(4, init=start.numpy(), n_init=1, max_iter=20, tol=0).fit(unit)
        before = method.negatives.centroids
        torch.testing.assert_close(before, torch.from_numpy(kmeans.cluster_centers_))
        columns = drawn_by_loop(views.draw, 9, kmeans.labels_.tolist())
        by_hand = info_nce(u, v, method.config.temperature, negatives=Sampled(columns))
        assert loss == pytest.approx(float(by_hand), rel=1e-9)
        # The same draw without clusters has another loss.
        alone = float(uniform.objective(uniform.views(graph, own_rng))["contrast"].detach())
        assert abs(alone - loss) > 1e-4


@pytest.mark.parametrize("name", METHODS)
def test_clusters_leave_views_and_draw_as_they_were(name: str, block_graph: Data) -> None:
    first, second = (
        list(leaves(method.views(block_graph, torch.Generator().manual_seed(1))))
        for k in (0, 4)
        for method in [
            prepared(name, block_graph, negatives="sampled", num_negatives=9, negative_clusters=k)
        ]
    )
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a == b


@pytest.mark.parametrize("name", METHODS)
def test_training_by_cluster_resumes_to_the_same_bits(name: str, block_graph: Data) -> None:
    settings = {**SMALL, "negatives": "sampled", "num_negatives": 9, "negative_clusters": 6}

    def make(sizes: Sizes, seed: int) -> Method:
        return build(name, settings, sizes, seed)

    each = Candidate(name, make, TrainConfig())
    whole = each.trained(block_graph, epochs=5)
    again = resumed(each, block_graph, each.schedule(5))
    assert same(again.state_dict(), whole.state_dict())
    assert whole.state_dict()["negatives.centroids"].shape == (6, 6)


def test_clusters_of_batches_are_those_of_all_steps(block_graph: Data) -> None:
    settings = {**SMALL, "negatives": "sampled", "num_negatives": 9, "negative_clusters": 3}
    method: Any = build("grace", settings, Sizes.of(block_graph), seed=0)
    rows: list[Tensor] = []
    after: list[Tensor] = []
    usual = method.negatives._clusters

    def listen(h: Tensor, seed: int, sharing: Sharing) -> Tensor:
        strata = usual(h, seed, sharing)
        rows.append(h.clone())
        after.append(method.negatives.centroids.clone())
        assert torch.equal(strata, nearest_centroid(h, after[-1]))
        return cast("Tensor", strata)

    method.negatives._clusters = listen
    config = TrainConfig(epochs=3, batch="parts", batch_size=20)
    fit(method, block_graph, config, seed=0)
    clusters = RunningClusters.begin(after[0])
    for h, c in zip(rows, after, strict=True):
        clusters = clusters.after(h, 60)
        torch.testing.assert_close(c, clusters.centroids)
    assert len(rows) == 9
    torch.testing.assert_close(method.negatives.sizes, clusters.sizes)


def test_training_by_batches_and_clusters_resumes_to_the_same_bits(block_graph: Data) -> None:
    settings = {**SMALL, "negatives": "sampled", "num_negatives": 9, "negative_clusters": 6}

    def make(sizes: Sizes, seed: int) -> Method:
        return build("grace", settings, sizes, seed)

    each = Candidate("grace", make, TrainConfig(batch="parts", batch_size=20))
    whole = each.trained(block_graph, epochs=5)
    again = resumed(each, block_graph, each.schedule(5))
    assert same(again.state_dict(), whole.state_dict())
    assert float(whole.state_dict()["negatives.sizes"].sum()) > 20


def test_state_without_clusters_has_nothing_of_them(block_graph: Data) -> None:
    state = prepared("grace", block_graph, negatives="sampled", num_negatives=9).state_dict()
    assert not [key for key in state if key.startswith("negatives")]


def test_clusters_are_those_of_all_processes(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Ranks] = []

    def listen(*arguments: Any, ranks: Ranks) -> Tensor:
        others.append(ranks)
        return centroids(*arguments)

    monkeypatch.setattr("homogcl.methods.negatives.centroids", listen)
    sampled = {"negatives": "sampled", "num_negatives": 9, "negative_clusters": 4}
    method = prepared("grace", doubled(block_graph), **sampled)
    method.share(Sharing(nodes=Ranks(1, 2)))
    losses(method, doubled(block_graph))
    assert others == [Ranks(1, 2)]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"num_negatives": 11}, ""),
        ({"negatives": "sampled", "num_negatives": 10, "negative_clusters": 10}, ""),
        (
            {"negatives": "sampled", "num_negatives": 11},
            "num_negatives=11 is more than the 10 nodes of a step",
        ),
        (
            {"negatives": "sampled", "num_negatives": 5, "negative_clusters": 6},
            "negative_clusters=6 is more than num_negatives=5",
        ),
        ({"negative_clusters": 2}, "negative_clusters=2 has no effect without negatives=sampled"),
    ],
)
def test_negatives_that_do_not_fit_are_refused(settings: dict[str, Any], problem: str) -> None:
    negatives = ContrastNegatives(NegativesConfig(**settings), 4)
    with pytest.raises(UserError, match=problem) if problem else nullcontext():
        negatives.check(10)

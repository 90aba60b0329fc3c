"""Closed-form HomoGCL: its blocks against loops, and what it does where neighbors disagree."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.edges import undirected
from homogcl.data.splits import random_split
from homogcl.data.synthetic import citation_graph
from homogcl.evaluate.probe import linear_probe
from homogcl.methods import homogcl
from homogcl.methods.base import Sizes
from homogcl.methods.homogcl import ClosedForm
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.nn.operators import Normalized
from homogcl.training.loop import TrainConfig, fit


def fitted(graph: Data, seed: int = 0, name: str = "homogcl", **settings: object) -> ClosedForm:
    method = build(name, settings, Sizes.of(graph), seed)
    return fit(method, graph, TrainConfig(epochs=0), seed=seed)  # type: ignore[return-value]


def shuffled(graph: Data, share: float, seed: int = 0) -> Data:
    """The graph with a share of its edges led to the target of another edge."""
    rng = np.random.default_rng(seed)
    once = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].numpy().copy()
    wrong = np.flatnonzero(rng.random(once.shape[1]) < share)
    once[1, wrong] = once[1, rng.permutation(wrong)]
    pairs = torch.from_numpy(once[:, once[0] != once[1]])
    edge_index, _ = undirected(pairs, int(graph.num_nodes or 0))
    return Data(x=graph.x, edge_index=edge_index, y=graph.y)


def accuracy(z: Tensor, graph: Data) -> float:
    split = random_split(int(graph.num_nodes or 0), stream(0, "split"))
    return linear_probe(z, graph.y, split)["test_accuracy"]


def test_blocks_are_those_of_the_formula(block_graph: Data) -> None:
    method = fitted(
        block_graph, powers=(0, 2), rich_powers=(1,), feature_weight=0.4, rich_weight=0.7
    )
    method.likeness.fill_(0.625)
    assert method.trust == 0.5
    rows = normalize(block_graph.x)
    x = normalize(rows @ method.features - method.features_mean)
    v = rows @ method.weight - method.weight_mean
    half = (v.size(1) + 1) // 2
    y = torch.stack([v[:, c] * method.agreement[c] ** 2 for c in range(half)], dim=1)
    average = Normalized.of(block_graph)
    twice = average(average(y, y.new_zeros(1)), y.new_zeros(1))
    once = average(v, v.new_zeros(1))
    sharp, rich = [0.5 * normalize(y), 0.5**3 * normalize(twice)], [0.7 * 0.5**2 * normalize(once)]
    blocks = [(1 - 0.6 * 0.5) * x, *sharp, *rich]
    torch.testing.assert_close(method.embed(block_graph), torch.cat(blocks, dim=1))


def test_sparse_features_are_embedded_as_dense_ones_are(block_graph: Data) -> None:
    method = fitted(block_graph)
    block_graph.x[3] = 0
    z = method.embed(block_graph)
    block_graph.x = block_graph.x.to_sparse_csr()
    torch.testing.assert_close(method.embed(block_graph), z)


def test_random_edges_leave_the_features_alone() -> None:
    graph = shuffled(citation_graph(400, 4, 80, homophily=0.9), share=1.0)
    method = fitted(graph)
    assert method.trust < 0.3
    honest = fitted(citation_graph(400, 4, 80, homophily=0.9))
    assert honest.trust > 2 * method.trust


@pytest.mark.parametrize("homophily", [0.1, 0.3])
def test_it_tells_more_than_features_and_averages_where_neighbors_differ(homophily: float) -> None:
    graph = citation_graph(1200, 5, 300, homophily=homophily, seed=3)
    score = {
        name: accuracy(embeddings(fitted(graph, name=name), graph), graph)
        for name in ("raw", "propagation", "homogcl")
    }
    assert score["homogcl"] > max(score["raw"], score["propagation"])


def test_it_withstands_wrong_edges_better_than_averages_do() -> None:
    graph = shuffled(citation_graph(1200, 5, 300, homophily=0.9, seed=3), share=0.6)
    score = {
        name: accuracy(embeddings(fitted(graph, name=name), graph), graph)
        for name in ("raw", "propagation", "homogcl")
    }
    assert score["homogcl"] > max(score["raw"], score["propagation"])


def test_edge_scores_rank_edges_across_classes_low() -> None:
    graph = citation_graph(800, 4, 200, homophily=0.7, seed=1)
    method = fitted(graph)
    s = method.edge_scores(graph)
    assert s is not None
    again, other = method.edge_scores(graph, seed=0), method.edge_scores(graph, seed=1)
    assert again is not None
    assert other is not None
    assert torch.equal(s, again)
    assert not torch.equal(s, other)  # folds and decoys of its own
    assert float(s.min()) >= 0
    assert float(s.max()) <= 1 + 1e-6
    source, target = graph.edge_index
    same = (graph.y[source] == graph.y[target]).numpy()
    rows = normalize(graph.x.to_dense())
    assert roc_auc_score(same, s) > roc_auc_score(same, (rows[source] * rows[target]).sum(dim=1))


def test_an_untrained_one_scores_no_edges(block_graph: Data) -> None:
    assert build("homogcl", {}, Sizes.of(block_graph), 0).edge_scores(block_graph) is None


def test_nodes_without_edges_are_embedded_by_their_features() -> None:
    graph = citation_graph(800, 4, 200, homophily=0.9, seed=2)
    alone = Data(x=graph.x, edge_index=graph.edge_index[:, :0], y=graph.y)
    z = embeddings(fitted(graph), alone)
    assert accuracy(z, graph) > accuracy(graph.x.to_dense(), graph)


def test_a_graph_without_edges_has_its_features_only(block_graph: Data) -> None:
    block_graph.edge_index = block_graph.edge_index[:, :0]
    method = fitted(block_graph)
    assert method.trust == 0
    z = embeddings(method, block_graph)
    width = method.features.size(1)
    assert z[:, :width].any()
    assert not z[:, width:].any()


def test_wide_features_are_reduced_to_their_leading_axes(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homogcl, "_MOST_ROWS", 31)
    method = fitted(block_graph, axes=3)
    assert method.weight.shape == (block_graph.num_features, 3)
    assert embeddings(method, block_graph).isfinite().all()


@pytest.mark.parametrize("ridges", [(), (-1.0,), (1.0, 0.0)])
def test_ridges_are_positive(block_graph: Data, ridges: tuple[float, ...]) -> None:
    with pytest.raises(UserError, match="setting ridges"):
        build("homogcl", {"ridges": ridges}, Sizes.of(block_graph), 0)


def test_the_ridge_is_the_largest_of_those_that_do_as_well(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    areas = iter([0.80, 0.90, 0.899, 0.5])
    monkeypatch.setattr(homogcl, "_area", lambda z, links: next(areas))
    method = fitted(block_graph, ridges=(0.1, 1.0, 10.0, 100.0))
    assert float(method.ridge) == 10.0
    assert method.trust == 1.0

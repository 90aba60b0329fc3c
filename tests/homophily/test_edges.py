"""The table of edges, against the functions of the paper's Section 3.3 and against counting."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.load import load
from homogcl.homophily.clusters import centroids
from homogcl.homophily.edge_scores import edge_scores
from homogcl.homophily.edges import (
    EdgeSaliency,
    closed_form,
    cluster_config,
    cluster_saliencies,
    edge_saliency,
    row_saliency,
)
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.saliency import soft_assignment
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Sizes, build
from homogcl.runs.scores import scores
from homogcl.training.loop import TrainConfig, fit

SMALL = {"hidden_dim": 8, "out_dim": 4, "num_clusters": 3}


def trained(graph: Data) -> HomoGCL:
    """A method with the plug-in after a few steps."""
    method = build("grace+homogcl", SMALL, Sizes.of(graph), 0)
    fit(method, graph, TrainConfig(epochs=3), seed=0)
    assert isinstance(method, HomoGCL)
    return method


def slow_saliency(r: torch.Tensor, source: int, target: int) -> float:
    """The cosine of two rows."""
    return float(torch.cosine_similarity(r[source], r[target], dim=0))


def test_a_plug_in_has_the_cosines_of_its_posteriors(block_graph: Data) -> None:
    method = trained(block_graph)
    saliency = cluster_saliencies(method, block_graph)
    h = embeddings(method, block_graph)
    c = centroids(h, 3, stream(0, "any"), method.centroids)
    r = soft_assignment(h, c, method.config.two_sigma_sq)
    expected = [slow_saliency(r, s, t) for s, t in block_graph.edge_index.t().tolist()]
    np.testing.assert_allclose(saliency, expected, atol=1e-6)


def test_the_table_has_the_scores_that_are_fitted_without_labels(block_graph: Data) -> None:
    method = trained(block_graph)
    table = edge_saliency(method, block_graph, seed=4)
    rng, closed = stream(4, "edge scores"), closed_form(block_graph, 4)
    expected = edge_scores(
        block_graph, lambda rest: [embeddings(method, rest), closed.embed_anew(rest)], rng
    )
    of = dict(zip(map(tuple, block_graph.edge_index.t().tolist()), expected.tolist(), strict=True))
    pairs = zip(table.source.tolist(), table.target.tolist(), strict=True)
    np.testing.assert_array_equal(
        table.saliency, np.array([of[pair] for pair in pairs], dtype=np.float32)
    )


def test_every_edge_stands_there_once_and_in_order(block_graph: Data) -> None:
    table = edge_saliency(trained(block_graph), block_graph)
    pairs = set(zip(table.source.tolist(), table.target.tolist(), strict=True))
    assert pairs == {(s, t) for s, t in block_graph.edge_index.t().tolist() if s < t}
    assert len(pairs) == len(table.saliency)
    assert (np.diff(table.saliency) >= 0).all()
    y = block_graph.y.numpy()
    np.testing.assert_array_equal(table.same_label, y[table.source] == y[table.target])


def test_calibration_counts_labeled_edges_by_their_saliency() -> None:
    s = np.array([0.1, 0.4, 0.85, 0.96, 1.0, 1.0], dtype=np.float32)
    same = np.array([0, 1, -1, 1, 1, 0], dtype=np.int8)
    numbers = np.arange(6)
    low, high = EdgeSaliency(numbers, numbers + 1, s, same).calibration()
    assert (low.low, low.high, low.edges, low.same_label) == (0.0, 0.5, 2, 0.5)
    assert low.saliency == pytest.approx(0.25)
    assert (high.low, high.edges) == (0.95, 3)
    assert high.same_label == pytest.approx(2 / 3)
    assert EdgeSaliency(numbers, numbers + 1, s, np.full(6, -1, np.int8)).calibration() == []


def test_what_load_takes_is_loaded_and_a_graph_in_another_form_refused(block_graph: Data) -> None:
    method = trained(block_graph)
    x, edge_index = block_graph.x.to_dense(), block_graph.edge_index
    loaded = load({"edge_index": edge_index, "x": x})
    table, expected = (
        edge_saliency(method, each) for each in ({"edge_index": edge_index, "x": x}, loaded)
    )
    np.testing.assert_array_equal(table.saliency, expected.saliency)
    one_way = Data(x=x, edge_index=edge_index[:, edge_index[0] < edge_index[1]])
    with pytest.raises(UserError, match="edge_index"):
        edge_saliency(method, one_way)


def test_unlabeled_nodes_give_no_agreement(block_graph: Data) -> None:
    method = trained(block_graph)
    block_graph.y[:30] = -1
    table = edge_saliency(method, block_graph)
    labeled = (block_graph.y.numpy()[np.stack([table.source, table.target])] >= 0).all(axis=0)
    np.testing.assert_array_equal(table.same_label >= 0, labeled)
    bare = Data(x=block_graph.x, edge_index=block_graph.edge_index)
    assert (edge_saliency(method, bare).same_label == -1).all()
    assert edge_saliency(method, bare).summary()["auc"] is None


def test_a_run_without_the_plug_in_takes_defaults_or_what_is_given(block_graph: Data) -> None:
    method = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(block_graph), 0)
    wide = edge_saliency(method, block_graph, config=HomoGCL.Config(two_sigma_sq=1e6))
    np.testing.assert_allclose(wide.saliency, 1.0, atol=1e-4)
    one = edge_saliency(method, block_graph, config=HomoGCL.Config(num_clusters=1))
    np.testing.assert_allclose(one.saliency, 1.0, atol=1e-6)
    assert not np.allclose(edge_saliency(method, block_graph).saliency, 1.0)


def test_clusters_are_those_of_the_run_but_for_what_is_set() -> None:
    of_run = {"num_clusters": 7, "width": "clusters", "temperature": 0.4}
    config = cluster_config(of_run, {"two_sigma_sq": 0.5})
    assert config.model_dump() == {"num_clusters": 7, "two_sigma_sq": 0.5, "width": "clusters"}
    assert cluster_config({"temperature": 0.4}, {"num_clusters": 2}).two_sigma_sq == 1e-3
    with pytest.raises(UserError, match="no setting 'homophily_weight'"):
        cluster_config(of_run, {"homophily_weight": 3})


def test_columns_have_the_ids_and_an_edge_list_the_order_of_the_nodes() -> None:
    ends = np.array([[1, 0, 0], [2, 2, 1]])
    s, same = np.array([0.1, 0.2, 0.3], np.float32), np.array([1, 0, -1], np.int8)
    table = EdgeSaliency(ends[0], ends[1], s, same, np.array([5, 6, 7], np.float32))
    columns = table.columns(["a", "b", "c"])
    assert columns["source"].tolist() == ["b", "a", "a"]
    assert columns["target"].tolist() == ["c", "c", "b"]
    assert columns["same_label"] == [True, False, None]
    edges = table.edge_list(["a", "b", "c"])
    rows = zip(*(edges[key].tolist() for key in ("source", "target", "weight")), strict=True)
    assert list(rows) == [("a", "b", 7.0), ("a", "c", 6.0), ("b", "c", 5.0)]
    assert list(replace(table, weight=None).edge_list(["a", "b", "c"])) == ["source", "target"]


def test_summary_counts() -> None:
    s = np.array([0.0, 0.05, 0.3, 0.9], dtype=np.float32)
    same = np.array([0, 1, -1, 1], dtype=np.int8)
    zeros = np.zeros(4, dtype=np.int64)
    summary = EdgeSaliency(zeros, zeros, s, same).summary()
    assert summary["mean"] == pytest.approx(0.3125)
    assert summary["share_below_0.1"] == 0.5
    assert (summary["edges"], summary["labeled_edges"]) == (4, 3)
    assert summary["auc"] == roc_auc_score([0, 1, 1], [0.0, 0.05, 0.9])
    assert EdgeSaliency(zeros[:0], zeros[:0], s[:0], same[:0]).summary()["mean"] is None


def two_groups(scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Two far groups of five nodes, all pairs joined inside them, and one edge between them."""
    rng = np.random.default_rng(0)
    z = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 5, axis=0) + 0.05 * rng.normal(size=(10, 3))
    inside = [(i, j) for i in range(10) for j in range(10) if i != j and i // 5 == j // 5]
    edges = sorted([*inside, (4, 5), (5, 4)])
    return torch.from_numpy(scale * z), torch.tensor(edges).t()


def test_edge_between_groups_is_the_least_salient() -> None:
    z, edges = two_groups()
    s = row_saliency(z, edges, num_clusters=2, seed=0)
    across = edges[0] // 5 != edges[1] // 5
    assert s[across].max() < 0.1
    assert s[~across].min() > 0.9


def test_scale_of_the_embedding_does_not_matter() -> None:
    z, edges = two_groups()
    far, _ = two_groups(1000.0)
    near_by = row_saliency(z, edges, 2, 0)
    torch.testing.assert_close(row_saliency(far, edges, 2, 0), near_by, atol=1e-4, rtol=1e-6)


@pytest.mark.parametrize("clusters", [1, 50])
def test_one_cluster_or_too_many_still_give_saliency(clusters: int) -> None:
    z, edges = two_groups()
    s = row_saliency(z, edges, clusters, 0)
    assert bool(s.isfinite().all())
    assert ((s >= 0) & (s <= 1)).all()


def test_equal_rows_are_surely_alike() -> None:
    _, edges = two_groups()
    assert row_saliency(torch.ones(10, 3), edges, 2, 0).tolist() == pytest.approx([1.0] * 42)


def test_the_task_scores_the_methods_own_saliency(block_graph: Data) -> None:
    method = trained(block_graph)
    result = scores(method, block_graph, 0, ("saliency",))
    saliency, y = cluster_saliencies(method, block_graph), block_graph.y
    agree = [int(y[s] == y[t]) for s, t in block_graph.edge_index.t().tolist()]
    assert result["edge_homophily"] == pytest.approx(sum(agree) / len(agree))
    assert result["saliency_auc"] == pytest.approx(roc_auc_score(agree, saliency))


def test_shares_across_labels_count_edges_with_two_labels() -> None:
    same = np.array([0, -1, 1, 0, 1, 1], dtype=np.int8)
    ends = np.arange(6)
    table = EdgeSaliency(ends, ends + 6, np.linspace(0, 1, 6, dtype=np.float32), same)
    assert table.share_across_labels() == pytest.approx(2 / 5)
    assert table.share_across_labels(3) == pytest.approx(1 / 2)
    assert EdgeSaliency(ends, ends, table.saliency, same * 0 - 1).share_across_labels() is None


def test_the_lowest_edges_go_with_their_weights(block_graph: Data) -> None:
    source, target = block_graph.edge_index
    block_graph.edge_weight = 1 + (source * target).float()
    table = edge_saliency(trained(block_graph), block_graph)
    rest = table.without_lowest(0.25)
    assert len(rest.source) == len(table.source) - round(len(table.source) / 4)
    assert rest.saliency.min() >= table.saliency[: -len(rest.source)].max()
    assert rest.weight is not None
    np.testing.assert_array_equal(rest.weight, 1 + rest.source * rest.target)
    assert table.without_lowest(0).source.tolist() == table.source.tolist()

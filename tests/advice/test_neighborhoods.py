"""What neighbors add to features: against direct regressions, and on graphs where it is plain."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge
from torch_geometric.data import Data

from homogcl.advice import neighborhoods
from homogcl.advice.neighborhoods import Comparison, by_features, by_labels
from homogcl.data.edges import undirected


def blocks(*, random_edges: bool, width: int = 40, seed: int = 0) -> Data:
    """Four classes with noisy features, joined within them or at random."""
    rng = torch.Generator().manual_seed(seed)
    nodes = 600
    y = torch.randint(4, (nodes,), generator=rng)
    pairs = torch.randint(nodes, (2, 40 * nodes), generator=rng)
    inside = (y[pairs[0]] == y[pairs[1]]) & (pairs[0] != pairs[1])
    pairs = pairs[:, : 3 * nodes] if random_edges else pairs[:, inside][:, : 3 * nodes]
    x = torch.randn(4, width, generator=rng)[y] + 3 * torch.randn(nodes, width, generator=rng)
    draw = torch.rand(nodes, generator=rng)
    masks = {
        "train_mask": draw < 0.3,
        "val_mask": (draw >= 0.3) & (draw < 0.8),
        "test_mask": draw >= 0.8,
    }
    return Data(x=x, edge_index=undirected(pairs, nodes)[0], y=y, **masks)


def test_neighbors_of_one_class_add_and_others_do_not() -> None:
    for measure in (by_features, by_labels):
        alike, mixed = (measure(blocks(random_edges=each)) for each in (False, True))
        assert alike is not None
        assert mixed is not None
        assert alike.propagation - alike.features > alike.margin > 0
        assert mixed.propagation - mixed.features < mixed.margin
        assert "try `propagation` first" in alike.advice
        assert "try `propagation` first" not in mixed.advice


def test_errors_are_those_of_regressions_without_the_row() -> None:
    rng = torch.Generator().manual_seed(1)
    z, hidden = torch.randn(30, 6, generator=rng), torch.randn(30, 3, generator=rng)
    hidden = (hidden + z[:, :3]).double()
    errors = neighborhoods._errors(z, hidden)
    centered = (z.double() - z.double().mean(0)).numpy()
    scale = float((centered**2).sum(1).mean())
    means = []
    for penalty in neighborhoods._PENALTIES:
        model = Ridge(penalty * scale, fit_intercept=False)
        each = []
        for i in range(30):
            others = np.arange(30) != i
            prediction = model.fit(centered[others], hidden[others]).predict(centered[[i]])[0]
            each.append(float(((hidden[i].numpy() - prediction) ** 2).sum()))
        means.append(each)
    best = min(means, key=lambda each: float(np.mean(each)))
    np.testing.assert_allclose(errors, best, rtol=1e-9)


def test_sparse_features_give_the_same() -> None:
    graph = blocks(random_edges=False)
    graph.x = graph.x.relu()
    dense = by_features(graph)
    graph.x = graph.x.to_sparse_csr()
    sparse = by_features(graph)
    assert dense is not None
    assert sparse is not None
    assert sparse.features == pytest.approx(dense.features, abs=1e-6)
    assert sparse.propagation == pytest.approx(dense.propagation, abs=1e-6)


def test_labels_do_not_touch_what_features_say() -> None:
    graph = blocks(random_edges=False)
    measured = by_features(graph)
    graph.y = graph.y.flip(0)
    assert by_features(graph) == measured


def test_labels_of_test_nodes_are_not_read() -> None:
    graph = blocks(random_edges=False)
    measured = by_labels(graph)
    graph.y[graph.test_mask] = 3 - graph.y[graph.test_mask]
    assert by_labels(graph) == measured


def test_where_nothing_can_be_measured_there_is_nothing() -> None:
    graph = blocks(random_edges=False, width=1)
    assert by_features(graph) is None
    graph.x = torch.ones(600, 8)
    assert by_features(graph) is None
    graph = blocks(random_edges=False)
    graph.structural = True
    assert by_features(graph) is None
    assert by_labels(Data(x=graph.x, edge_index=graph.edge_index)) is None


def test_advice_follows_the_sign_and_the_margin() -> None:
    less = Comparison("validation accuracy", 1200, 0.72, 0.6, 0.05)
    expected = "of 1,200 nodes: 72.00% by features, 60.00% by propagation, ± 5.00%"
    assert less.measured == f"validation accuracy {expected}"
    assert "tell less than features" in less.advice
    assert "told from chance" in Comparison("validation accuracy", 9, 0.6, 0.62, 0.05).advice

"""Likeness of neighbors and the trial of embeddings, on graphs where the answer is plain."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from homogcl.advice.neighborhoods import (
    COMPARED,
    METHOD,
    SIMPLEST,
    ProbeTrial,
    likeness,
    trial,
)
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


def test_neighbors_of_one_class_are_alike_and_random_ones_are_not() -> None:
    for seed in range(5):
        alike, mixed = (likeness(blocks(random_edges=each), seed) for each in (False, True))
        assert alike is not None
        assert mixed is not None
        assert alike.share > 0.75
        assert abs(mixed.share - 0.5) < 4 * mixed.error
        assert alike.trust > mixed.trust
        assert f"{alike.edges:,} edges held out" in alike.measured


def test_labels_do_not_touch_the_likeness() -> None:
    graph = blocks(random_edges=False)
    before = likeness(graph)
    graph.y = graph.y.flip(0)
    assert likeness(graph) == before


def test_few_edges_tell_nothing() -> None:
    graph = blocks(random_edges=False)
    graph.edge_index = graph.edge_index[:, :0]
    assert likeness(graph) is None


def test_a_graph_of_all_pairs_tells_nothing() -> None:
    nodes = 30
    pairs = torch.combinations(torch.arange(nodes)).T
    graph = Data(x=torch.eye(nodes), edge_index=undirected(pairs, nodes)[0])
    assert likeness(graph) is None


def test_the_trial_has_an_accuracy_of_each_method() -> None:
    graph = blocks(random_edges=False)
    result = trial(graph)
    assert result is not None
    assert tuple(result.accuracies) == COMPARED
    assert result.accuracies[METHOD] > result.accuracies["raw"]
    assert result.choice == METHOD
    assert result.nodes == int(graph.val_mask.sum())
    graph.y[graph.test_mask] = 0
    assert trial(graph) == result
    assert trial(Data(x=graph.x, edge_index=graph.edge_index)) is None


@pytest.mark.parametrize(
    ("raw", "choice", "is_sure"),
    [(0.61, METHOD, False), (0.65, "raw", False), (0.8, "raw", True), (0.4, METHOD, True)],
)
def test_the_best_is_named_and_the_default_where_both_are_level(
    raw: float, choice: str, is_sure: bool
) -> None:
    trial = ProbeTrial(200, {"raw": raw, "propagation": 0.4, METHOD: 0.6})
    assert trial.choice == choice
    assert trial.is_sure == is_sure


@pytest.mark.parametrize(("simplest", "is_enough"), [(0.62, True), (0.6, True), (0.59, False)])
def test_averages_are_enough_where_nothing_is_ahead_of_them(
    simplest: float, is_enough: bool
) -> None:
    trial = ProbeTrial(200, {"raw": 0.5, SIMPLEST: simplest, METHOD: 0.6})
    assert trial.simplest_is_enough is is_enough

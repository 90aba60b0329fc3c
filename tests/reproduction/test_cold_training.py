"""Trainings without a fifth of the nodes, and probes on these."""

from __future__ import annotations

from pathlib import Path

import torch

from homogcl.data.load import load
from homogcl.runs.request import Request
from reproduction.cold_training import ColdTraining, late_nodes, without_edges, without_nodes


def test_late_nodes_are_a_fifth_and_drawn_by_seed() -> None:
    late = late_nodes(101, 0)
    assert int(late.sum()) == 20
    assert torch.equal(late, late_nodes(101, 0))
    assert not torch.equal(late, late_nodes(101, 1))


def test_the_rest_has_every_edge_that_touches_no_late_node() -> None:
    graph = load("demo")
    late = late_nodes(int(graph.num_nodes or 0), 0)
    rest = without_nodes(graph, late, 0)
    number = (~late).nonzero().squeeze(1).tolist()
    edges = {(number[i], number[j]) for i, j in rest.edge_index.T.tolist()}
    expected = {(i, j) for i, j in graph.edge_index.T.tolist() if not (late[i] or late[j])}
    assert edges == expected
    assert torch.equal(rest.y, graph.y[number])
    assert torch.equal(rest.x.to_dense(), graph.x.to_dense()[number])
    tenth = len(number) // 10
    assert [int(rest[key].sum()) for key in ("train_mask", "val_mask")] == [tenth, tenth]


def test_scores_tell_edges_from_features(tmp_path: Path) -> None:
    """Raw features know no edges, so that all three probes are one."""
    names = ("test_accuracy", "cold_test_accuracy", "warm_cold_test_accuracy")
    raw, ran = ColdTraining(Request("raw", "demo", tasks=("probe",)), "cold").run(tmp_path)
    assert ran
    assert len({raw.metrics[name] for name in names}) == 1
    training = ColdTraining(Request("propagation", "demo", tasks=("probe",)), "cold")
    averaged, _ = training.run(tmp_path)
    assert len({averaged.metrics[name] for name in names}) > 1
    assert training.run(tmp_path) == (averaged, False)
    assert training.path(tmp_path).exists()


def test_nodes_without_edges_keep_their_features() -> None:
    graph = load("demo")
    rows = without_edges(graph)
    assert rows.edge_index.shape == (2, 0)
    assert rows.x is graph.x

"""Planted edges: which they are, that they are a seed's own, and the records of their graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.rewired import rewired
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build
from homogcl.runs.request import Request
from reproduction.planted_training import (
    AREA,
    PlantedTraining,
    cleaned,
    edge_scores,
    finding_scores,
    is_planted,
)


@pytest.fixture
def demo() -> Data:
    return Request("raw", "demo").resolve().graph


def pairs(graph: Data) -> set[tuple[int, int]]:
    return {(int(source), int(target)) for source, target in graph.edge_index.t()}


def test_planted_edges_are_those_that_the_graph_has_not(demo: Data) -> None:
    graph = rewired(demo, 0.3, seed=0)
    edges, right = pairs(graph), pairs(demo)
    assert edges == {(target, source) for source, target in edges}
    assert all(source != target for source, target in edges)
    wrong = is_planted(graph, demo)
    told = [tuple(edge) not in right for edge in graph.edge_index.t().tolist()]
    assert wrong.tolist() == told
    assert 0.2 < wrong.mean() < 0.35
    # Every other edge is as it was.
    assert len(right & edges) > 0.65 * len(right)


def test_a_method_without_scores_is_held_to_its_cosines(demo: Data) -> None:
    method = build("raw", {}, Sizes.of(demo), 0)
    x = demo.x.to_dense().double()
    expected = [
        float(x[s] @ x[t] / max(1e-12, float(x[s].norm() * x[t].norm())))
        for s, t in demo.edge_index.t()[:50]
    ]
    np.testing.assert_allclose(edge_scores(method, demo)[:50], expected, atol=1e-5)


def test_an_area_of_one_is_a_low_score_of_all_wrong_edges() -> None:
    wrong = np.array([True, False, False, True])
    metrics = finding_scores(torch.tensor([0.1, 0.9, 0.4, 0.2]), wrong)
    assert metrics == {AREA: 1.0, "planted_share": 0.5}
    assert finding_scores(torch.tensor([0.9, 0.1, 0.4, 0.5]), wrong)[AREA] == 0.0


def test_records_name_the_share_and_are_made_once(tmp_path: Path) -> None:
    spec = Request("homogcl", "demo", 0, {"split": "random"}, tasks=("probe",))
    clean, wrong = (PlantedTraining(spec, "planted", share) for share in (0.0, 0.5))
    assert wrong.label == "homogcl on demo-wrong50, seed 0"
    record, ran = wrong.run(tmp_path)
    assert ran
    assert record.data == "demo-wrong50"
    assert record.data_sha256 == rewired(spec.resolve().graph, 0.5, 0).sha256
    assert wrong.path(tmp_path).exists()
    assert record.metrics[AREA] > 0.6
    assert wrong.run(tmp_path) == (record, False)
    right, _ = clean.run(tmp_path)
    assert AREA not in right.metrics
    assert right.data == "demo"
    assert right.split_sha256 == record.split_sha256


def test_a_training_on_a_cleaned_graph_says_what_was_dropped(demo: Data, tmp_path: Path) -> None:
    spec = Request("propagation", "demo", 0, {"split": "random"}, tasks=("probe",))
    training = PlantedTraining(spec, "planted", 0.5, is_cleaned=True)
    assert training.label == "propagation on demo-wrong50-cleaned, seed 0"
    record, ran = training.run(tmp_path)
    assert ran
    assert record.data == "demo-wrong50-cleaned"
    assert AREA not in record.metrics
    graph = rewired(demo, 0.5, seed=0)
    assert record.data_sha256 not in (graph.sha256, demo.sha256)
    assert 0 < record.metrics["dropped_share"] < 1
    assert record.metrics["planted_share"] < 0.8 * is_planted(graph, demo).mean()
    assert training.run(tmp_path) == (record, False)


def test_cleaning_reads_no_label_and_drops_both_directions(block_graph: Data) -> None:
    rest = cleaned(block_graph, 0)
    left = pairs(rest)
    assert left < pairs(block_graph)
    assert left == {(target, source) for source, target in left}
    relabeled = block_graph.clone()
    relabeled.y = block_graph.y.flip(0)
    assert pairs(cleaned(relabeled, 0)) == left

"""Trainings whose embeddings are kept as points."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from homogcl.runs.request import Request
from reproduction.layout_training import LayoutTraining, Points, read_points, write_points

SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}
FAST = {**SMALL, "epochs": 2}


def test_points_lie_beside_their_record_and_are_made_again_if_lost(tmp_path: Path) -> None:
    training = LayoutTraining(
        Request("grace", "demo", 0, FAST, tasks=("cluster",)), "points", most=40
    )
    record, ran = training.run(tmp_path)
    assert ran
    points = read_points(training.points_path(tmp_path))
    assert points.at.shape == (40, 2)
    assert training.run(tmp_path) == (record, False)
    training.points_path(tmp_path).unlink()
    again, ran = training.run(tmp_path)
    assert ran
    assert again.metrics == record.metrics
    found = read_points(training.points_path(tmp_path))
    np.testing.assert_array_equal(found.at, points.at)
    y = training.spec.resolve().graph.y.numpy()
    assert set(found.labels) <= set(y)


def test_points_come_back_as_they_were(tmp_path: Path) -> None:
    at = np.array([[0.5, -1], [1, 0.25]], dtype=np.float32)
    found = read_points(write_points(tmp_path / "points.npz", Points(at, np.array([3, 1]))))
    np.testing.assert_array_equal(found.at, at)
    assert found.labels.tolist() == [3, 1]

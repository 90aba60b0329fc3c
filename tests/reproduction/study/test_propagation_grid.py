"""The grid behind the settings of `propagation`: ordered by the mean, gaps without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.methods.propagation import Propagation
from homogcl.runs.record import Record, Summary
from reproduction.artifact import GraphTraining
from reproduction.study.propagation_grid import PROPAGATION_GRID, grid_table, propagation_grid
from tests.records import make_record


def run(accuracy: float) -> Record:
    return make_record(method="propagation", metrics={"val_accuracy": accuracy})


def test_best_mean_on_validation_comes_first_and_a_gap_has_none() -> None:
    cells = {
        (2, 0.1): {"cora": run(0.7), "photo": run(0.8)},
        (4, 0.3): {"cora": run(0.9), "photo": run(0.8)},
        (6, 1.0): {"cora": run(0.99)},
    }
    rows = grid_table(cells, ("cora", "photo")).rows
    assert [row[:2] for row in rows] == [("0 to 4", "0.3"), ("0 to 2", "0.1"), ("0 to 6", "1")]
    assert [row[-1] for row in rows] == [pytest.approx(85), pytest.approx(75), None]
    first = rows[0][2]
    assert isinstance(first, Summary)
    assert first.mean == pytest.approx(90)
    assert rows[2][3] is None


def test_the_defaults_are_among_what_was_tried() -> None:
    defaults = Propagation.Config()
    settings = {"powers": defaults.powers, "feature_weight": defaults.feature_weight}
    trainings = PROPAGATION_GRID.trainings(False)
    specs = [each.spec for each in trainings if isinstance(each, GraphTraining)]
    assert settings in [spec.overrides for spec in specs]


def test_the_quick_form_reads_what_it_trained(tmp_path: Path) -> None:
    trainings = PROPAGATION_GRID.trainings(True)
    assert all(isinstance(training, GraphTraining) for training in trainings)
    trainings[0].run(tmp_path)
    rows = propagation_grid(tmp_path, quick=True).rows
    assert len(rows) == len(trainings)
    assert sum(row[-1] is not None for row in rows) == 1

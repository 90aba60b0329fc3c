"""The table of nodes that come without edges, and its trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.runs.record import Record, Summary
from reproduction.cold_training import ColdTraining
from reproduction.study.cold_start import COLD_START, DATA, SEEDS, TRAINED_SEEDS, cold_start_table
from tests.records import make_record


def record(method: str, seed: int, cold: float, encoder: str | None = None) -> Record:
    metrics = {
        "cold_test_accuracy": cold,
        "warm_cold_test_accuracy": cold - 0.1,
        "test_accuracy": cold + 0.1,
    }
    resolved = {"method": {"encoder": encoder}}
    return make_record(metrics=metrics, method=method, data="cora", seed=seed, resolved=resolved)


def test_rows_are_means_over_seeds_and_name_the_mlp() -> None:
    table = cold_start_table(
        [
            record("homogcl", 0, 0.7),
            record("homogcl", 1, 0.8),
            record("grace", 0, 0.5, "mlp"),
            record("grace", 0, 0.6),
        ]
    )
    assert [row[:2] for row in table.rows] == [
        ("cora", "grace"),
        ("cora", "grace, MLP"),
        ("cora", "homogcl"),
    ]
    means = [cell.mean for cell in table.rows[2][2:] if isinstance(cell, Summary)]
    assert means == pytest.approx([75, 65, 85])


def test_a_student_has_a_row_of_its_own() -> None:
    teacher = record("grace", 0, 0.6)
    metrics = {**teacher.metrics, "student_cold_test_accuracy": 0.7}
    table = cold_start_table([teacher.model_copy(update={"metrics": metrics})])
    assert [row[1] for row in table.rows] == ["grace", "grace, student"]
    cell = table.rows[1][2]
    assert isinstance(cell, Summary)
    assert cell.mean == pytest.approx(70)


def test_trainings_differ_in_place_and_cover_every_graph() -> None:
    trainings = COLD_START.trainings(False)
    assert len({training.path(Path("results")) for training in trainings}) == len(trainings)
    assert len(trainings) == 4 * SEEDS * len(DATA) + 6 * sum(TRAINED_SEEDS.values())
    for training in trainings:
        assert isinstance(training, ColdTraining)
        assert training.folder == "study/cold-start"


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in COLD_START.trainings(True):
        training.run(tmp_path)
    files = COLD_START.write(tmp_path, tmp_path / "out", True)
    text = (tmp_path / "out" / "cold-start.md").read_text("utf-8")
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
    assert all(
        name in text for name in ("homogcl", "propagation", "raw", "grace, MLP", "grace, student")
    )

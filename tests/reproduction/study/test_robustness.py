"""The table and the curve of positives on graphs with wrong edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.pages.table import NO_BETTER, Gain
from homogcl.runs.record import Record, Summary
from reproduction.planted_training import PlantedTraining
from reproduction.study.robustness import (
    BASE,
    CLEANED,
    COLUMNS,
    DATA,
    EQUAL,
    KINDS,
    ROBUSTNESS,
    SALIENT,
    SEEDS,
    robustness_table,
)
from reproduction.study.wrong_edges import SHARES
from tests.records import make_record


def runs(*accuracies: float) -> list[Record]:
    return [
        make_record(seed=seed, metrics={"test_accuracy": accuracy})
        for seed, accuracy in enumerate(accuracies)
    ]


def test_differences_are_over_the_base_and_over_equal_weights() -> None:
    table = robustness_table(
        {
            ("cora", "50%", BASE): runs(0.60, 0.62),
            ("cora", "50%", EQUAL): runs(0.61, 0.64),
            ("cora", "50%", SALIENT): runs(0.64, 0.68),
            ("citeseer", "50%", BASE): runs(0.5),
        }
    )
    assert table.columns == COLUMNS
    cora, citeseer = (dict(zip(COLUMNS, row, strict=True)) for row in table.rows)
    base, over_base = cora[BASE], cora[f"{SALIENT} over {BASE}"]
    over_equal = cora[f"{SALIENT} over {EQUAL}"]
    assert isinstance(base, Summary)
    assert isinstance(over_base, Gain)
    assert isinstance(over_equal, Gain)
    assert base.mean == pytest.approx(61)
    assert over_base.difference.mean == pytest.approx(5)
    assert over_equal.difference.mean == pytest.approx(3.5)
    assert cora[f"{CLEANED} over {BASE}"] is None
    assert citeseer["homogcl"] is None
    assert "3 paired t-tests" in table.notes[0]


def test_a_cleaned_graph_is_held_to_what_saw_it_before() -> None:
    raw = [each.model_copy(update={"method": "raw"}) for each in runs(0.6, 0.6)]
    rest = [each.model_copy(update={"data": "cora-wrong50-cleaned"}) for each in runs(0.5, 0.55)]
    table = robustness_table({("cora", "50%", CLEANED): rest, ("cora", "50%", "raw"): raw})
    cell = dict(zip(COLUMNS, table.rows[0], strict=True))[CLEANED]
    assert isinstance(cell, Summary)
    assert NO_BETTER in cell.mark


def test_every_kind_has_its_trainings_and_one_sees_cleaned_graphs() -> None:
    trainings = ROBUSTNESS.trainings(False)
    assert len(trainings) == len(DATA) * len(SHARES) * len(KINDS) * SEEDS
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    cleaned = 0
    for each in trainings:
        assert isinstance(each, PlantedTraining)
        assert each.spec.settings().data.split == "random"
        cleaned += each.is_cleaned
    assert cleaned == len(trainings) // len(KINDS)


def test_the_quick_form_is_made_and_drawn(tmp_path: Path) -> None:
    for training in ROBUSTNESS.trainings(True):
        training.run(tmp_path)
    files = ROBUSTNESS.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".png", ".svg", ".tex"]
    lines = (tmp_path / "out" / "robustness.csv").read_text("utf-8").splitlines()
    assert len(lines) == 2

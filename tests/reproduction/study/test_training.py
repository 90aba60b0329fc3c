"""What happens during training: the trainings, and their curves."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from reproduction.artifact import GraphTraining
from reproduction.study.training import EPOCHS, TRAINING, mean_curve
from tests.records import make_record


def test_a_curve_is_the_mean_over_the_records_in_percent_where_it_is_an_accuracy() -> None:
    records = [
        make_record(
            {"train": {"epochs": 4}},
            seed=seed,
            metrics={"val_accuracy": 0.6 + seed / 10, "effective_rank": 8.0},
            milestones={"1": {"val_accuracy": 0.2, "effective_rank": 30.0 + 2 * seed}},
        )
        for seed in (0, 1)
    ]
    for metric, expected in (("val_accuracy", [20, 65]), ("effective_rank", [31, 8])):
        curve = mean_curve(records, metric)
        assert list(curve) == [1, 4]
        assert [point.mean for point in curve.values()] == pytest.approx(expected)


def test_every_training_is_scored_until_its_last_epoch() -> None:
    for training in TRAINING.trainings(False):
        assert isinstance(training, GraphTraining)
        spec = training.spec
        epochs = EPOCHS[spec.method.partition("+")[0], spec.data]
        assert spec.settings().train.epochs == epochs
        assert 0 < max(spec.milestones) < epochs


def test_a_missing_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="run `python -m reproduction training`"):
        TRAINING.write(tmp_path, tmp_path, False)

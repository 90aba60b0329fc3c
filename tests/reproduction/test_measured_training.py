"""A training whose record has what was measured, once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.train import Trained
from reproduction.measured_training import MeasuredTraining


def test_the_record_has_what_was_measured_and_is_not_measured_again(tmp_path: Path) -> None:
    calls = []

    def measure(run: Run, trained: Trained) -> Mapping[str, float]:
        calls.append(run.settings.train.epochs)
        return {"epochs_trained": float(trained.epochs)}

    settings = {"hidden_dim": 8, "out_dim": 4, "epochs": 5}
    training = MeasuredTraining(
        Request("grace", "demo", 1, settings, tasks=()), "here", measure, epochs=2
    )
    record, ran = training.run(tmp_path)
    assert ran
    assert record.metrics["epochs_trained"] == 2
    assert calls == [5]
    assert training.path(tmp_path).is_relative_to(tmp_path / "here")
    again, ran = training.run(tmp_path)
    assert not ran
    assert again == training.find_record(tmp_path) == record
    assert training.label == "grace on demo, seed 1"

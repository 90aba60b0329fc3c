"""Where trainings would stop without labels."""

from __future__ import annotations

import pytest

from homogcl.runs.record import Record, Summary
from reproduction.study.stopping import settling_epoch, stopping_table
from tests.records import make_record

RANKS = {10: 200.0, 20: 180.0, 30: 170.0, 40: 169.0, 60: 168.9}
VALIDATION = {10: 0.70, 20: 0.79, 30: 0.80, 40: 0.78, 60: 0.77}


def training(seed: int = 0, last: int = 60, method: str = "grace+homogcl") -> Record:
    scored = {
        epochs: {
            "effective_rank": rank,
            "val_accuracy": VALIDATION[epochs],
            "test_accuracy": VALIDATION[epochs] + 0.01,
        }
        for epochs, rank in RANKS.items()
        if epochs <= last
    }
    return make_record(
        {"train": {"epochs": last}},
        method=method,
        data="cora",
        seed=seed,
        resolved={"train": {"epochs": last}},
        metrics=scored.pop(last),
        milestones={str(epochs): metrics for epochs, metrics in scored.items()},
    )


def test_a_training_stops_at_the_first_look_that_sees_little_change() -> None:
    assert settling_epoch(training()) == 40
    assert settling_epoch(training(), tolerance=0.06) == 30


def test_a_training_that_does_not_settle_goes_on_to_its_end() -> None:
    assert settling_epoch(training(last=30)) == 30
    # There is no check after 50 epochs, so a smaller change cannot stop it.
    assert settling_epoch(training(), tolerance=0.001) == 60


def test_rows_have_both_epochs_and_their_accuracies() -> None:
    table = stopping_table([training(0), training(1), training(0, method="grace+adaptive")])
    assert [row[:2] for row in table.rows] == [
        ("grace+adaptive", "cora"),
        ("grace+homogcl", "cora"),
    ]
    stop, there, _, best, at_best, tested = table.rows[1][2:]
    assert all(isinstance(cell, Summary) and cell.n == 2 for cell in (stop, best))
    means = [
        cell.mean for cell in (stop, there, best, at_best, tested) if isinstance(cell, Summary)
    ]
    assert means == pytest.approx([40, 78, 30, 80, 81])


def test_accuracies_are_held_to_untrained_methods() -> None:
    metrics = {"val_accuracy": 0.79, "test_accuracy": 0.8}
    untrained = [make_record(method="propagation", data="cora", metrics=metrics)]
    table = stopping_table([training(0)], untrained)
    marks = [cell.mark for cell in table.rows[0] if isinstance(cell, Summary)]
    assert marks == ["", "‡", "‡", "", "", ""]
    assert table.notes == ("Without any training, cora: propagation 80.00 (1).",)

"""Accuracy by epochs."""

from __future__ import annotations

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import to_markdown
from homogcl.runs.record import Record, Summary
from reproduction.paper.milestones import milestone_table
from tests.records import make_record


def runs(method: str, data: str, accuracies: list[float], epochs: int = 20) -> list[Record]:
    return [
        make_record(
            {"train": {"epochs": epochs}},
            method=method,
            data=data,
            seed=seed,
            metrics={"test_accuracy": accuracy},
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def milestones(method: str, seed: int, **by_epochs: tuple[float, float]) -> Record:
    """Return a run with validation and test accuracy at each milestone, given as e20=(v, t)."""
    metrics = {
        name.removeprefix("e"): {"val_accuracy": val, "test_accuracy": test}
        for name, (val, test) in by_epochs.items()
    }
    return make_record({}, method=method, seed=seed, milestones=metrics)


def test_milestones_compare_at_equal_epochs_and_at_the_best_on_validation() -> None:
    records = [
        milestones("grace", 0, e20=(0.6, 0.80), e100=(0.8, 0.82)),
        milestones("grace", 1, e20=(0.6, 0.82), e100=(0.8, 0.86)),
        milestones("grace+homogcl", 0, e20=(0.9, 0.83), e50=(0.7, 0.99), e100=(0.7, 0.88)),
    ]
    table = milestone_table(records, ["grace", "grace+homogcl"], ["cora", "photo"])
    assert to_markdown(table).splitlines() == [
        "| Data set | Epochs | grace | grace+homogcl | Difference [95 %] |",
        "| --- | --- | --- | --- | --- |",
        "| cora | 20 | 81.00 ± 1.41 (2) | 83.00 (1) | +3.00 (1) |",
        "| cora | 50 | – | 99.00 (1) | – |",
        "| cora | 100 | 84.00 ± 2.83 (2) | 88.00 (1) | +6.00 (1) |",
        "| cora | best on validation: 100, 20 | 84.00 ± 2.83 (2) | 83.00 (1) | +1.00 (1) |",
    ]


def test_what_the_former_probe_scored_is_marked() -> None:
    metrics = {
        str(epochs): {"adam_val_accuracy": score, "adam_test_accuracy": score}
        for epochs, score in ((10, 0.7), (20, 0.6))
    }
    records = [
        make_record({}, method=method, milestones=metrics) for method in ("grace", "grace+homogcl")
    ]
    assert to_markdown(milestone_table(records, ["grace", "grace+homogcl"], ["cora"])).splitlines()[
        2:5
    ] == [
        "| cora | 10 | 70.00 (1) † | 70.00 (1) † | +0.00 (1) † |",
        "| cora | 20 | 60.00 (1) † | 60.00 (1) † | +0.00 (1) † |",
        "| cora | best on validation: 10, 10 | 70.00 (1) † | 70.00 (1) † | +0.00 (1) † |",
    ]


def test_milestones_of_one_or_three_methods_are_not_subtracted() -> None:
    records = [milestones(m, 0, e20=(0.6, 0.8)) for m in ("grace", "gca", "grace+hard")]
    three = milestone_table(records, ["grace", "gca", "grace+hard", "bgrl"], ["cora"])
    assert three.columns == ("Data set", "Epochs", "grace", "gca", "grace+hard")
    one = milestone_table(records, ["gca"], ["cora"])
    assert one.columns == ("Data set", "Epochs", "gca")


def test_milestones_of_several_settings_need_a_label() -> None:
    metrics = {"20": {"val_accuracy": 0.5, "test_accuracy": 0.8}}
    records = [
        make_record({"width": width}, method="grace", milestones=metrics) for width in (1, 2)
    ]
    with pytest.raises(UserError, match="grace on cora has several settings"):
        milestone_table(records, ["grace"], ["cora"])
    table = milestone_table(
        records, ["grace"], ["cora"], label=lambda r: f"width {r.settings['width']}"
    )
    assert set(table.columns[2:4]) == {"width 1", "width 2"}
    assert table.rows[0][2:4] == (Summary(80.0, None, 1),) * 2

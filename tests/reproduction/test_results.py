from __future__ import annotations

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import to_markdown
from homogcl.runs.record import Record, Summary, settings_sha256
from reproduction import reported
from reproduction.paper.comparison import classification_table, clustering_table, milestone_table
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


PAPER = reported.read("classification")


def test_classification_stands_beside_the_paper() -> None:
    records = [
        *runs("grace+homogcl", "photo", [0.93], epochs=50),
        *runs("grace+homogcl", "cora", [0.83, 0.85]),
        *runs("random", "cora", [0.70, 0.72]),
        *runs("bgrl", "cora", [0.10]),
        *runs("grace", "pubmed", [0.10]),
    ]
    methods = ["random", "grace", "grace+homogcl"]
    table = classification_table(records, PAPER, methods, ["cora", "photo"])
    assert to_markdown(table).splitlines() == [
        "| Data set | Method | Epochs | Test accuracy (%) | Paper | Difference |",
        "| --- | --- | --- | --- | --- | --- |",
        "| cora | random | 20 | 71.00 ± 1.41 (2) | – | – |",
        "| cora | grace | – | – | 81.5 ± 0.3 | – |",
        "| cora | grace+homogcl | 20 | 84.00 ± 1.41 (2) | 84.5 ± 0.5 | -0.50 |",
        "| photo | grace | – | – | 92.15 ± 0.24 | – |",
        "| photo | grace+homogcl | 50 | 93.00 (1) | 92.92 ± 0.18 | +0.08 |",
    ]


def test_records_in_any_order_give_the_same_table() -> None:
    records = runs("grace", "cora", [0.7, 0.8, 0.9]) + runs("grace", "cora", [0.5], epochs=50)
    first = classification_table(records, PAPER, ["grace"], ["cora"])
    second = classification_table(records[::-1], PAPER, ["grace"], ["cora"])
    assert to_markdown(first) == to_markdown(second)


def test_other_settings_are_another_row_with_a_name_of_its_own() -> None:
    records = runs("grace", "cora", [0.7, 0.8]) + runs("grace", "cora", [0.5, 0.6], epochs=50)
    digests = {e: settings_sha256({"train": {"epochs": e}})[:6] for e in (20, 50)}
    plain = classification_table(records, [], ["grace"], ["cora"])
    assert {row[1]: row[2] for row in plain.rows} == {
        f"grace [{digests[20]}]": 20,
        f"grace [{digests[50]}]": 50,
    }
    named = classification_table(
        records, [], ["grace"], ["cora"], label=lambda r: f"{r.method}, {len(r.settings)} set"
    )
    assert [row[1] for row in named.rows] == ["grace, 1 set"] * 2


def test_failures_are_shown_and_never_averaged() -> None:
    dead = make_record(
        method="grace", seed=1, status="failed", reason="killed", metrics={"test_accuracy": 0.0}
    )
    table = classification_table([dead], PAPER, ["grace"], ["cora"])
    assert table.rows == (("cora", "grace", 20, "failed (1)", "81.5 ± 0.3", None),)
    table = classification_table([dead, *runs("grace", "cora", [0.8])], PAPER, ["grace"], ["cora"])
    assert table.rows[0][3] == Summary(80.0, None, 1)


def test_what_the_paper_leaves_out_has_its_reason() -> None:
    table = classification_table([], PAPER, ["infogcl"], ["photo"])
    assert table.rows == (("photo", "infogcl", None, None, "not printed: code unavailable", None),)


def test_a_seed_that_counts_twice_is_refused() -> None:
    records = runs("grace", "cora", [0.8]) * 2
    with pytest.raises(UserError, match="grace on cora"):
        classification_table(records, PAPER, ["grace"], ["cora"])


def test_clustering_compares_both_metrics_as_fractions() -> None:
    records = [
        make_record(data="photo", seed=seed, metrics={"nmi": 0.65 + seed / 10, "ari": 0.5})
        for seed in range(2)
    ]
    paper = reported.read("clustering")
    table = clustering_table(records, paper, ["gca", "grace+homogcl"], ["photo"])
    assert to_markdown(table).splitlines()[2:] == [
        "| photo | gca | – | – | 0.614 ± 0.00 | – | – | 0.494 ± 0.00 | – |",
        "| photo | grace+homogcl | 20 | 0.700 ± 0.071 (2) | 0.671 ± 0.02 | +0.029 "
        "| 0.500 ± 0.000 (2) | 0.587 ± 0.02 | -0.087 |",
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
        "| Data set | Epochs | grace | grace+homogcl | Difference |",
        "| --- | --- | --- | --- | --- |",
        "| cora | 20 | 81.00 ± 1.41 (2) | 83.00 (1) | +2.00 |",
        "| cora | 50 | – | 99.00 (1) | – |",
        "| cora | 100 | 84.00 ± 2.83 (2) | 88.00 (1) | +4.00 |",
        "| cora | best on validation: 100, 20 | 84.00 ± 2.83 (2) | 83.00 (1) | -1.00 |",
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

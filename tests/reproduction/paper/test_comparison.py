"""Rows beside the paper's numbers."""

from __future__ import annotations

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import LEGEND, to_markdown
from homogcl.runs.record import Record, Summary, settings_sha256
from reproduction.paper.comparison import classification_table, clustering_table
from reproduction.reported import numbers
from tests.records import make_record

PAPER = numbers.read("classification")


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


def test_a_plug_in_has_its_gain_over_the_base_and_an_untrained_method_a_say() -> None:
    records = [
        *runs("grace", "cora", [0.80, 0.82, 0.81, 0.1]),
        *runs("grace+homogcl", "cora", [0.83, 0.82, 0.84]),
        *runs("random", "cora", [0.9]),
    ]
    table = classification_table(records, [], ["grace", "grace+homogcl"], ["cora"])
    # Differences of 3, 0 and 3 points: see the tests of their interval.
    assert to_markdown(table).splitlines() == [
        "| Data set | Method | Epochs | Test accuracy (%) | Paper | Difference "
        "| Over the base [95 %] |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| cora | grace | 20 | 63.25 ± 35.51 (4) ‡ | – | – | – |",
        "| cora | grace+homogcl | 20 | 83.00 ± 1.00 (3) ‡ | – | – | +2.00 [-2.30, 6.30] (3) |",
        "",
        f"‡ {LEGEND['‡'][1]}",
        "",
        "1 paired t-test; at 5 % after Holm's correction: none.",
    ]


def test_a_base_with_several_settings_has_no_gain_over_it() -> None:
    records = [
        *runs("grace", "cora", [0.8]),
        *runs("grace", "cora", [0.7], epochs=50),
        *runs("grace+homogcl", "cora", [0.9]),
    ]
    table = classification_table(records, [], ["grace", "grace+homogcl"], ["cora"])
    assert len(table.columns) == 6


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
    paper = numbers.read("clustering")
    table = clustering_table(records, paper, ["gca", "grace+homogcl"], ["photo"])
    assert to_markdown(table).splitlines()[2:] == [
        "| photo | gca | – | – | 0.614 ± 0.00 | – | – | 0.494 ± 0.00 | – |",
        "| photo | grace+homogcl | 20 | 0.700 ± 0.071 (2) | 0.671 ± 0.02 | +0.029 "
        "| 0.500 ± 0.000 (2) | 0.587 ± 0.02 | -0.087 |",
    ]

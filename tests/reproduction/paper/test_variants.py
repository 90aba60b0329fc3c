"""One row per way of running a method."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.pages.table import Table, to_markdown
from homogcl.runs.record import Record
from reproduction.paper.variants import negatives_table, variants_table
from reproduction.reported.numbers import Reported
from tests.records import make_record


def run(
    method: str,
    seed: int,
    accuracy: float,
    settings: Mapping[str, JsonValue] | None = None,
    data: str = "arxiv",
) -> Record:
    dumped: dict[str, JsonValue] = {
        "method": dict(settings or {}),
        "train": {"epochs": 7},
        "data": {"features": "structural"},
    }
    metrics = {"test_accuracy": accuracy, "val_accuracy": accuracy + 0.1}
    return make_record(dumped, method=method, data=data, seed=seed, metrics=metrics)


def rows(table: Table) -> list[list[str]]:
    lines = to_markdown(table).splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def number(method: str, variant: str, metric: str, value: float) -> Reported:
    return Reported(method, variant, "arxiv", metric, value, None, f"{value}", "")


def test_rows_are_in_the_order_of_print_and_others_come_last() -> None:
    printed = [
        number("sage", "", "test_accuracy", 71.5),
        number("grace", "few", "test_accuracy", 60.5),
        number("grace", "", "test_accuracy", 70.0),
    ]
    records = [run("bgrl", 0, 0.3), run("grace", 0, 0.5), run("grace", 1, 0.6, {"few": True})]
    table = variants_table(
        records,
        printed,
        ["arxiv"],
        {"test_accuracy": "Test"},
        lambda record: "few" if record.seed else "",
    )
    assert table.columns[-3:] == ("Test", "Test, paper", "Test, difference")
    assert rows(table) == [
        ["arxiv", "sage", "–", "–", "–", "–", "71.5", "–"],
        ["arxiv", "grace", "few", "structural", "7", "60.00 (1)", "60.5", "-0.50"],
        ["arxiv", "grace", "–", "structural", "7", "50.00 (1)", "70.0", "-20.00"],
        ["arxiv", "bgrl", "–", "structural", "7", "30.00 (1)", "–", "–"],
    ]


def test_two_settings_in_one_row_are_refused() -> None:
    records = [run("grace", 0, 0.5), run("grace", 1, 0.5, {"width": 3})]
    with pytest.raises(UserError, match="grace  on arxiv has several settings"):
        variants_table(records, [], ["arxiv"], {"test_accuracy": "Test"}, lambda record: "")


def runs(method: str, data: str, *accuracies: float, first_seed: int = 0) -> list[Record]:
    return [
        make_record(
            {"train": {"epochs": 20}},
            method=method,
            data=data,
            seed=seed,
            metrics={"test_accuracy": accuracy, "nmi": accuracy / 2},
        )
        for seed, accuracy in enumerate(accuracies, first_seed)
    ]


def test_sampled_negatives_stand_beside_all_of_them_at_the_same_epochs() -> None:
    def drawn(negatives: str, count: int, epochs: int, *accuracies: float) -> list[Record]:
        method: dict[str, JsonValue] = {"negatives": negatives, "num_negatives": count}
        settings: dict[str, JsonValue] = {"method": method, "train": {"epochs": epochs}}
        return [
            make_record(settings, method="grace", seed=seed, metrics={"test_accuracy": accuracy})
            for seed, accuracy in enumerate(accuracies)
        ]

    records = [
        *drawn("exact", 1024, 20, 0.80, 0.70),
        *drawn("sampled", 256, 20, 0.79, 0.72, 0.10),
        *drawn("sampled", 256, 50, 0.85),
    ]
    assert to_markdown(negatives_table(records, ["grace"], ["cora"])).splitlines()[2:] == [
        "| cora | grace | 20 | all | 75.00 ± 7.07 (2) | – | 2 |",
        "| cora | grace | 20 | 256 | 75.50 ± 4.95 (2) | +0.50 [-18.56, 19.56] (2) | 2 |",
        "| cora | grace | 50 | 256 | 85.00 (1) | – | 2 |",
    ]

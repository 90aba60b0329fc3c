"""Tables with a row for each way of running a method."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.pages.table import Table, to_markdown
from homogcl.runs.record import Record, write_record
from reproduction import reported
from reproduction.reported import Reported
from reproduction.paper.overview import variants_table
from reproduction.tables.named import ablation, arxiv
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


def test_arxiv_tells_numbers_of_negatives_apart(tmp_path: Path) -> None:
    exact: dict[str, JsonValue] = {"negatives": "exact", "num_negatives": 2048}
    write_record(tmp_path / "arxiv", run("grace", 0, 0.4, exact))
    for k in (2, 8):
        drawn: dict[str, JsonValue] = {"negatives": "sampled", "num_negatives": k}
        write_record(tmp_path / "arxiv", run("grace", 0, 0.5 + k / 100, drawn))
    shown = {(row[1], row[2]): row[5:] for row in rows(arxiv(tmp_path))}
    lost = "out of memory"
    assert shown["grace", "–"] == ["50.00 (1)", lost, "–", "40.00 (1)", lost, "–"]
    assert shown["grace", "subsampling k=8"][3:] == ["58.00 (1)", "70.33 ± 0.18", "-12.33"]
    assert shown["bgrl", "–"] == ["–", "72.53 ± 0.09", "–", "–", "71.64 ± 0.12", "–"]
    assert len(shown) == 14


def test_ablation_takes_presets_and_what_differs_from_them(tmp_path: Path) -> None:
    write_record(
        tmp_path / "presets", run("grace+homogcl", 0, 0.8, {"homophily_weight": 1.0}, "cora")
    )
    write_record(tmp_path / "presets", run("bgrl", 0, 0.8, data="cora"))
    assert len(rows(ablation(tmp_path))) == 4
    write_record(
        tmp_path / "ablation", run("grace+homogcl", 0, 0.7, {"homophily_weight": 0.0}, "cora")
    )
    write_record(tmp_path / "ablation", run("grace", 0, 0.6, data="cora"))
    shown = {(row[1], row[2]): row[5:] for row in rows(ablation(tmp_path))}
    assert shown["grace+homogcl", "–"][0] == "80.00 (1)"
    without = reported.find(
        reported.read("ablation"),
        "grace+homogcl",
        "cora",
        "test_accuracy",
        "without homophily loss",
    )
    assert without is not None
    assert without.value is not None
    difference = f"{70 - without.value:+.2f}"
    cells = ["70.00 (1)", without.printed, difference]
    assert shown["grace+homogcl", "without homophily loss"] == cells
    assert list(shown)[-1] == ("grace", "–")

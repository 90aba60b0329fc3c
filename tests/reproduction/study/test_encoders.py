"""What a plug-in adds to encoders that see no edges or few, as a table."""

from __future__ import annotations

import pytest
from pydantic import JsonValue
from scipy.stats import ttest_rel

from homogcl.pages.table import Gain
from homogcl.runs.record import Record, Summary
from reproduction.study.encoders import encoders_table
from tests.records import make_record

ALONE, PAPER, ADAPTIVE = (0.57, 0.58, 0.56), (0.59, 0.58, 0.57), (0.60, 0.59, 0.62)
MLP: dict[str, JsonValue] = {"encoder": "mlp", "num_layers": 2}
ONE: dict[str, JsonValue] = {"encoder": "gcn", "num_layers": 1}


def runs(
    method: str, settings: dict[str, JsonValue], scores: tuple[float, ...], data: str = "cora"
) -> list[Record]:
    return [
        make_record(
            {"method": settings},
            method=method,
            data=data,
            seed=seed,
            metrics={"test_accuracy": score},
        )
        for seed, score in enumerate(scores)
    ]


def rows(records: list[Record]) -> list[dict[str, object]]:
    table = encoders_table(records, ("cora", "citeseer"))
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_row_has_the_base_both_variants_and_paired_tests() -> None:
    (row,) = rows(
        [
            *runs("grace", MLP, ALONE),
            *runs("grace+homogcl", MLP, PAPER),
            *runs("grace+adaptive", MLP, ADAPTIVE),
        ]
    )
    assert (row["Base"], row["Data set"], row["Layers"]) == ("grace", "cora", "none")
    for column, scores in {"Alone": ALONE, "HomoGCL": PAPER, "Adaptive": ADAPTIVE}.items():
        cell = row[column]
        assert isinstance(cell, Summary)
        assert cell.mean == pytest.approx(100 * sum(scores) / 3)
        if column != "Alone":
            gain = row[f"{column}, gain [95 %]"]
            assert isinstance(gain, Gain)
            assert gain.difference.mean == pytest.approx(100 * (sum(scores) - sum(ALONE)) / 3)
            assert row[f"{column}, p"] == pytest.approx(ttest_rel(scores, ALONE).pvalue)


def test_means_are_held_to_untrained_methods_which_the_note_names() -> None:
    untrained = runs("propagation", {}, (0.575, 0.575, 0.575))
    records = [*runs("grace", MLP, ALONE), *runs("grace+adaptive", MLP, ADAPTIVE)]
    table = encoders_table(records, ("cora",), untrained)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    marks = [cell.mark for cell in row.values() if isinstance(cell, Summary)]
    assert marks == ["‡", ""]
    assert "Without any training, cora: propagation 57.50 ± 0.00 (3)." in table.notes


def test_rows_come_by_base_data_and_layers() -> None:
    result = rows(
        [
            *runs("bgrl", ONE, ALONE),
            *runs("grace", ONE, ALONE, "citeseer"),
            *runs("grace", MLP, ALONE, "citeseer"),
            *runs("grace", ONE, ALONE),
        ]
    )
    assert [(row["Base"], row["Data set"], row["Layers"]) for row in result] == [
        ("grace", "cora", "1"),
        ("grace", "citeseer", "none"),
        ("grace", "citeseer", "1"),
        ("bgrl", "cora", "1"),
    ]
    assert result[0]["Adaptive"] is None
    assert result[0]["HomoGCL, p"] is None

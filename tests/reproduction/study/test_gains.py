"""Rows of variants: means, gains over their base on common seeds, and the order of trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.pages.table import Gain, PValue
from homogcl.runs.record import Record, Summary
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining
from reproduction.study.gains import COLUMNS, Variant, by_seed, existing_records, gains_table
from tests.records import make_record


def runs(method: str, *accuracies: float) -> list[Record]:
    return [
        make_record(
            method=method,
            seed=seed,
            metrics={"test_accuracy": accuracy, "val_accuracy": accuracy + 0.1},
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def test_a_gain_is_over_the_base_on_the_seeds_of_both() -> None:
    base = runs("grace", 0.80, 0.81, 0.70)
    table = gains_table(
        ("Positives",),
        [
            Variant(("itself",), base),
            Variant(("lost",), runs("grace+levers", 0.82, 0.84), base),
            Variant(("nothing",), [], base),
        ],
    )
    assert table.columns == ("Positives", *COLUMNS)
    alone, lost = table.rows
    assert alone[0] == "itself"
    assert alone[4:] == (None, None, None)
    before, after, p = lost[4:]
    assert isinstance(before, Gain)
    assert isinstance(after, Gain)
    assert isinstance(p, PValue)
    assert after.difference.n == 2
    assert after.difference.mean == pytest.approx(2.5)
    assert before.difference.mean == pytest.approx(2.5)
    assert isinstance(lost[3], Summary)
    assert lost[3].mean == pytest.approx(83)
    assert "1 paired t-test" in table.notes[0]


def test_a_mean_is_held_to_untrained_runs() -> None:
    table = gains_table(("",), [Variant(("grace",), runs("grace", 0.7))], runs("raw", 0.75))
    cell = table.rows[0][3]
    assert isinstance(cell, Summary)
    assert cell.mark == "‡"


def test_first_seeds_come_before_second_ones(tmp_path: Path) -> None:
    raw, random = (
        [GraphTraining(Request(method, "demo", seed), "x") for seed in range(seeds)]
        for method, seeds in {"raw": 1, "random": 2}.items()
    )
    trainings = by_seed([raw, random])
    labels = [training.label for training in trainings]
    assert labels == ["raw on demo, seed 0", "random on demo, seed 0", "random on demo, seed 1"]
    slow = [GraphTraining(Request("raw", "photo"), "x")]
    assert by_seed([slow, raw]) == [*raw, *slow]
    assert by_seed([]) == []
    assert existing_records(tmp_path, trainings) == []
    record, _ = raw[0].run(tmp_path)
    assert existing_records(tmp_path, trainings) == [record]

"""One row per method, and the differences that need a cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import to_markdown
from homogcl.runs.record import Record
from reproduction.paper.overview import (
    differences_table,
    overview_table,
    plugin_table,
)
from reproduction.reported import numbers
from reproduction.reported.numbers import Cause
from tests.records import make_record

PAPER = numbers.read("classification")


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


def test_a_row_a_method_and_three_columns_a_data_set() -> None:
    records = [*runs("grace", "cora", 0.82, 0.84), *runs("random", "photo", 0.9)]
    table = overview_table(
        records, PAPER, ["random", "grace", "sage"], ["cora", "photo"], {"test_accuracy": ""}
    )
    assert to_markdown(table).splitlines() == [
        "| Method | cora | cora, paper | cora, difference "
        "| photo | photo, paper | photo, difference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| random | – | – | – | 90.00 (1) | – | – |",
        "| grace | 83.00 ± 1.41 (2) | 81.5 ± 0.3 | +1.50 | – | 92.15 ± 0.24 | – |",
    ]


def test_fractions_keep_three_decimals() -> None:
    table = overview_table(runs("gae", "photo", 0.9), [], ["gae"], ["photo"], {"nmi": " NMI"})
    assert to_markdown(table).splitlines()[-1] == "| gae | 0.450 (1) | – | – |"


def test_two_choices_of_settings_are_refused() -> None:
    other = make_record({"train": {"epochs": 9}}, method="grace", data="cora", seed=7)
    with pytest.raises(UserError, match="grace on cora has several settings"):
        overview_table([*runs("grace", "cora", 0.8), other], [], ["grace"], ["cora"], {})


def test_the_gain_is_of_the_seeds_that_both_have() -> None:
    records = [
        *runs("bgrl", "cora", 0.80, 0.70, 0.60),
        *runs("bgrl+homogcl", "cora", 0.74, 0.66, 0.1, first_seed=1),
        *runs("grace", "cora", 0.8),
    ]
    printed = [replace(PAPER[0], method="bgrl+homogcl", value=84.0)]
    printed += [replace(PAPER[0], method="bgrl", value=82.5)]
    table = plugin_table(records, printed, ["grace", "bgrl"], "homogcl", ["cora"])
    (row,) = table.rows
    assert row[:2] == ("cora", "bgrl")
    *_, gain, paper = row
    assert gain is not None
    assert gain == pytest.approx((5.0, 2**0.5, 2))
    assert paper == "+1.50"
    (row,) = plugin_table(records, printed[1:], ["bgrl"], "homogcl", ["cora"]).rows
    assert row[-1] is None


def test_a_notable_difference_needs_a_cause() -> None:
    records = [*runs("grace", "cora", 0.80), *runs("gca", "cora", 0.85)]
    with pytest.raises(UserError, match=r"no cause is given for gca on cora \(accuracy\)"):
        differences_table(records, PAPER, [])
    cause = Cause(("gca", "bgrl"), ("cora", "photo"), "accuracy", "Another encoder.")
    with pytest.raises(UserError, match="gca on cora"):
        differences_table(records, PAPER, [replace(cause, of="clusters")])
    table = differences_table(records, PAPER, [cause])
    assert to_markdown(table).splitlines()[2:] == ["| cora | gca | +3.60 | Another encoder. |"]


def test_every_kept_cause_is_of_a_printed_row() -> None:
    printed = {
        (number.method, number.data, Cause.kind(number.metric))
        for name in numbers.table_names()
        for number in numbers.read(name)
    }
    for cause in numbers.causes():
        assert cause.reason.endswith(".")
        assert {(m, name, cause.of) for m in cause.methods for name in cause.data} <= printed

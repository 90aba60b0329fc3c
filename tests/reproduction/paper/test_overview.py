"""One row per method, and the differences that need a cause."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import Gain, to_markdown
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
        "| Method | Epochs (cora, photo) | cora | cora, paper | cora, difference "
        "| photo | photo, paper | photo, difference |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| random | –, 20 | – | – | – | 90.00 (1) | – | – |",
        "| grace | 20, – | 83.00 ± 1.41 (2) | 81.5 ± 0.3 | +1.50 | – | 92.15 ± 0.24 | – |",
    ]


def test_a_plug_in_has_a_row_of_its_gains() -> None:
    records = [
        *runs("grace", "cora", 0.80, 0.82, 0.81),
        *runs("grace+homogcl", "cora", 0.83, 0.82, 0.84),
        *runs("grace", "photo", 0.9),
        *runs("random", "photo", 0.9),
    ]
    methods = ["random", "grace", "grace+homogcl"]
    table = overview_table(records, PAPER, methods, ["cora", "photo"], {"test_accuracy": ""})
    lines = to_markdown(table).splitlines()
    assert "| 90.00 (1) ‡ |" in lines[3]
    assert lines[5] == (
        "| grace+homogcl minus grace | – | +2.00 [-2.30, 6.30] (3) | +3.00 | – | – | +0.77 | – |"
    )
    assert lines[-1] == "1 paired t-test; at 5 % after Holm's correction: none."


def test_fractions_keep_three_decimals() -> None:
    table = overview_table(runs("gae", "photo", 0.9), [], ["gae"], ["photo"], {"nmi": " NMI"})
    assert to_markdown(table).splitlines()[-1] == "| gae | 20 | 0.450 (1) | – | – |"


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
    assert row[:3] == ("cora", "bgrl", 20)
    alone, plugged, gain, p, *paper = row[3:]
    # Seeds 1 and 2 are common: 70 and 60 alone, 74 and 66 with the plug-in.
    assert alone == pytest.approx((65.0, 50**0.5, 2, ""))
    assert plugged == pytest.approx((70.0, 32**0.5, 2, ""))
    assert isinstance(gain, Gain)
    assert gain.difference[:3] == pytest.approx((5.0, 2**0.5, 2))
    # With one degree of freedom, t = 5 and p = 1 - 2 atan(t) / pi.
    assert p == pytest.approx(1 - 2 * math.atan(5) / math.pi)
    assert paper == [PAPER[0].printed, PAPER[0].printed, "+1.50"]
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
    former = [make_record(method="gca", metrics={"adam_test_accuracy": 0.85})]
    assert to_markdown(differences_table(former, PAPER, [cause])).splitlines()[2:] == [
        "| cora | gca | +3.60 † | Another encoder. |",
        "",
        "† by the former probe; its runs await the present one",
    ]


def test_every_kept_cause_is_of_a_printed_row() -> None:
    printed = {
        (number.method, number.data, Cause.kind(number.metric))
        for name in numbers.table_names()
        for number in numbers.read(name)
    }
    for cause in numbers.causes():
        assert cause.reason.endswith(".")
        assert {(m, name, cause.of) for m in cause.methods for name in cause.data} <= printed

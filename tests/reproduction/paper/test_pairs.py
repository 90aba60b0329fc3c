"""Pairs of a base alone and with a plug-in."""

from __future__ import annotations

import pytest

from homogcl.pages.metric_cells import Place
from homogcl.pages.table import Gain, PValue
from homogcl.runs.record import Record, Summary
from reproduction.paper.pairs import COLUMNS, Pair, base_of, paired_columns, printed_gain
from reproduction.reported.numbers import read
from tests.records import make_record


def runs(method: str, epochs: int, *accuracies: float) -> list[Record]:
    return [
        make_record(
            {"train": {"epochs": epochs}},
            method=method,
            seed=seed,
            metrics={"test_accuracy": accuracy},
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def test_both_stand_on_the_seeds_of_both() -> None:
    alone = runs("grace", 50, 0.70, 0.72, 0.74, 0.1)
    plugged = runs("grace+homogcl", 20, 0.90, 0.921, 0.94)
    untrained = runs("random", 0, 0.80, 0.80)
    pairs: dict[Place, Pair] = {
        ("grace", "cora"): Pair(alone, plugged),
        ("bgrl", "cora"): Pair([], []),
    }
    cells, notes = paired_columns(pairs, [*alone, *plugged, *untrained])
    row = dict(zip(COLUMNS, cells["grace", "cora"], strict=True))
    assert row["Epochs"] == "50 / 20"
    one, two, gain = row["Alone"], row["With the plug-in"], row["Gain [95 %]"]
    assert isinstance(one, Summary)
    assert one == pytest.approx((72.0, 2.0, 3, "‡"))
    assert isinstance(two, Summary)
    assert (two.n, two.mark) == (3, "")
    assert isinstance(gain, Gain)
    assert gain.difference.mean == pytest.approx(two.mean - one.mean)
    assert gain.mark == "*"
    assert isinstance(row["p"], PValue)
    assert cells["bgrl", "cora"] == (None,) * 5
    assert notes == (
        "1 paired t-test; at 5 % after Holm's correction: grace on cora.",
        "Without any training, cora: random 80.00 ± 0.00 (2).",
    )


def test_a_method_with_a_plug_in_has_a_base() -> None:
    assert base_of("grace+homogcl") == "grace"
    assert base_of("grace") is None


def test_the_papers_gain_is_that_of_its_numbers() -> None:
    printed = read("classification")
    # The paper prints 84.5 and 81.5.
    assert printed_gain(printed, "grace+homogcl", "cora", "test_accuracy") == "+3.00"
    assert printed_gain(printed, "grace+homogcl", "cora", "test_accuracy", 1) == "+3.0"
    assert printed_gain(printed, "grace", "cora", "test_accuracy") is None
    assert printed_gain(printed, "gca+homogcl", "cora", "test_accuracy") is None

"""A word on each printed number."""

from __future__ import annotations

import pytest

from homogcl.runs.record import Record
from reproduction.paper.verdicts import verdict, verdicts_table
from reproduction.reported.numbers import VERDICTS, Cause, Reported, causes, read
from tests.records import make_record


def number(method: str, value: float | None, data: str = "cora") -> Reported:
    return Reported(method, "", data, "test_accuracy", value, None, f"{value}", "")


def runs(count: int, **metrics: float) -> list[Record]:
    return [make_record(method="gca", seed=seed, metrics=metrics) for seed in range(count)]


@pytest.mark.parametrize(
    ("records", "word"),
    [
        (runs(5, test_accuracy=0.81), "confirmed"),
        (runs(2, test_accuracy=0.81), "confirmed (2)"),
        (runs(5, test_accuracy=0.7), "explained"),
        (runs(1, adam_test_accuracy=0.7), "explained (1) †"),
        ([], "not run"),
    ],
)
def test_a_verdict_is_of_the_difference_and_its_cause(records: list[Record], word: str) -> None:
    reasons = {("gca", "cora", "accuracy"): "explained"}
    assert verdict(records, number("gca", 80.0), reasons) == word
    assert verdict(records, number("gca", None), reasons) is None


def test_a_difference_without_a_cause_is_open() -> None:
    assert verdict(runs(5, test_accuracy=0.7), number("gca", 80.0), {}) == "open"


def test_each_printed_row_has_one_row() -> None:
    printed = {"Table 2": [number("gca", 80.0), number("gca", 90.0, "photo"), number("bgrl", 1.0)]}
    cause = Cause(("gca",), ("cora",), "accuracy", "Steps.", "refuted")
    table = verdicts_table(runs(5, test_accuracy=0.7), printed, [cause])
    assert table.rows == (
        ("Table 2", "gca", "refuted", None, None, "not run", None),
        ("Table 2", "bgrl", "not run", None, None, None, None),
    )
    assert all(word in table.notes[0] for word in VERDICTS)


def test_every_cause_has_a_known_verdict() -> None:
    assert {cause.verdict for cause in causes()} <= {*VERDICTS}
    metrics = {each.metric for each in read("clustering")}
    rows = verdicts_table([], {"Table 3": read("clustering")}, []).rows
    assert len(rows) == len({each.method for each in read("clustering")}) * len(metrics)

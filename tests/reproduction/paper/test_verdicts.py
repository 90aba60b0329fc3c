"""A word on each printed number."""

from __future__ import annotations

import pytest

from homogcl.runs.record import Record
from reproduction.paper.verdicts import (
    CONFIRMED,
    NOT_RUN,
    counts_table,
    printed_rows,
    verdict,
    verdicts_table,
)
from reproduction.reported.numbers import VERDICTS, Cause, Reported, causes, read
from tests.records import make_record


def number(method: str, value: float | None, data: str = "cora", variant: str = "") -> Reported:
    return Reported(method, variant, data, "test_accuracy", value, None, f"{value}", "")


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
    assert str(verdict(records, number("gca", 80.0), reasons)) == word
    assert verdict(records, number("gca", None), reasons) is None


def test_a_difference_without_a_cause_is_open() -> None:
    assert str(verdict(runs(5, test_accuracy=0.7), number("gca", 80.0), {})) == "open"


def test_a_cause_of_the_usual_variant_is_none_of_another() -> None:
    reasons = {("gca", "cora", "accuracy"): "explained"}
    other = number("gca", 80.0, variant="without a loss")
    assert str(verdict(runs(5, test_accuracy=0.7), other, reasons)) == "open"


def test_other_features_confirm_and_refute_nothing() -> None:
    structural = [
        run.model_copy(update={"resolved": {"data": {"features": "structural"}}})
        for run in runs(1, test_accuracy=0.8)
    ]
    assert str(verdict(structural, number("gca", 80.0), {})) == "other features (1)"


def test_each_printed_row_has_one_row_and_each_number_is_counted() -> None:
    printed = {
        "Table 2": [number("gca", 80.0), number("gca", 90.0, "photo"), number("bgrl", 1.0)],
        "Table 5": [number("gca", None, "arxiv"), number("gca", 70.0, "cora", "k=2")],
    }
    cause = Cause(("gca",), ("cora",), "accuracy", "Steps.", "refuted")
    plain, sampled = runs(5, test_accuracy=0.7), runs(5, test_accuracy=0.7)
    sampled = [run.model_copy(update={"resolved": {"method": {"k": 2}}}) for run in sampled]
    rows = printed_rows(
        [*plain, *sampled], printed, [cause], lambda run: "k=2" if run.setting("k") else ""
    )
    table = verdicts_table(rows)
    assert table.rows == (
        ("Table 2", "gca", "refuted", None, None, "not run", None, None),
        ("Table 2", "bgrl", "not run", None, None, None, None, None),
        ("Table 5", "gca", None, None, None, None, None, None),
        ("Table 5", "gca, k=2", "confirmed", None, None, None, None, None),
    )
    assert all(word in table.notes[0] for word in VERDICTS)
    counts = counts_table(rows)
    assert counts.columns == ("Table", "Numbers", CONFIRMED, "refuted", NOT_RUN)
    assert counts.rows == (("Table 2", 3, 0, 1, 2), ("Table 5", 1, 1, 0, 0))


def test_every_cause_has_a_known_verdict() -> None:
    assert {cause.verdict for cause in causes()} <= {*VERDICTS}
    metrics = {each.metric for each in read("clustering")}
    rows = printed_rows([], {"Table 3": read("clustering")}, [])
    assert len(rows) == len({each.method for each in read("clustering")}) * len(metrics)

"""Units, decimals and paired differences of metrics."""

from __future__ import annotations

import math

import pytest
from scipy.stats import ttest_rel

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import (
    decimals,
    in_shown_unit,
    is_accuracy,
    mean_cell,
    paired_difference,
    paired_p_value,
)
from homogcl.runs.record import Record, Summary
from tests.records import make_record

BEFORE, AFTER = (0.80, 0.82, 0.81), (0.83, 0.82, 0.84)


def runs(*accuracies: float, **changes: object) -> list[Record]:
    return [
        make_record(
            None, seed=seed, metrics={"test_accuracy": accuracy, "nmi": accuracy / 2}, **changes
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def test_accuracies_are_shown_in_percent_and_other_metrics_as_they_are() -> None:
    assert in_shown_unit(Summary(0.5, 0.25, 3), "val_accuracy") == Summary(50, 25, 3)
    assert in_shown_unit(Summary(0.5, None, 1), "test_accuracy") == Summary(50, None, 1)
    assert in_shown_unit(Summary(0.5, 0.25, 3), "nmi") == Summary(0.5, 0.25, 3)
    assert is_accuracy("knn_test_accuracy")
    assert not is_accuracy("ari")


def test_fractions_need_one_more_decimal_than_percentages() -> None:
    assert decimals(["test_accuracy", "val_accuracy"]) == 2
    assert decimals(["test_accuracy", "nmi"]) == 3


def test_a_cell_is_the_mean_else_the_failures_else_nothing() -> None:
    cell = mean_cell(runs(0.80, 0.84), "test_accuracy")
    assert isinstance(cell, Summary)
    # The sample standard deviation of 80 and 84 is sqrt(8).
    assert cell == pytest.approx((82.0, math.sqrt(8), 2))
    failed = runs(0.8, status="failed", reason="no memory")
    assert mean_cell(failed, "test_accuracy") == "failed (1)"
    assert mean_cell([*failed, make_record(seed=1)], "test_accuracy") == Summary(80.0, None, 1)
    assert mean_cell(runs(0.8), "ari") is None
    assert mean_cell([], "ari") is None


def test_a_difference_is_over_the_seeds_of_both() -> None:
    # Seed 2 has no partner: the differences are 0.03 and 0.
    difference = paired_difference(runs(*BEFORE), runs(*AFTER[:2]))
    assert difference == pytest.approx((1.5, math.sqrt(4.5), 2))
    assert paired_difference(runs(*BEFORE)[:1], runs(*AFTER)[1:]) is None
    halves = paired_difference(runs(*BEFORE), runs(*AFTER), "nmi")
    assert halves is not None
    assert halves.mean == pytest.approx(0.01)


def test_a_seed_that_splits_the_nodes_otherwise_is_no_pair() -> None:
    other = runs(*AFTER, split_sha256="c" * 64)
    assert paired_difference(runs(*BEFORE), other) is None
    assert paired_p_value(runs(*BEFORE), other, "test_accuracy") is None


def test_the_p_value_is_that_of_a_paired_t_test() -> None:
    p = paired_p_value(runs(*BEFORE), runs(*AFTER), "test_accuracy")
    assert p == pytest.approx(ttest_rel(AFTER, BEFORE).pvalue)
    # Differences 3, 0, 3 have mean 2 and standard error 1: t = 2 at 2 degrees of freedom, where
    # the two-sided p-value is 1 - t / sqrt(t² + 2).
    assert p == pytest.approx(1 - 2 / math.sqrt(6))
    # The order of the records does not matter.
    assert paired_p_value(runs(*BEFORE)[::-1], runs(*AFTER), "test_accuracy") == p


def test_there_is_no_p_value_of_one_seed_or_of_equal_runs() -> None:
    assert paired_p_value(runs(*BEFORE), runs(*AFTER[:1]), "test_accuracy") is None
    assert paired_p_value(runs(*BEFORE), runs(*BEFORE), "test_accuracy") is None


def test_a_seed_that_counts_twice_is_refused() -> None:
    with pytest.raises(UserError, match="two records have the seed 0"):
        paired_difference([*runs(0.8), *runs(0.8)], runs(0.9))

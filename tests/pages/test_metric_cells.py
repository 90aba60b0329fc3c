"""Units, decimals and paired differences of metrics."""

from __future__ import annotations

import math

import pytest
from scipy.stats import ttest_rel

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import (
    Place,
    after_holm,
    decimals,
    epochs_cell,
    gain,
    has_metric,
    in_shown_unit,
    is_accuracy,
    mean_cell,
    p_cell,
    pair_cells,
)
from homogcl.pages.table import Gain
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


def summary(difference: Gain | None) -> tuple[float, float | None, int]:
    assert difference is not None
    return difference.difference[:3]


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
    assert cell == pytest.approx((82.0, math.sqrt(8), 2, ""))
    failed = runs(0.8, status="failed", reason="no memory")
    assert mean_cell(failed, "test_accuracy") == "failed (1)"
    assert mean_cell([*failed, make_record(seed=1)], "test_accuracy") == Summary(80.0, None, 1)
    assert mean_cell(runs(0.8), "ari") is None
    assert mean_cell([], "ari") is None


def test_a_difference_is_over_the_seeds_of_both() -> None:
    # Seed 2 has no partner: the differences are 0.03 and 0.
    assert summary(gain(runs(*BEFORE), runs(*AFTER[:2]))) == pytest.approx((1.5, math.sqrt(4.5), 2))
    assert gain(runs(*BEFORE)[:1], runs(*AFTER)[1:]) is None
    assert summary(gain(runs(*BEFORE), runs(*AFTER), "nmi"))[0] == pytest.approx(0.01)


def test_a_seed_that_splits_the_nodes_otherwise_is_no_pair() -> None:
    assert gain(runs(*BEFORE), runs(*AFTER, split_sha256="c" * 64)) is None


def test_the_p_value_is_that_of_a_paired_t_test() -> None:
    p = p_cell(gain(runs(*BEFORE), runs(*AFTER)))
    assert p == pytest.approx(ttest_rel(AFTER, BEFORE).pvalue)
    # The order of the records does not matter.
    assert p_cell(gain(runs(*BEFORE)[::-1], runs(*AFTER))) == p


def test_there_is_no_p_value_of_one_seed_or_of_equal_runs() -> None:
    assert p_cell(gain(runs(*BEFORE), runs(*AFTER[:1]))) is None
    assert p_cell(gain(runs(*BEFORE), runs(*BEFORE))) is None
    assert p_cell(None) is None


def test_a_seed_that_counts_twice_is_refused() -> None:
    with pytest.raises(UserError, match="two records have the seed 0"):
        gain([*runs(0.8), *runs(0.8)], runs(0.9))


def test_a_pair_is_shown_on_the_seeds_of_both() -> None:
    one, two, difference = pair_cells(runs(*BEFORE), runs(*AFTER)[1:], "test_accuracy")
    assert isinstance(one, Summary)
    assert isinstance(two, Summary)
    assert (one.mean, one.n, two.mean, two.n) == pytest.approx((81.5, 2, 83.0, 2))
    assert summary(difference)[0] == pytest.approx(1.5)
    apart = pair_cells(runs(*BEFORE)[:1], runs(*AFTER)[1:], "test_accuracy")
    assert [cell.n for cell in apart if isinstance(cell, Summary)] == [1, 2]
    assert apart[2] is None


def probed(former: dict[int, float], present: dict[int, float]) -> list[Record]:
    """Runs by seed, scored by the former probe, by the present one, or by both."""
    return [
        make_record(
            seed=seed,
            metrics={
                **({"adam_test_accuracy": former[seed]} if seed in former else {}),
                **({"test_accuracy": present[seed]} if seed in present else {}),
            },
        )
        for seed in sorted({*former, *present})
    ]


def test_the_former_probe_counts_where_the_present_one_has_no_score_at_all() -> None:
    old = probed({0: 0.5, 1: 0.7}, {})
    assert mean_cell(old, "test_accuracy") == pytest.approx((60.0, math.sqrt(200), 2, "†"))
    assert has_metric(old[0], "test_accuracy")
    assert not has_metric(old[0], "nmi")
    # One seed of the present probe is enough, and no other seed is mixed in.
    assert mean_cell(probed({0: 0.5, 1: 0.7}, {2: 0.8}), "test_accuracy") == (80.0, None, 1, "")
    # By its own name it is what was asked for.
    assert mean_cell(old[:1], "adam_test_accuracy") == (50.0, None, 1, "")


def test_one_probe_is_never_subtracted_from_the_other() -> None:
    old, new = probed({0: 0.5, 1: 0.7}, {}), probed({}, {0: 0.8, 1: 0.9})
    assert gain(old, new) is None
    both = probed({0: 0.6, 1: 0.6}, {0: 0.8, 1: 0.9})
    difference = gain(old, both)
    assert difference is not None
    assert difference.mark == "†"
    assert difference.difference.mean == pytest.approx(0.0)
    preferred = gain(new, both)
    assert preferred is not None
    assert preferred.mark == ""
    # Means beside a difference are of its probe.
    cells = pair_cells(old, both, "test_accuracy")
    assert [cell.mean for cell in cells if isinstance(cell, Summary)] == pytest.approx([60, 60])
    assert [cell.mark for cell in cells if isinstance(cell, Summary | Gain)] == ["†"] * 3


def test_what_is_no_better_than_untrained_is_marked() -> None:
    untrained = runs(0.80, 0.90, method="random")

    def mark(records: list[Record], among: list[Record]) -> str:
        cell = mean_cell(records, "test_accuracy", among)
        assert isinstance(cell, Summary)
        return cell.mark

    assert mark(runs(0.81, 0.89), untrained) == "‡"  # equal on average
    assert mark(runs(0.81, 0.90), untrained) == ""
    # On seed 0 alone, which both have, the run is better, though not than the mean.
    assert mark(runs(0.81), untrained) == ""
    # Without a common seed, means are compared.
    assert mark(runs(0.81, 0.84)[1:], untrained[:1]) == ""
    assert mark(runs(0.81, 0.79)[1:], untrained[:1]) == "‡"
    assert mark(runs(0.1), runs(0.8, method="grace")) == ""
    assert mark(runs(0.1), runs(0.8, method="raw", data="photo")) == ""
    # One common seed of several is not enough: means are compared.
    assert mark(runs(0.79, 0.84), untrained[:1]) == ""
    assert mark(runs(0.81, 0.78), untrained[:1]) == "‡"
    assert mark(runs(0.81, 0.78), runs(0.80, method="random", split="random")) == ""
    assert mark(untrained, runs(0.99, 0.99, method="propagation")) == ""
    # Scores of two probes tell nothing about each other.
    former = [make_record(method="raw", metrics={"adam_test_accuracy": 0.9})]
    assert mark(runs(0.1), former) == ""
    assert mark(probed({0: 0.8}, {}), former) == "†‡"


def test_holm_marks_what_remains_and_the_note_counts_all_tests() -> None:
    gains: dict[Place, Gain | None] = {
        ("a", "cora"): gain(runs(0.1, 0.2, 0.3), runs(0.5, 0.601, 0.7)),
        ("b", "cora"): gain(runs(*BEFORE), runs(*AFTER)),
        ("a", "photo"): gain(runs(*BEFORE), runs(0.9)),
        ("b", "photo"): None,
    }
    marked, notes = after_holm(gains)
    assert notes == ("2 paired t-tests; at 5 % after Holm's correction: a on cora.",)
    assert {key: each.mark for key, each in marked.items() if each} == {
        ("a", "cora"): "*",
        ("b", "cora"): "",
        ("a", "photo"): "",
    }
    # A p-value of 0.03 remains alone, but not as one of two.
    near = gain(runs(0.5, 0.5, 0.5, 0.5), runs(0.51, 0.52, 0.53, 0.51))
    p = p_cell(near)
    assert p is not None
    assert 0.025 < p < 0.05
    assert after_holm({("a", "cora"): near})[1] == (
        "1 paired t-test; at 5 % after Holm's correction: a on cora.",
    )
    assert after_holm({("a", "cora"): near, ("b", "cora", "nmi"): gains["b", "cora"]})[1] == (
        "2 paired t-tests; at 5 % after Holm's correction: none.",
    )
    assert after_holm({("a", "cora"): None}) == ({("a", "cora"): None}, ())


def test_epochs_are_those_of_the_runs() -> None:
    def trained(*epochs: int) -> list[Record]:
        return [
            make_record({"train": {"epochs": each}}, seed=seed) for seed, each in enumerate(epochs)
        ]

    assert epochs_cell(trained(20, 20)) == 20
    assert epochs_cell(trained(20, 50, 30)) == "20–50"
    assert epochs_cell(trained(20), trained(20, 20)) == 20
    assert epochs_cell(trained(20), trained(50)) == "20 / 50"
    assert epochs_cell([], trained(50)) == 50
    assert epochs_cell([make_record({})]) is None

"""What was reached beside what the paper prints, and beside the base."""

from __future__ import annotations

import pytest
from pydantic import JsonValue
from scipy.stats import ttest_1samp

from homogcl.pages.table import Gain
from homogcl.runs.record import Record, Summary
from reproduction.reported.numbers import Reported, read
from reproduction.study.goals import Goal, adaptive_runs, goals_table
from tests.records import make_record

ALONE, PLUGGED = (0.80, 0.82, 0.81, 0.83), (0.81, 0.82, 0.83, 0.85)


def runs(method: str, accuracies: tuple[float, ...]) -> list[Record]:
    return [
        make_record({}, method=method, data="cora", seed=seed, metrics={"test_accuracy": accuracy})
        for seed, accuracy in enumerate(accuracies)
    ]


def row(records: list[Record], reported: list[Reported]) -> dict[str, object]:
    goal = Goal("grace", "cora", "test_accuracy")
    table = goals_table(records, reported, "homogcl", [goal])
    return dict(zip(table.columns, table.rows[0], strict=True))


def test_a_row_has_the_papers_number_both_means_and_a_paired_test() -> None:
    result = row([*runs("grace", ALONE), *runs("grace+homogcl", PLUGGED)], read("classification"))
    assert str(result["Paper"]).startswith("84.5")
    assert isinstance(result["Alone"], Summary)
    assert result["Alone"].mean == pytest.approx(81.5)
    assert isinstance(result["Gain [95 %]"], Gain)
    gains = [b - a for a, b in zip(ALONE, PLUGGED, strict=True)]
    assert result["Gain [95 %]"].difference.mean == pytest.approx(100 * sum(gains) / 4)
    assert result["p"] == pytest.approx(ttest_1samp(gains, 0).pvalue)


def test_seeds_that_one_side_lacks_do_not_count_in_the_gain() -> None:
    result = row([*runs("grace", ALONE), *runs("grace+homogcl", PLUGGED[:1])], [])
    assert isinstance(result["Gain [95 %]"], Gain)
    assert result["Gain [95 %]"].difference.n == 1
    assert result["p"] is None
    assert result["Paper"] is None
    # The base stands beside it on that seed alone.
    assert result["Alone"] == pytest.approx((80.0, None, 1, ""))


def test_what_was_not_run_is_left_open() -> None:
    result = row([], read("classification"))
    assert result["Alone"] is None
    assert result["Gain [95 %]"] is None


def test_a_base_that_the_paper_has_no_row_of_is_held_to_another() -> None:
    goal = Goal("ccassg", "cora", "test_accuracy", "grace+homogcl")
    table = goals_table(runs("ccassg", ALONE), read("classification"), "homogcl", [goal])
    assert str(table.rows[0][table.columns.index("Paper")]).startswith("84.5")


def test_bases_without_settings_of_their_own_are_taken_as_shipped() -> None:
    def run(method: str, data: str, **settings: JsonValue) -> Record:
        return make_record({"method": settings}, method=method, data=data)

    special = [
        run("grace", "cora", wide=1),
        run("grace+adaptive", "cora", wide=1),
    ]
    shipped = [run("grace", "cora"), run("bgrl", "cora"), run("bgrl+homogcl", "cora", k=5)]
    varied = [
        run("grace+adaptive", "cora"),
        run("bgrl+adaptive", "cora", k=5),
        run("bgrl+adaptive", "cora", k=30),
        run("bgrl+homogcl", "cora", k=30),
    ]
    result = adaptive_runs(special, shipped, varied)
    assert result == [*special, shipped[1], varied[1]]

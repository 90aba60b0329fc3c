"""Quality and cost of methods side by side."""

import pytest
from pydantic import JsonValue

from homogcl.pages.table import Gain
from homogcl.runs.record import Summary
from reproduction.tables.costs import costs_table
from tests.records import make_record


def test_seconds_are_the_shortest_and_memory_the_median() -> None:
    runs = [
        make_record(seed=seed, seconds=seconds, peak_memory_bytes=memory)
        for seed, seconds, memory in ((0, 30.0, 10**9), (1, 12.4, 3 * 10**9), (2, 99.0, 2 * 10**9))
    ]
    quick = make_record(method="raw", seconds=0.01, metrics={"test_accuracy": 0.81})
    failed = make_record(method="raw", seed=1, status="failed", reason="no memory")
    table = costs_table([*runs, quick, failed], ("raw", "bgrl", "grace+homogcl"), ("cora",))
    assert table.columns[:4] == ("Data set", "Method", "Epochs", "Accuracy")
    assert table.columns[4:] == ("Over its base [95 %]", "Seconds", "Memory (GB)")
    quick_row, row = table.rows
    assert quick_row[:2] == ("cora", "raw")
    assert quick_row[4:] == (None, "< 0.1", "1.0")
    assert row[:2] == ("cora", "grace+homogcl")
    assert isinstance(row[3], Summary)
    assert (row[3].n, row[3].mark) == (3, "‡")  # worse than the features alone
    assert row[4:] == (None, "12", "2.0")


def test_a_plug_in_has_its_gain_over_its_base_and_both_their_epochs() -> None:
    settings: dict[str, JsonValue] = {"train": {"epochs": 20}}
    runs = [
        make_record(settings, method=method, seed=seed, metrics={"test_accuracy": accuracy + seed})
        for method, accuracy in (("grace", 0.1), ("grace+homogcl", 0.12))
        for seed in (0, 1)
    ]
    alone, plugged = costs_table(runs, ("grace", "grace+homogcl"), ("cora",)).rows
    assert (alone[2], alone[4], plugged[2]) == (20, None, 20)
    assert isinstance(plugged[4], Gain)
    assert plugged[4].difference.mean == pytest.approx(2)

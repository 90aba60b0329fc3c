"""Quality and cost of methods side by side."""

from homogcl.runs.record import Summary
from reproduction.tables.costs import costs_table
from tests.records import make_record


def test_seconds_are_the_shortest_and_memory_the_median() -> None:
    runs = [
        make_record(seed=seed, seconds=seconds, peak_memory_bytes=memory)
        for seed, seconds, memory in ((0, 30.0, 10**9), (1, 12.4, 3 * 10**9), (2, 99.0, 2 * 10**9))
    ]
    quick = make_record(method="raw", seconds=0.01)
    failed = make_record(method="raw", seed=1, status="failed", reason="no memory")
    table = costs_table([*runs, quick, failed], ("raw", "bgrl", "grace+homogcl"), ("cora",))
    assert table.columns == ("Data set", "Method", "Accuracy", "Seconds", "Memory (GB)")
    quick_row, row = table.rows
    assert quick_row[:2] == ("cora", "raw")
    assert quick_row[3:] == ("< 0.1", "1.0")
    assert row[:2] == ("cora", "grace+homogcl")
    assert isinstance(row[2], Summary)
    assert row[2].n == 3
    assert row[3:] == ("12", "2.0")

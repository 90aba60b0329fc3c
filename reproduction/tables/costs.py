"""What an embedding is worth and what it costs: quality, seconds and memory of several methods."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from homogcl.pages.metric_cells import epochs_cell, gain, mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record
from reproduction.paper.pairs import base_of

GIGABYTE = 1e9


def costs_table(records: Iterable[Record], methods: Sequence[str], data: Sequence[str]) -> Table:
    """Return accuracy, seconds and memory by data set and method.

    Seconds are the shortest over the seeds, since other programs ran beside many of the trainings;
    memory is the median of the whole process at its largest. A method without records has no row.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.status == "ok":
            groups.setdefault((record.data, record.method), []).append(record)
    keys = [(each, method) for each in data for method in methods if (each, method) in groups]
    among = [run for key in keys for run in groups[key]]

    def row(name: str, method: str) -> tuple[Cell, ...]:
        runs, base = groups[name, method], base_of(method)
        gained = gain(groups.get((name, str(base)), []), runs)
        accuracy = mean_cell(runs, "test_accuracy", among)
        return (name, method, epochs_cell(runs), accuracy, gained, *_costs(runs))

    columns = ("Epochs", "Accuracy", "Over its base [95 %]", "Seconds", "Memory (GB)")
    return Table(("Data set", "Method", *columns), tuple(row(*key) for key in keys), 1)


def _costs(runs: Sequence[Record]) -> tuple[str, str]:
    seconds = min(run.seconds for run in runs)
    memory = statistics.median(run.peak_memory_bytes for run in runs) / GIGABYTE
    return _text(seconds), f"{memory:.1f}"


def _text(seconds: float) -> str:
    if seconds < 0.1:
        return "< 0.1"
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"

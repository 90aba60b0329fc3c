"""What is said under a table: scores of untrained methods, and pairs that are not alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from homogcl.pages.metric_cells import UNTRAINED, is_accuracy, mean_cell
from homogcl.pages.table import Table, cell_text
from homogcl.runs.origin import UNKNOWN
from homogcl.runs.record import Record, read_records


def untrained_runs(results: Path) -> list[Record]:
    """Return the runs of untrained methods by presets, which means are held to; none without any.

    Args:
        results: The folder of records.
    """
    folder = results / "presets"
    presets = read_records(folder) if folder.is_dir() else []
    return [record for record in presets if record.method in UNTRAINED]


def untrained_note(
    records: Iterable[Record], data: Sequence[str], metric: str = "test_accuracy"
) -> tuple[str, ...]:
    """Return a line with what untrained methods score on each data set; none without any.

    Args:
        records: Runs of any kind.
        data: Which data sets, in which order.
        metric: What is scored.
    """
    runs: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.method in UNTRAINED:
            runs.setdefault((record.data, record.method), []).append(record)
    parts = []
    for name in data:
        scores = [
            f"{method} {cell_text(cell, 2 if is_accuracy(metric) else 3)}"
            for method in UNTRAINED
            if (cell := mean_cell(runs.get((name, method), []), metric)) is not None
        ]
        parts += [f"{name}: {', '.join(scores)}"] if scores else []
    return (f"Without any training, {'; '.join(parts)}.",) if parts else ()


def unlike_note(records: Iterable[Record]) -> tuple[str, ...]:
    """Return a line that names runs whose negatives were drawn otherwise than their base's.

    Plug-ins once drew sampled negatives by cluster. Records from then do not know their commit.
    """
    counts = Counter(
        f"{record.method} on {record.data}" for record in records if _draws_by_cluster(record)
    )
    names = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
    line = f"Negatives drawn by cluster, unlike those of the base, which are uniform: {names}."
    return (line,) if names else ()


def _draws_by_cluster(record: Record) -> bool:
    """Return whether a plug-in's run drew its negatives by cluster."""
    plugged, sampled = "+" in record.method, record.setting("negatives") == "sampled"
    return plugged and sampled and record.commit == UNKNOWN


def with_notes(table: Table, *notes: str) -> Table:
    """Return the table with further lines below it."""
    return replace(table, notes=(*table.notes, *notes))

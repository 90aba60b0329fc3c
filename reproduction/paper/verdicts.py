"""What becomes of each number that the paper prints, in a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from homogcl.pages.metric_cells import mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import OF_FORMER, Record, Summary
from reproduction.paper.overview import NOTABLE
from reproduction.reported.numbers import OPEN, VERDICTS, Cause, Reported

CONFIRMED, NOT_RUN = "confirmed", "not run"
SEEDS = 5  # with fewer, a verdict says how many
DATA = ("cora", "citeseer", "pubmed", "photo", "computers")


def verdicts_table(
    records: Iterable[Record],
    printed: Mapping[str, Sequence[Reported]],
    causes: Iterable[Cause],
) -> Table:
    """Return a verdict for each printed number, one row per printed row.

    Args:
        records: Runs with the presets' settings.
        printed: The paper's numbers by the table that they are in.
        causes: Why some of ours differ, and what that is worth.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.method, record.data), []).append(record)
    reasons = {
        (method, name, cause.of): cause.verdict
        for cause in causes
        for method in cause.methods
        for name in cause.data
    }
    rows: list[tuple[Cell, ...]] = []
    for table, numbers in printed.items():
        for method, metric in dict.fromkeys((each.method, each.metric) for each in numbers):
            by_data = {
                each.data: verdict(groups.get((method, each.data), []), each, reasons)
                for each in numbers
                if (each.method, each.metric) == (method, metric)
            }
            row = method if metric == "test_accuracy" else f"{method}, {metric.upper()}"
            rows.append((table, row, *(by_data.get(name) for name in DATA)))
    limits = f"{NOTABLE['test_accuracy']} points, or {NOTABLE['nmi']} of NMI and ARI"
    meanings = {CONFIRMED: f"within {limits}, whatever the base has", **VERDICTS}
    words = "; ".join(f"{word}: {meaning}" for word, meaning in meanings.items())
    return Table(("Table", "Row", *DATA), tuple(rows), decimals=2, notes=(f"{words}.",))


def verdict(
    runs: Sequence[Record], paper: Reported, reasons: Mapping[tuple[str, str, str], str]
) -> str | None:
    """Return the verdict on a printed number from the runs of its row; None if it prints none."""
    measured = mean_cell(runs, paper.metric)
    if paper.value is None:
        return None
    if not isinstance(measured, Summary):
        return NOT_RUN
    word = CONFIRMED
    if abs(measured.mean - paper.value) > NOTABLE[paper.metric]:
        key = (paper.method, paper.data, Cause.kind(paper.metric))
        word = reasons.get(key, OPEN)
    former = OF_FORMER if OF_FORMER in measured.mark else ""
    few = f" ({measured.n})" if measured.n < SEEDS else ""
    return f"{word}{few} {former}".rstrip()

"""The tables of results: pure functions of run records and of the paper's printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from homogcl.core.errors import UserError
from homogcl.pages.table import ABSENT, Cell, Table
from homogcl.runs.record import (
    Record,
    Summary,
    aggregate,
    best_milestone,
    distinct_seeds,
    summarize,
)
from reproduction.reported import Reported, find

Label = Callable[[Record], str]


@dataclass(frozen=True)
class _Row:
    """The records of one method with one choice of settings on one data set, perhaps none."""

    data: str
    method: str
    name: str
    records: tuple[Record, ...]


def classification_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return test accuracy in percent beside the paper's, a row for each data set and settings.

    Args:
        records: runs; those of other methods and data sets are left out.
        reported: the paper's numbers; what it prints has a row even where nothing was run.
        methods: which methods, in which order.
        data: which data sets, in which order.
        label: names a row after one of its records; by default it is the method, with the
            beginning of the settings' hash where several settings were run.
    """
    titles = {"test_accuracy": ("Test accuracy (%)", "Paper", "Difference")}
    return _compared(_rows(records, methods, data, label), reported, titles, decimals=2)


def clustering_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return NMI and ARI beside the paper's; the arguments are those of `classification_table`."""
    titles = {
        "nmi": ("NMI", "NMI, paper", "NMI, difference"),
        "ari": ("ARI", "ARI, paper", "ARI, difference"),
    }
    return _compared(_rows(records, methods, data, label), reported, titles, decimals=3)


def milestone_table(
    records: Iterable[Record],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return test accuracy in percent by epochs, a column for each method.

    The last row of a data set has each method at its own best epochs, chosen by mean validation
    accuracy. Two methods are also subtracted, the first from the second. A method may have only
    one choice of settings on a data set, unless `label` tells them apart.
    """
    rows = _rows(records, methods, data, label or (lambda record: record.method))
    names = list(dict.fromkeys(row.name for row in rows if row.records))
    body: list[tuple[Cell, ...]] = []
    for data_name in data:
        runs: dict[str, list[Record]] = {name: [] for name in names}
        for row in rows:
            if row.data == data_name and row.records:
                if runs[row.name]:
                    raise UserError(f"{row.name} on {data_name} has several settings; pick one")
                runs[row.name] = [r for r in distinct_seeds(row.records) if r.milestones]
        body += _milestone_rows(data_name, list(runs.values()))
    difference = ("Difference",) if len(names) == 2 else ()
    return Table(("Data set", "Epochs", *names, *difference), tuple(body), decimals=2)


def _rows(
    records: Iterable[Record], methods: Sequence[str], data: Sequence[str], label: Label | None
) -> list[_Row]:
    """Return the rows in the order of `data` and `methods`, empty ones where nothing was run."""
    groups: dict[tuple[str, str], dict[str, list[Record]]] = {}
    for record in records:
        by_settings = groups.setdefault((record.data, record.method), {})
        by_settings.setdefault(record.settings_sha256, []).append(record)
    rows = []
    for data_name in data:
        for method in methods:
            by_settings = groups.get((data_name, method), {})
            if not by_settings:
                rows.append(_Row(data_name, method, method, ()))
            for digest, members in sorted(by_settings.items()):
                suffix = f" [{digest[:6]}]" if len(by_settings) > 1 else ""
                name = label(members[0]) if label else method + suffix
                rows.append(_Row(data_name, method, name, tuple(members)))
    return rows


def _compared(
    rows: Iterable[_Row],
    reported: Sequence[Reported],
    titles: Mapping[str, tuple[str, str, str]],
    decimals: int,
) -> Table:
    """Return measured, printed and difference for each metric in `titles`."""
    body: list[tuple[Cell, ...]] = []
    for row in rows:
        cells: list[Cell] = []
        for metric in titles:
            paper = find(reported, row.method, row.data, metric)
            cells += comparison(row.records, metric, paper, decimals)
        if row.records or any(cells):
            body.append((row.data, row.name, _epochs(row.records), *cells))
    columns = [title for group in titles.values() for title in group]
    return Table(("Data set", "Method", "Epochs", *columns), tuple(body), decimals)


def comparison(
    records: Sequence[Record], metric: str, paper: Reported | None, decimals: int
) -> tuple[Cell, str | None, str | None]:
    """Return the cells for one metric: measured, as the paper prints it, and the difference."""
    printed = None if paper is None else paper.printed or paper.note
    if not any(metric in record.metrics for record in distinct_seeds(records)):
        failed = sum(record.status == "failed" for record in records)
        return f"failed ({failed})" if failed else None, printed, None
    measured = scaled(aggregate(records, metric), metric)
    if paper is None or paper.value is None:
        return measured, printed, None
    return measured, printed, f"{measured.mean - paper.value:+.{decimals}f}"


def scaled(summary: Summary, metric: str) -> Summary:
    """Return a summary in the unit that tables show and the paper prints: accuracies in percent."""
    scale = 100 if metric.endswith("accuracy") else 1
    std = None if summary.std is None else summary.std * scale
    return Summary(summary.mean * scale, std, summary.n)


def _epochs(records: Sequence[Record]) -> int | None:
    """Return the epochs that the settings of a row's records ask for."""
    return records[0].epochs if records else None


def _milestone_rows(data_name: str, runs: Sequence[list[Record]]) -> list[tuple[Cell, ...]]:
    """Return a data set's accuracies by epochs, then those at each method's best epochs."""
    epochs = sorted({e for members in runs for record in members for e in record.by_epochs()})
    if not epochs:
        return []
    table: list[tuple[Cell, ...]] = []
    for e in epochs:
        cells = [_at_milestone(members, e) for members in runs]
        table.append((data_name, e, *cells, *_gain(cells)))
    best = [best_milestone(members) if members else None for members in runs]
    cells = [
        None if e is None else _at_milestone(members, e)
        for members, e in zip(runs, best, strict=True)
    ]
    chosen = ", ".join(ABSENT if e is None else str(e) for e in best)
    table.append((data_name, f"best on validation: {chosen}", *cells, *_gain(cells)))
    return table


def _at_milestone(records: Sequence[Record], epochs: int) -> Summary | None:
    """Return the test accuracy in percent after so many epochs, over the records that have it."""
    metrics = [record.by_epochs().get(epochs, {}) for record in records]
    values = [m["test_accuracy"] for m in metrics if "test_accuracy" in m]
    return scaled(summarize(values), "test_accuracy") if values else None


def _gain(cells: Sequence[Summary | None]) -> tuple[str | None, ...]:
    """Return the difference of two cells as one cell, and no cell unless there are two."""
    if len(cells) != 2:
        return ()
    first, second = cells
    return (f"{second.mean - first.mean:+.2f}" if first and second else None,)

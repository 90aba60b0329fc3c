"""Tables with one row per data set and method, beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from homogcl.pages.metric_cells import after_holm, decimals, epochs_cell, gain, mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary
from reproduction.paper.pairs import base_of
from reproduction.reported.numbers import Reported, find

Label = Callable[[Record], str]

SUFFIXES = ("", ", paper", ", difference")  # of the titles of a metric's three columns


@dataclass(frozen=True)
class Row:
    """The records of one method with one choice of settings on one data set; may be empty."""

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
    """Return test accuracy in percent beside the paper's, one row per data set and settings.

    A row with a plug-in also has the gain over its base, on the seeds of both, if the base has one
    choice of settings.

    Args:
        records: Runs; those of other methods and data sets are left out, but a mean that is not
            above that of an untrained method among them is marked.
        reported: The paper's numbers; each has a row even without runs.
        methods: Which methods, in which order.
        data: Which data sets, in which order.
        label: Returns the name of a row from one of its records; by default the method, with the
            start of the settings' hash if there are several settings.
    """
    titles = {"test_accuracy": ("Test accuracy (%)", "Paper", "Difference", "Over the base [95 %]")}
    records = list(records)
    return _beside_the_paper(rows_of(records, methods, data, label), reported, titles, records)


def clustering_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return NMI and ARI beside the paper's; the arguments are those of `classification_table`."""
    titles = {
        "nmi": ("NMI", "NMI, paper", "NMI, difference", "NMI over the base [95 %]"),
        "ari": ("ARI", "ARI, paper", "ARI, difference", "ARI over the base [95 %]"),
    }
    records = list(records)
    return _beside_the_paper(rows_of(records, methods, data, label), reported, titles, records)


def rows_of(
    records: Iterable[Record], methods: Sequence[str], data: Sequence[str], label: Label | None
) -> list[Row]:
    """Return the rows in the order of `data` and `methods`; rows without runs are empty."""
    groups: dict[tuple[str, str], dict[str, list[Record]]] = {}
    for record in records:
        by_settings = groups.setdefault((record.data, record.method), {})
        by_settings.setdefault(record.settings_sha256, []).append(record)
    rows = []
    for data_name in data:
        for method in methods:
            by_settings = groups.get((data_name, method), {})
            if not by_settings:
                rows.append(Row(data_name, method, method, ()))
            for digest, members in sorted(by_settings.items()):
                suffix = f" [{digest[:6]}]" if len(by_settings) > 1 else ""
                name = label(members[0]) if label else method + suffix
                rows.append(Row(data_name, method, name, tuple(members)))
    return rows


def _beside_the_paper(
    rows: Sequence[Row],
    reported: Sequence[Reported],
    titles: Mapping[str, tuple[str, ...]],
    among: Sequence[Record],
) -> Table:
    """Return our value, the paper's, the difference and the gain for each metric in `titles`.

    Without any gain its column is left out.
    """
    named = dict(zip(titles, titles if len(titles) > 1 else [""], strict=True))
    gains, notes = after_holm(
        {
            (row.name, row.data, named[metric]): gain(base.records, row.records, metric)
            for row in rows
            if (base := _base(row, rows)) is not None
            for metric in titles
        }
    )
    width = 4 if any(gains.values()) else 3
    body: list[tuple[Cell, ...]] = []
    for row in rows:
        cells: list[Cell] = []
        for metric in titles:
            paper = find(reported, row.method, row.data, metric)
            compared = comparison(row.records, metric, paper, among)
            cells += (*compared, gains.get((row.name, row.data, named[metric])))[:width]
        if any(cell is not None for cell in cells):
            body.append((row.data, row.name, epochs_cell(row.records), *cells))
    columns = [title for group in titles.values() for title in group[:width]]
    head = ("Data set", "Method", "Epochs")
    return Table((*head, *columns), tuple(body), decimals(titles), notes=notes)


def _base(row: Row, rows: Iterable[Row]) -> Row | None:
    """Return the row of the base on the same data set, if there is exactly one."""
    base = base_of(row.method)
    bases = [each for each in rows if (each.data, each.method) == (row.data, base)]
    return bases[0] if len(bases) == 1 else None


def comparison(
    records: Sequence[Record], metric: str, paper: Reported | None, among: Iterable[Record]
) -> tuple[Cell, str | None, str | None]:
    """Return the cells of one metric: our value, the paper's and the difference."""
    printed = None if paper is None else paper.printed or paper.note
    measured = mean_cell(records, metric, among)
    if not isinstance(measured, Summary) or paper is None or paper.value is None:
        return measured, printed, None
    return measured, printed, f"{measured.mean - paper.value:+.{decimals([metric])}f}"

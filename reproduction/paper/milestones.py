"""Accuracy by the number of epochs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import in_shown_unit
from homogcl.pages.table import ABSENT, Cell, Table
from homogcl.runs.record import Record, Summary, best_milestone, distinct_seeds, summarize
from reproduction.paper.comparison import Label, rows_of


def milestone_table(
    records: Iterable[Record],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return test accuracy in percent by epochs, one column per method.

    The last row of a data set has each method at its best epochs by mean validation accuracy. With
    two methods, a further column is the second minus the first. A method may have only one choice
    of settings on a data set, unless `label` names them differently.
    """
    rows = rows_of(records, methods, data, label or (lambda record: record.method))
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
    best_epochs = ", ".join(ABSENT if e is None else str(e) for e in best)
    table.append((data_name, f"best on validation: {best_epochs}", *cells, *_gain(cells)))
    return table


def _at_milestone(records: Sequence[Record], epochs: int) -> Summary | None:
    """Return the test accuracy in percent after `epochs`, over the records that have it."""
    metrics = [record.by_epochs().get(epochs, {}) for record in records]
    values = [m["test_accuracy"] for m in metrics if "test_accuracy" in m]
    return in_shown_unit(summarize(values), "test_accuracy") if values else None


def _gain(cells: Sequence[Summary | None]) -> tuple[str | None, ...]:
    """Return one cell with the difference of two cells; none unless there are two."""
    if len(cells) != 2:
        return ()
    first, second = cells
    return (f"{second.mean - first.mean:+.2f}" if first and second else None,)

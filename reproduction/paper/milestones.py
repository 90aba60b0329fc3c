"""Accuracy by the number of epochs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import gain, mean_cell
from homogcl.pages.table import ABSENT, Cell, Gain, Table
from homogcl.runs.record import Record, distinct_seeds
from reproduction.best_milestone import best_milestone
from reproduction.paper.comparison import Label, rows_of
from reproduction.paper.untrained import untrained_note


def milestone_table(
    records: Iterable[Record],
    methods: Sequence[str],
    data: Sequence[str],
    label: Label | None = None,
) -> Table:
    """Return test accuracy in percent by epochs, one column per method.

    The last row of a data set has each method at its best epochs by mean validation accuracy. With
    two methods, a further column is the second minus the first on the seeds of both. A method may
    have only one choice of settings on a data set, unless `label` names them differently. A mean
    that is not above that of an untrained method among the records is marked.
    """
    records = list(records)
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
        body += _milestone_rows(data_name, list(runs.values()), records)
    difference = ("Difference [95 %]",) if len(names) == 2 else ()
    columns = ("Data set", "Epochs", *names, *difference)
    return Table(columns, tuple(body), decimals=2, notes=untrained_note(records, data))


def _milestone_rows(
    data_name: str, runs: Sequence[list[Record]], among: Sequence[Record]
) -> list[tuple[Cell, ...]]:
    """Return a data set's accuracies by epochs, then those at each method's best epochs."""
    epochs = sorted({e for members in runs for record in members for e in record.by_epochs()})
    if not epochs:
        return []

    def cells(ends: Sequence[int | None]) -> tuple[Cell, ...]:
        stopped = [
            [] if end is None else [record.at(end) for record in members]
            for members, end in zip(runs, ends, strict=True)
        ]
        means = (mean_cell(each, "test_accuracy", among) for each in stopped)
        return (*means, *_gain(stopped))

    best = [best_milestone(members) if members else None for members in runs]
    best_epochs = ", ".join(ABSENT if e is None else str(e) for e in best)
    return [
        *((data_name, e, *cells([e] * len(runs))) for e in epochs),
        (data_name, f"best on validation: {best_epochs}", *cells(best)),
    ]


def _gain(runs: Sequence[Sequence[Record]]) -> tuple[Gain | None, ...]:
    """Return one cell with the difference of two methods; none unless there are two."""
    return (gain(runs[0], runs[1]),) if len(runs) == 2 else ()

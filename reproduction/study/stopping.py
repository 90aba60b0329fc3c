"""Where training would stop without labels, compared with the best epoch by labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from homogcl.pages.metric_cells import mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record
from homogcl.training.stopping import CHECK_EVERY, has_settled
from reproduction.best_milestone import best_milestone
from reproduction.paper.untrained import untrained_note

RANK_TOLERANCE = 0.01  # relative change between two checks


def stopping_table(records: Iterable[Record], untrained: Sequence[Record] = ()) -> Table:
    """Return the scores where the rank settles, and at the best epoch on validation.

    Args:
        records: Long trainings, scored by the probe and without labels at milestones.
        untrained: Runs of untrained methods, which means are held to.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.method, record.data), []).append(record)
    columns = (
        *("Method", "Data set", "Settled after", "Validation there", "Test there"),
        *("Best after", "Validation there", "Test there"),
    )
    rows = tuple((*key, *_cells(runs, untrained)) for key, runs in sorted(groups.items()))
    data = list(dict.fromkeys(name for _, name in sorted(groups)))
    return Table(columns, rows, decimals=1, notes=untrained_note(untrained, data))


def settling_epoch(record: Record, tolerance: float = RANK_TOLERANCE) -> int:
    """Return the epoch at which `settle` would stop a training, or its last epoch."""
    by_epochs = record.by_epochs()
    checks = [epochs for epochs in sorted(by_epochs) if epochs % CHECK_EVERY == 0]
    effective_ranks: list[float] = []
    for number, epochs in enumerate(checks, 1):
        if epochs != number * CHECK_EVERY:
            break  # the rule would have checked in between
        effective_ranks.append(by_epochs[epochs]["effective_rank"])
        if has_settled(effective_ranks, tolerance):
            return epochs
    return max(by_epochs)


def _cells(runs: Sequence[Record], untrained: Sequence[Record]) -> tuple[Cell, ...]:
    stops = [run.at(settling_epoch(run)) for run in runs]
    best = [run.at(best_milestone([run])) for run in runs]
    metrics = ("epochs", "val_accuracy", "test_accuracy")
    return tuple(mean_cell(each, metric, untrained) for each in (stops, best) for metric in metrics)

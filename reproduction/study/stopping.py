"""Where a training would stop without labels, beside where labels would have stopped it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from homogcl.pages.metric_cells import in_shown_unit
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, summarize
from homogcl.training.stopping import LOOK_EVERY, has_settled

RANK_TOLERANCE = 0.01  # relative change between two checks


class _Stop(NamedTuple):
    """After how many epochs, and what the probe then scores."""

    epochs: int
    val_accuracy: float
    test_accuracy: float


def stopping_table(records: Iterable[Record]) -> Table:
    """Return where the rank settles, and what that costs beside the best epoch on validation.

    Args:
        records: Trainings far beyond either, scored by the probe and without labels at milestones.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((_called(record), record.data), []).append(record)
    columns = (
        *("Method", "Data set", "Settled after", "Validation there", "Test there"),
        *("Best after", "Validation there", "Test there"),
    )
    return Table(columns, tuple((*key, *_cells(runs)) for key, runs in sorted(groups.items())), 1)


def settled(record: Record, tolerance: float = RANK_TOLERANCE) -> int:
    """Return after how many epochs `settle` would have ended a training; its last at the latest."""
    by_epochs = record.by_epochs()
    looked = [epochs for epochs in sorted(by_epochs) if epochs % LOOK_EVERY == 0]
    ranks: list[float] = []
    for place, epochs in enumerate(looked, 1):
        if epochs != place * LOOK_EVERY:
            break  # the rule would have looked in between
        ranks.append(by_epochs[epochs]["effective_rank"])
        if has_settled(ranks, tolerance):
            return epochs
    return max(by_epochs)


def _called(record: Record) -> str:
    return record.method


def _cells(runs: Sequence[Record]) -> tuple[Cell, ...]:
    stops = [_at(run, settled(run)) for run in runs]
    best = [
        max((_at(run, epochs) for epochs in run.by_epochs()), key=lambda stop: stop.val_accuracy)
        for run in runs
    ]
    return (*_summaries(stops), *_summaries(best))


def _at(record: Record, epochs: int) -> _Stop:
    metrics = record.by_epochs()[epochs]
    return _Stop(epochs, metrics["val_accuracy"], metrics["test_accuracy"])


def _summaries(stops: Sequence[_Stop]) -> list[Cell]:
    epochs = summarize([float(stop.epochs) for stop in stops])
    return [
        epochs,
        in_shown_unit(summarize([stop.val_accuracy for stop in stops]), "val_accuracy"),
        in_shown_unit(summarize([stop.test_accuracy for stop in stops]), "test_accuracy"),
    ]

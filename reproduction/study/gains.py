"""Tables of variants: each with its accuracies and its gain over the base of the same row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from homogcl.pages.metric_cells import after_holm, epochs_cell, gain, mean_cell, p_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record
from reproduction.artifact import Training

TEST, VALIDATION = "test_accuracy", "val_accuracy"
COLUMNS = ("Epochs", "Validation", "Test", "Gain, validation [95 %]", "Gain, test [95 %]", "p")


@dataclass(frozen=True)
class Variant:
    """Runs that differ in the seed alone, those of their base, and their place in a table."""

    place: tuple[str, ...]  # the first cells of the row
    runs: Sequence[Record]
    base: Sequence[Record] = ()  # none for a base itself


def gains_table(
    titles: tuple[str, ...], variants: Iterable[Variant], untrained: Iterable[Record] = ()
) -> Table:
    """Return a row for each variant with runs: accuracies, and gains on the seeds of both.

    Args:
        titles: Titles of the first columns.
        variants: The rows.
        untrained: Runs of untrained methods, which means are held to.
    """
    rows = {each.place: each for each in variants if each.runs}
    among = list(untrained)
    gains, notes = after_holm(
        {place: gain(each.base, each.runs) for place, each in rows.items() if each.base}
    )

    def cells(place: tuple[str, ...], each: Variant) -> tuple[Cell, ...]:
        gained = gains.get(place)
        means = (mean_cell(each.runs, VALIDATION), mean_cell(each.runs, TEST, among))
        before = gain(each.base, each.runs, VALIDATION) if each.base else None
        return (*place, epochs_cell(each.runs), *means, before, gained, p_cell(gained))

    table_rows = tuple(cells(place, each) for place, each in rows.items())
    return Table((*titles, *COLUMNS), table_rows, decimals=1, notes=notes)


def existing_records(results: Path, trainings: Iterable[Training]) -> list[Record]:
    """Return the records that the trainings have below the folder `results`."""
    records = (training.find_record(results) for training in trainings)
    return [record for record in records if record is not None]


def by_seed(groups: Iterable[Sequence[Training]]) -> list[Training]:
    """Return all trainings, the first of each group before the second of any.

    Those on Photo, which take longest, come last.
    """
    by_group = list(groups)
    longest = max(map(len, by_group), default=0)
    trainings = [
        group[place] for place in range(longest) for group in by_group if place < len(group)
    ]
    return sorted(trainings, key=lambda training: " on photo" in training.label)

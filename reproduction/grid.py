"""From artifacts to records and files: one training after the other, each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from homogcl.runs.tasks import task_names
from reproduction.artifact import Artifact, Cell, GraphCell


class Show(Protocol):
    """What follows a grid."""

    def epoch(self, title: str) -> OnEpoch:
        """Return what follows the epochs of the cell called `title`."""

    def cell(self, record: Record, *, ran: bool) -> None:
        """See a cell that ended well, now or before."""

    def failed(self, label: str, error: Exception) -> None:
        """See a cell that failed."""


def cells_of(artifacts: Iterable[Artifact], *, quick: bool) -> list[Cell]:
    """Return what the artifacts need, each training once.

    Two that differ only in what the embeddings are scored on become one that is scored on both.
    """
    cells: list[Cell] = []
    for artifact in artifacts:
        for cell in artifact.cells(quick):
            place = next((i for i, other in enumerate(cells) if _same(cell, other)), None)
            if place is None:
                cells.append(cell)
            else:
                cells[place] = _merged(cells[place], cell)
    return cells


def record_cells(cells: Sequence[Cell], results: Path, show: Show) -> int:
    """Run the cells that have no record and return how many failed: the others go on."""
    failures = 0
    for cell in cells:
        try:
            record, ran = cell.run(results, show.epoch(cell.label))
        except Exception as error:
            # A night's work is not lost to one cell, whatever is wrong with it.
            show.failed(cell.label, error)
            failures += 1
        else:
            show.cell(record, ran=ran)
    return failures


def _same(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, GraphCell) and isinstance(other, GraphCell):
        return cell == replace(other, spec=replace(other.spec, tasks=cell.spec.tasks))
    return cell == other


def _merged(cell: Cell, other: Cell) -> Cell:
    if not (isinstance(cell, GraphCell) and isinstance(other, GraphCell)):
        return cell
    asked = {*cell.spec.tasks, *other.spec.tasks}
    tasks = tuple(task for task in task_names() if task in asked)
    return replace(cell, spec=replace(cell.spec, tasks=tasks))

"""What a table or a figure of the paper is made of: cells to record, and a way to write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from homogcl.runs.grid import find_record, run_cell
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from homogcl.runs.request import Request


class Cell(Protocol):
    """One training whose record is kept; a cell whose record is there is not run again."""

    @property
    def label(self) -> str:
        """What the display calls it."""

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""

    def found(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is all that is needed."""

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Return the record below the folder `results`, and whether it was made now."""


@dataclass(frozen=True)
class GraphCell:
    """A method on a graph, recorded in the folder called `folder`."""

    spec: Request
    folder: str

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.spec.name}, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self.spec.resolve(by_size=False).record_path(results / self.folder)

    def found(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is all that is needed."""
        return find_record(self.spec.resolve(by_size=False), results / self.folder)

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate and record, unless that was done."""
        return run_cell(self.spec.resolve(by_size=False), results / self.folder, on_epoch)


@dataclass(frozen=True)
class Artifact:
    """A table or a figure of the paper.

    Attributes:
        name: What the command line calls it.
        paper: Where it stands in the paper.
        cells: Returns what must be recorded, small and short if asked for the quick form.
        write: Writes it from the records below the first folder into the second, quick or not,
            and returns the files.
    """

    name: str
    paper: str
    cells: Callable[[bool], list[Cell]]
    write: Callable[[Path, Path, bool], list[Path]]

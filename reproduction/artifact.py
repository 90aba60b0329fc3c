"""Artifacts: tables and figures, with their trainings and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from homogcl.core.files import write_atomically
from homogcl.pages.table import Table, to_csv, to_latex, to_markdown
from homogcl.runs.grid import find_record, run_cell
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from homogcl.runs.request import Request


class Training(Protocol):
    """A training that writes a record and does not run again once it has one."""

    @property
    def label(self) -> str:
        """The name that progress and errors show."""

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Return the record below the folder `results`, and whether the training ran now."""


@dataclass(frozen=True)
class GraphTraining:
    """A method on a graph; the record goes to `folder`, below the folder of results."""

    spec: Request
    folder: str

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.spec.name}, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self.spec.resolve(by_size=False).record_path(results / self.folder)

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""
        return find_record(self.spec.resolve(by_size=False), results / self.folder)

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate and record, unless there is a record."""
        return run_cell(self.spec.resolve(by_size=False), results / self.folder, on_epoch)


@dataclass(frozen=True)
class Artifact:
    """A table or a figure of the paper or of the study.

    Attributes:
        name: Its name on the command line.
        title: Its title, or its number in the paper.
        trainings: Returns the trainings it needs; those of the quick form are small and short.
        write: Writes its files and returns them. The arguments are the folder of records, the
            folder of the files, and whether to write the quick form.
    """

    name: str
    title: str
    trainings: Callable[[bool], list[Training]]
    write: Callable[[Path, Path, bool], list[Path]]


def command(name: str, *, quick: bool) -> str:
    """Return the command that makes the artifact called `name`."""
    return f"python -m reproduction {name}{' --quick' if quick else ''}"


def write_table(out: Path, name: str, title: str, table: Table) -> list[Path]:
    """Write a table as Markdown, LaTeX and CSV into the folder `out` and return the files."""
    texts = {
        "md": f"# {title}\n\n{to_markdown(table)}\n",
        "tex": f"% {title}\n{to_latex(table)}\n",
        "csv": to_csv(table),
    }
    return [
        write_atomically(out / f"{name}.{ending}", text.encode()) for ending, text in texts.items()
    ]

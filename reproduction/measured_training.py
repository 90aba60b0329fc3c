"""A training after which something is measured that no task of the package scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.train import Trained, fit_run

Measure = Callable[[Run, Trained], Mapping[str, float]]


@dataclass(frozen=True)
class MeasuredTraining:
    """A method on a graph; the record has what `measure` returns as metrics.

    Attributes:
        spec: What is trained.
        folder: Where the record goes, below the folder of results.
        measure: Returns the metrics of the run, once it is trained.
        epochs: How many epochs are trained, if fewer than the settings say.
    """

    spec: Request
    folder: str
    measure: Measure = field(repr=False)
    epochs: int | None = None

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
        """Train, measure and record, unless there is a record."""
        if (record := self.find_record(results)) is not None:
            return record, False
        run = self.spec.resolve(by_size=False)
        short = run if self.epochs is None else run.of_length(self.epochs)
        trained = fit_run(short, on_epoch=on_epoch)
        record = record_of(run, trained, dict(self.measure(run, trained)))
        write_record(results / self.folder, record)
        return record, True

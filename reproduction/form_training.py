"""A training whose embeddings are scored in several forms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from homogcl.methods.forms import LAST
from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.origin import current_commit
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run

METRICS = ("test_accuracy", "val_accuracy")


@dataclass(frozen=True)
class FormTraining:
    """A method on a graph, scored once for each form of its embeddings.

    The record has the metrics of the last layer by their own names, and those of other forms with
    the form in front, as `layers+x_test_accuracy`.
    """

    spec: Request
    folder: str
    forms: tuple[str, ...] = ()  # besides the last layer

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.spec.name} in several forms, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self.spec.resolve(by_size=False).record_path(results / self.folder)

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""
        record = find_record(self.spec.resolve(by_size=False), results / self.folder)
        if record is None or not all(
            of_form(METRICS[0], each) in record.metrics for each in self.forms
        ):
            return None
        return record

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, score every form and record, unless there is a record."""
        if (done := self.find_record(results)) is not None:
            return done, False
        current_commit()  # while the checkout is still what this process has loaded
        run = self.spec.resolve(by_size=False)
        trained = fit_run(run, on_epoch=on_epoch)
        metrics: dict[str, float] = {}
        for form in (LAST, *self.forms):
            scored = scores(trained.method, trained.graph, run.seed, ("probe",), form=form)
            metrics |= {of_form(name, form): scored[name] for name in METRICS}
        record = record_of(run, trained, metrics)
        write_record(results / self.folder, record)
        return record, True


def of_form(metric: str, form: str) -> str:
    """Return the name of a metric of the embeddings in this form."""
    return metric if form == LAST else f"{form}_{metric}"


def in_form(record: Record, form: str) -> Record:
    """Return the record with the metrics of one form alone, by their usual names."""
    metrics = {
        name: record.metrics[of_form(name, form)]
        for name in METRICS
        if of_form(name, form) in record.metrics
    }
    return record.model_copy(update={"metrics": metrics})

"""From artifacts to records: one training after the other, each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from homogcl.runs.tasks import task_names
from reproduction.artifact import Artifact, GraphTraining, Training


class Show(Protocol):
    """A display that follows a grid of trainings."""

    def epoch(self, title: str) -> OnEpoch:
        """Return a callback for the epochs of the training called `title`."""

    def cell(self, record: Record, *, ran: bool) -> None:
        """Show a training that has a record, from now or before."""

    def failed(self, label: str, error: Exception) -> None:
        """Show a training that failed."""


def trainings_of(artifacts: Iterable[Artifact], *, quick: bool) -> list[Training]:
    """Return the trainings of the artifacts, each once.

    Two trainings that differ only in their tasks become one with the tasks of both.
    """
    trainings: list[Training] = []
    for artifact in artifacts:
        for training in artifact.trainings(quick):
            index = next((i for i, other in enumerate(trainings) if _same(training, other)), None)
            if index is None:
                trainings.append(training)
            else:
                trainings[index] = _merged(trainings[index], training)
    return trainings


def record_trainings(trainings: Sequence[Training], results: Path, show: Show) -> int:
    """Run the trainings without a record and return how many failed; the others go on."""
    failures = 0
    for training in trainings:
        try:
            record, ran = training.run(results, show.epoch(training.label))
        except Exception as error:
            # No error of one training may stop the others.
            show.failed(training.label, error)
            failures += 1
        else:
            show.cell(record, ran=ran)
    return failures


def _same(training: Training, other: Training) -> bool:
    if isinstance(training, GraphTraining) and isinstance(other, GraphTraining):
        return training == replace(other, spec=replace(other.spec, tasks=training.spec.tasks))
    return training == other


def _merged(training: Training, other: Training) -> Training:
    if not (isinstance(training, GraphTraining) and isinstance(other, GraphTraining)):
        return training
    union = {*training.spec.tasks, *other.spec.tasks}
    tasks = tuple(task for task in task_names() if task in union)
    return replace(training, spec=replace(training.spec, tasks=tasks))

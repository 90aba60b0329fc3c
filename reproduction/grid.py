"""From artifacts to records and files: one training after the other, each of them once."""

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
    """What follows a grid."""

    def epoch(self, title: str) -> OnEpoch:
        """Return what follows the epochs of the training called `title`."""

    def cell(self, record: Record, *, ran: bool) -> None:
        """See a training that ended well, now or before."""

    def failed(self, label: str, error: Exception) -> None:
        """See a training that failed."""


def trainings_of(artifacts: Iterable[Artifact], *, quick: bool) -> list[Training]:
    """Return what the artifacts need, each training once.

    Two that differ only in what the embeddings are scored on become one that is scored on both.
    """
    trainings: list[Training] = []
    for artifact in artifacts:
        for training in artifact.trainings(quick):
            place = next((i for i, other in enumerate(trainings) if _same(training, other)), None)
            if place is None:
                trainings.append(training)
            else:
                trainings[place] = _merged(trainings[place], training)
    return trainings


def record_trainings(trainings: Sequence[Training], results: Path, show: Show) -> int:
    """Run the trainings that have no record and return how many failed: the others go on."""
    failures = 0
    for training in trainings:
        try:
            record, ran = training.run(results, show.epoch(training.label))
        except Exception as error:
            # A night's work is not lost to one training, whatever is wrong with it.
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

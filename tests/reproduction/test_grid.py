"""A grid of trainings: each once, one that fails does not stop the others, signals end it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.core.signals import Interrupted, stopping
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training
from reproduction.grid import record_trainings, trainings_of
from tests.records import make_record

SPEC = Request("raw", "demo", tasks=("probe",))


@dataclass(frozen=True)
class Plain:
    """A training of no graph, which fails as it is told."""

    label: str
    error: Exception | None = None

    def path(self, results: Path) -> Path:
        return results / f"{self.label}.json"

    def find_record(self, results: Path) -> Record | None:
        return None

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        if self.error is not None:
            raise self.error
        return make_record(), True


class Seen:
    """What a grid has shown."""

    def __init__(self) -> None:
        self.trainings: list[bool] = []
        self.failures: list[tuple[str, str]] = []

    def epoch(self, title: str) -> OnEpoch:
        return lambda epoch: None

    def cell(self, record: Record, *, ran: bool) -> None:
        self.trainings.append(ran)

    def failed(self, label: str, error: Exception) -> None:
        self.failures.append((label, str(error)))


def artifact(trainings: list[Training]) -> Artifact:
    return Artifact("x", "Table 0", lambda quick: trainings, lambda results, out, quick: [])


def test_each_training_is_run_once_for_all_that_it_is_scored_on() -> None:
    probed, clustered = GraphTraining(SPEC, "presets"), replace(SPEC, tasks=("cluster",))
    other = [GraphTraining(replace(SPEC, seed=1), "presets"), GraphTraining(SPEC, "elsewhere")]
    first: list[Training] = [GraphTraining(clustered, "presets"), Plain("a"), *other]
    trainings = trainings_of([artifact(first), artifact([Plain("a"), probed])], quick=False)
    both = replace(SPEC, tasks=("probe", "cluster"))
    assert trainings == [GraphTraining(both, "presets"), Plain("a"), *other]


def test_a_training_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    progress = Seen()
    errors = [UserError("no data"), None, ValueError("a bug"), None]
    trainings = [Plain(str(number), error) for number, error in enumerate(errors)]
    assert record_trainings(trainings, tmp_path, progress) == 2
    assert progress.trainings == [True, True]
    assert progress.failures == [("0", "no data"), ("2", "a bug")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_in_one_line(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(Interrupted) as caught, stopping(lambda: "2 of 5 trainings"):
        os.kill(os.getpid(), number)
    assert str(caught.value).startswith(f"{number.name} came after 2 of 5 trainings; ")
    assert caught.value.exit_code == 128 + number
    assert signal.getsignal(number) is before


def test_a_signal_is_no_failure_of_a_training(tmp_path: Path) -> None:
    class Ended(Plain):
        def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
            os.kill(os.getpid(), signal.SIGTERM)
            return make_record(), True

    progress = Seen()
    with pytest.raises(Interrupted), stopping(lambda: ""):
        record_trainings([Plain("a"), Ended("b"), Plain("c")], tmp_path, progress)
    assert (progress.trainings, progress.failures) == ([True], [])

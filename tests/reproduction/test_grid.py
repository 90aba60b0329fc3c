"""A grid of trainings: each once, one that fails does not stop the others, signals end it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.core.signals import Stopped, stopping
from homogcl.runs.record import Record, read_record, record_path, write_record
from homogcl.runs.request import Request
from homogcl.runs.train import OnEpoch, run_cell
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
    seen = Seen()
    errors = [UserError("no data"), None, ValueError("a bug"), None]
    trainings = [Plain(str(number), error) for number, error in enumerate(errors)]
    assert record_trainings(trainings, tmp_path, seen) == 2
    assert seen.trainings == [True, True]
    assert seen.failures == [("0", "no data"), ("2", "a bug")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_in_one_line(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(Stopped) as caught, stopping(lambda: "2 of 5 trainings"):
        os.kill(os.getpid(), number)
    assert str(caught.value).startswith(f"{number.name} came after 2 of 5 trainings; ")
    assert caught.value.exit_code == 128 + number
    assert signal.getsignal(number) is before


def test_a_signal_is_no_failure_of_a_training(tmp_path: Path) -> None:
    class Interrupted(Plain):
        def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
            os.kill(os.getpid(), signal.SIGTERM)
            return make_record(), True

    seen = Seen()
    with pytest.raises(Stopped), stopping(lambda: ""):
        record_trainings([Plain("a"), Interrupted("b"), Plain("c")], tmp_path, seen)
    assert (seen.trainings, seen.failures) == ([True], [])


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[Request], Record]:
    """Run a training and return its record as it is on disk."""

    def run(spec: Request) -> Record:
        made, _ = run_cell(spec, tmp_path)
        return read_record(record_path(tmp_path, made))

    return run


def test_a_record_loses_nothing_when_a_training_is_asked_for_more(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    small = {"hidden_dim": 8, "out_dim": 4, "epochs": 2}
    spec = Request("dgi", "demo", 0, small, milestones=(1,), tasks=("probe",))
    first = recorded(spec)
    more = recorded(replace(spec, milestones=(), tasks=("knn",)))
    assert set(more.milestones) == {"1"}
    assert set(more.metrics) == {*first.metrics, "knn_val_accuracy", "knn_test_accuracy"} | {
        key for key in more.metrics if key.startswith("knn")
    }
    assert more.metrics["test_accuracy"] == first.metrics["test_accuracy"]
    _, ran = run_cell(spec, tmp_path)
    assert not ran


def test_a_failed_record_is_run_again(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    first = recorded(SPEC)
    write_record(tmp_path, first.model_copy(update={"status": "failed", "reason": "no memory"}))
    assert recorded(SPEC).status == "ok"

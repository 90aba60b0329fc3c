"""How long trainings are estimated to take, over how long they took."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Final

from homogcl.advice.estimate import estimate
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.train import Trained, fit_run
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.measured_training import MeasuredTraining
from reproduction.paper.tables import DATA
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "Estimated over actual time of trainings"
NAME = "forecast"
METHODS = ("grace", "bgrl", "ccassg")
EPOCHS = 6  # that are timed; the very first one also warms up
_FOLDER: Final = f"study/{NAME}"
ESTIMATED, ACTUAL = "estimated_seconds", "actual_seconds"


def times(run: Run, trained: Trained) -> dict[str, float]:
    """Return the estimated seconds of all epochs, and those by a few epochs right after that."""
    expected = estimate(run.method, run.settings, trained.graph, run.seed)
    seconds: list[float] = []
    fit_run(run.of_length(EPOCHS), on_epoch=lambda epoch: seconds.append(epoch.seconds))
    actual = {ACTUAL: run.settings.train.epochs * fmean(seconds[1:])}
    return actual if expected is None else {**actual, ESTIMATED: expected.seconds}


def forecast_table(records: Iterable[Record]) -> Table:
    """Return the estimate over the actual time, by data set and method."""
    ratios = {
        (run.data, run.method): run.metrics[ESTIMATED] / run.metrics[ACTUAL]
        for run in records
        if ESTIMATED in run.metrics
    }
    rows = tuple(
        (data, *(f"{ratios[data, m]:.2f}" if (data, m) in ratios else None for m in METHODS))
        for data in dict.fromkeys([*DATA, *(data for data, _ in ratios)])
        if any((data, method) in ratios for method in METHODS)
    )
    return Table(("Data set", *METHODS), rows, decimals=2)


def forecast(results: Path) -> Table:
    """Return the table from the folder of records `results`."""
    return forecast_table(read_records(results / _FOLDER))


def _trainings(quick: bool) -> list[Training]:
    folder = records_folder(_FOLDER, quick=quick)

    def training(method: str, data: str) -> Training:
        spec = Request(method, data, 0, quick_settings(method) if quick else {}, tasks=())
        return MeasuredTraining(spec, folder, times, epochs=1)

    cells = [(m, d) for d in ((QUICK_DATA,) if quick else DATA) for m in METHODS]
    return [training(*cell) for cell in cells]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    records = read_records(results / records_folder(_FOLDER, quick=quick))
    return write_table(out, NAME, TITLE, forecast_table(records))


FORECAST = Artifact(NAME, TITLE, _trainings, _write)

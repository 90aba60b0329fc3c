"""Budgets of labels: a tenth and a fifth of them, over twenty random splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from homogcl.pages.metric_cells import UNTRAINED, in_shown_unit, mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "Accuracy (%) with a tenth and with a fifth of the labels"
METHODS = ("raw", "propagation", "homogcl")
SEEDS = {"photo": 3, "computers": 1}  # each of twenty splits
TASKS = ("probe", "probe-splits")
COLUMNS = ("Data set", "Method", "Epochs", "Runs", "10 % of the labels", "20 % of the labels")
_FOLDER: Final = "study/budgets"
_METRICS: Final = ("splits_test_accuracy", "splits_refit_test_accuracy")


def budgets(results: Path) -> Table:
    """Return the table from the folder of records `results`."""
    return budgets_table(read_records(results / _FOLDER))


def budgets_table(records: Iterable[Record]) -> Table:
    """Return the accuracy by both budgets, with its standard deviation over splits.

    Args:
        records: Runs that were scored over several splits.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.data, record.method), []).append(record)

    def place(key: tuple[str, str]) -> tuple[str, int, str]:
        data, method = key
        return data, METHODS.index(method) if method in METHODS else len(METHODS), method

    every = [run for runs in groups.values() for run in runs]
    rows = tuple(
        (*key, groups[key][0].epochs, len(groups[key]), *_cells(groups[key], every))
        for key in sorted(groups, key=place)
    )
    return Table(COLUMNS, rows, decimals=2, notes=("± over the 20 splits of a run.",))


def _cells(runs: Sequence[Record], among: Sequence[Record]) -> list[Cell]:
    """Return the mean of each budget, with the standard deviation that splits have in a run."""
    cells: list[Cell] = []
    for metric in _METRICS:
        mean = mean_cell(runs, metric, among)
        if isinstance(mean, Summary):
            spread = Summary(fmean(run.metrics[f"{metric}_std"] for run in runs), None, 1)
            mean = mean._replace(std=in_shown_unit(spread, metric).mean)
        cells.append(mean)
    return cells


def _trainings(quick: bool) -> list[Training]:
    folder = records_folder(_FOLDER, quick=quick)

    def training(method: str, data: str, seed: int) -> Training:
        settings = quick_settings(method) if quick else {}
        return GraphTraining(Request(method, data, seed, settings, tasks=TASKS), folder)

    seeds = {QUICK_DATA: 1} if quick else SEEDS
    methods = UNTRAINED[:1] if quick else METHODS
    return [
        training(method, data, seed)
        for data, count in seeds.items()
        for method in methods
        for seed in range(count)
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    table = budgets_table(read_records(results / records_folder(_FOLDER, quick=quick)))
    return write_table(out, "budgets", TITLE, table)


BUDGETS = Artifact("budgets", TITLE, _trainings, _write)

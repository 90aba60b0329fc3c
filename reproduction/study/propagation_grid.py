"""The settings of `propagation`: one choice for all graphs, by mean accuracy on validation."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Final

from homogcl.pages.metric_cells import in_shown_unit
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, summarize
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA

TITLE = "Powers and weight of features in `propagation`, by validation accuracy"
DATA: Final = ("cora", "citeseer", "pubmed", "photo", "computers")
LAST_POWERS: Final = (2, 4, 6, 8)
WEIGHTS: Final = (0.1, 0.3, 1.0)  # of the features themselves beside their averages
_METRIC: Final = "val_accuracy"

Setting = tuple[int, float]  # the last power, the weight


def grid_table(cells: dict[Setting, dict[str, Record]], data: tuple[str, ...]) -> Table:
    """Return validation accuracies by setting, the best mean over all data sets first.

    Args:
        cells: The records of each setting by data set.
        data: The columns; a setting without a record on one of them has no mean.
    """
    means = {setting: _mean(records, data) for setting, records in cells.items()}
    order = sorted(cells, key=lambda setting: -(means[setting] or 0.0))
    rows = tuple(
        (
            f"0 to {power}",
            f"{weight:g}",
            *(_cell(cells[power, weight].get(name)) for name in data),
            means[power, weight],
        )
        for power, weight in order
    )
    return Table(("Powers", "Weight of X", *data, "Mean"), rows, decimals=2)


def _mean(records: dict[str, Record], data: tuple[str, ...]) -> float | None:
    if any(name not in records for name in data):
        return None
    return fmean(100 * records[name].metrics[_METRIC] for name in data)


def _cell(record: Record | None) -> Cell:
    return None if record is None else in_shown_unit(summarize([record.metrics[_METRIC]]), _METRIC)


def _training(setting: Setting, data: str, quick: bool) -> GraphTraining:
    power, weight = setting
    settings = {"powers": tuple(range(power + 1)), "feature_weight": weight}
    spec = Request("propagation", data, 0, settings, tasks=("probe",))
    return GraphTraining(spec, records_folder("choices", quick=quick))


def _grid(quick: bool) -> list[Setting]:
    return [(power, weight) for power in LAST_POWERS[: 1 if quick else None] for weight in WEIGHTS]


def _data(quick: bool) -> tuple[str, ...]:
    return (QUICK_DATA,) if quick else DATA


def _trainings(quick: bool) -> list[Training]:
    return [_training(setting, data, quick) for data in _data(quick) for setting in _grid(quick)]


def propagation_grid(results: Path, *, quick: bool = False) -> Table:
    """Return the validation accuracies of all settings that were tried."""
    cells: dict[Setting, dict[str, Record]] = {}
    for setting in _grid(quick):
        records = {
            data: _training(setting, data, quick).find_record(results) for data in _data(quick)
        }
        cells[setting] = {data: record for data, record in records.items() if record is not None}
    return grid_table(cells, _data(quick))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, "propagation-grid", TITLE, propagation_grid(results, quick=quick))


PROPAGATION_GRID = Artifact("propagation-grid", TITLE, _trainings, _write)

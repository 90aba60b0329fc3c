"""What wrong edges do: accuracies where some are planted, and how surely these are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from homogcl.pages.metric_cells import UNTRAINED, mean_cell
from homogcl.pages.table import Table
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA
from reproduction.planted_training import AREA, PlantedTraining

TITLE = "Wrong edges: accuracy, and how surely they are found"
NAME = "wrong-edges"
DATA = ("cora", "citeseer", "photo")
SHARES = (0.0, 0.1, 0.3, 0.5)
METHODS = (*UNTRAINED, "homogcl")
SEEDS = 3
COLUMNS = ("Data set", "Wrong edges", *METHODS, *(f"{method}, found" for method in METHODS))
_Row = tuple[str, float]  # data set, share of wrong edges


def wrong_edges_table(groups: Mapping[_Row, Sequence[Record]]) -> Table:
    """Return test accuracies by share of wrong edges, and areas under ROC of finding these.

    Args:
        groups: Runs of all methods on each data set with each share.
    """

    def of(method: str, records: Sequence[Record]) -> list[Record]:
        return [record for record in records if record.method == method]

    rows = tuple(
        (
            data,
            f"{share:.0%}",
            *(mean_cell(of(each, records), "test_accuracy", records) for each in METHODS),
            *(mean_cell(of(each, records), AREA) for each in METHODS),
        )
        for (data, share), records in groups.items()
    )
    return Table(COLUMNS, rows, decimals=2)


def wrong_edges(results: Path, *, quick: bool = False) -> Table:
    """Return the table from the folder of records `results`."""
    groups = {}
    for row, trainings in _groups(quick).items():
        records = [training.find_record(results) for training in trainings]
        groups[row] = [record for record in records if record is not None]
    return wrong_edges_table(groups)


def _groups(quick: bool) -> dict[_Row, list[PlantedTraining]]:
    folder = records_folder(f"study/{NAME}", quick=quick)

    def training(method: str, data: str, share: float, seed: int) -> PlantedTraining:
        # One split for all data sets: a tenth of the labels is known.
        spec = Request(method, data, seed, {"split": "random"}, tasks=("probe",))
        return PlantedTraining(spec, folder, share)

    return {
        (data, share): [
            training(method, data, share, seed)
            for method in METHODS
            for seed in range(1 if quick else SEEDS)
        ]
        for data in ((QUICK_DATA,) if quick else DATA)
        for share in (SHARES[::3] if quick else SHARES)
    }


def _trainings(quick: bool) -> list[Training]:
    return [training for group in _groups(quick).values() for training in group]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, wrong_edges(results, quick=quick))


WRONG_EDGES = Artifact(NAME, TITLE, _trainings, _write)

"""What the default is made of: each of its settings changed, scored without test labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from homogcl.pages.metric_cells import UNTRAINED, mean_cell
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.development import DEVELOPMENT, METRIC
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "The default's settings, by accuracy on nodes that are not test nodes"
DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
SEEDS = {"cora": 2, "citeseer": 2}  # on other graphs one, whose probes take longer
_FOLDER: Final = "study/form"
# A setting of the default, and what it is changed to.
_CHANGES: Final[tuple[Mapping[str, object], ...]] = (
    {},
    {"rich_weight": 0.0},
    {"rich_weight": 0.3},
    {"rich_weight": 1.0},
    {"sharpness": 0.0},
    {"sharpness": 1.0},
    {"sharpness": 4.0},
    {"feature_weight": 0.1},
    {"feature_weight": 1.0},
    {"rounds": [2]},
    {"rounds": [8]},
    {"out_dim": 128},
)
# Where others are trained for comparison; an hour of one core is enough for all of them.
_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(UNTRAINED, DATA),
    "grace": DATA[:2],
    "ccassg": DATA[:2],
    "ns4gc": DATA[:2],
    "maskgae": DATA[:2],
}


def form(results: Path) -> Table:
    """Return the table from the folder of records `results`."""
    return form_table(read_records(results / _FOLDER))


def form_table(records: Iterable[Record]) -> Table:
    """Return the mean over data sets of each method and of each change to the default.

    Args:
        records: Runs that were scored by the task `development`.
    """
    every = list(records)
    groups: dict[str, dict[str, list[Record]]] = {}
    for record in every:
        row = groups.setdefault(_row(record), {})
        row.setdefault(record.data, []).append(record)
    data = [name for name in DATA if any(name in row for row in groups.values())] or [QUICK_DATA]
    rows = tuple(
        (name, *(mean_cell(row.get(each, ()), METRIC, every) for each in data))
        for name, row in sorted(groups.items())
    )
    return Table(("Method", *data), rows, decimals=2)


def _row(record: Record) -> str:
    """Return the method's name, and what is changed."""
    changes = record.settings.get("method")
    if record.method != "homogcl" or not isinstance(changes, dict):
        return record.method
    return ", ".join([record.method, *(f"{key}={changes[key]}" for key in sorted(changes))])


def _trainings(quick: bool) -> list[Training]:
    def training(method: str, data: str, seed: int, change: Mapping[str, object]) -> Training:
        short = quick_settings(method) if quick else {}
        spec = Request(method, data, seed, {**short, **change}, tasks=(DEVELOPMENT.name,))
        return GraphTraining(spec, records_folder(_FOLDER, quick=quick))

    if quick:
        return [training("homogcl", QUICK_DATA, 0, change) for change in _CHANGES[:2]]
    return [
        *(
            training("homogcl", data, seed, change)
            for data in DATA
            for change in _CHANGES
            for seed in range(SEEDS.get(data, 1))
        ),
        *(
            training(method, data, seed, {})
            for method, graphs in _OTHERS.items()
            for data in graphs
            for seed in range(SEEDS.get(data, 1))
        ),
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    folder = results / records_folder(_FOLDER, quick=quick)
    return write_table(out, "form", TITLE, form_table(read_records(folder)))


FORM = Artifact("form", TITLE, _trainings, _write)

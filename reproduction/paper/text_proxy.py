"""Rows on ogbn-arxiv with a stand-in of text for the official features, which are not at hand.

They are compared with each other alone: the paper's rows learn from other features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from homogcl.data.published.root import data_root
from homogcl.pages.metric_cells import decimals, epochs_cell, mean_cell
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records, summarize
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

NAME: Final = "arxiv-text"
TITLE: Final = "Table 5 on text-proxy features: ogbn-arxiv, accuracy (%)"
FOLDER: Final = "arxiv-text"
FILE: Final = "ogbn_arxiv/text_proxy/node-feat.npz"  # below the data root
# Two rounds of averaging at most: the rows of all rounds are twice as wide, and so is their probe.
SETTINGS: Final[Mapping[str, Mapping[str, object]]] = {
    "raw": {},
    "random": {},
    "propagation": {"powers": (0, 1, 2)},
    "homogcl": {"rounds": (2,), "rich_powers": (1, 2)},
}
METRICS: Final = {"val_accuracy": "Validation (%)", "test_accuracy": "Test (%)"}
NOTE: Final = (
    "Features: text proxy, not those of the Open Graph Benchmark, which the printed rows have; no "
    "row here is to be set beside a printed one. Methods that average do so over two rounds at "
    "most, where their presets have more."
)


def text_proxy(results: Path) -> Table:
    """Return the table from the folder of records `results`."""
    return text_proxy_table(read_records(results / FOLDER))


def text_proxy_table(records: Iterable[Record]) -> Table:
    """Return validation and test accuracy by method, and the seconds of its training.

    Args:
        records: Runs on the text proxy; methods without any have no row.
    """
    records = list(records)
    rows = []
    for method in SETTINGS:
        runs = [record for record in records if record.method == method]
        if runs:
            cells = [mean_cell(runs, metric, records) for metric in METRICS]
            seconds = summarize([run.seconds for run in runs]).mean
            rows.append((method, epochs_cell(runs), *cells, round(seconds)))
    columns = ("Method", "Epochs", *METRICS.values(), "Seconds")
    return Table(columns, tuple(rows), decimals(METRICS), notes=(NOTE,))


def _trainings(quick: bool) -> list[Training]:
    """Return the trainings; none where the file of features is not there."""
    folder, file = records_folder(FOLDER, quick=quick), data_root() / FILE
    if quick:
        requests = [
            Request(method, QUICK_DATA, 0, quick_settings(method), tasks=("probe",))
            for method in SETTINGS
        ]
    elif file.is_file():
        files = {"features": str(file)}
        requests = [
            Request(method, "arxiv", 0, settings, tasks=("probe",), files=files)
            for method, settings in SETTINGS.items()
        ]
    else:
        requests = []
    return [GraphTraining(request, folder) for request in requests]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    table = text_proxy_table(read_records(results / records_folder(FOLDER, quick=quick)))
    return write_table(out, NAME, TITLE, table)


TEXT_PROXY = Artifact(NAME, TITLE, _trainings, _write)

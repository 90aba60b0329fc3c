"""Nodes that come without edges: what features alone say of them, by method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from homogcl.pages.metric_cells import UNTRAINED, mean_cell
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Training, write_table
from reproduction.cold_training import ColdTraining
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "Nodes that come without edges"
DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
SEEDS, TRAINED_SEEDS = 3, 2
_FOLDER: Final = "study/cold-start"
_EVERYWHERE: Final = (*UNTRAINED, "homogcl")
_MLP: Final[Mapping[str, object]] = {"encoder": "mlp"}
# Where a training takes a minute or two.
_TRAINED: Final[Mapping[str, tuple[Mapping[str, object], ...]]] = {"cora": (_MLP, {})}
_METRICS: Final[Mapping[str, str]] = {
    "Without edges": "cold_test_accuracy",
    "Without edges, probe with edges": "warm_cold_test_accuracy",
    "With edges": "test_accuracy",
}


def cold_start(results: Path) -> Table:
    """Return the accuracies on held-out nodes that come without edges."""
    return cold_start_table(read_records(results / _FOLDER))


def cold_start_table(records: Iterable[Record]) -> Table:
    """Return accuracies on nodes held out of the training, by what is known of them.

    Args:
        records: What `ColdTraining` wrote.
    """
    every = list(records)
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in every:
        groups.setdefault((record.data, _method(record)), []).append(record)

    def place(group: tuple[str, str]) -> tuple[int, str, bool, str]:
        data, method = group
        rank = DATA.index(data) if data in DATA else len(DATA)
        return rank, data, method in _EVERYWHERE, method

    rows = tuple(
        (
            data,
            method,
            *(mean_cell(groups[data, method], name, every) for name in _METRICS.values()),
        )
        for data, method in sorted(groups, key=place)
    )
    return Table(("Data set", "Method", *_METRICS), rows, decimals=2)


def _method(record: Record) -> str:
    """Return the method's name, and its encoder if that is an MLP."""
    return f"{record.method}, MLP" if record.setting("encoder") == "mlp" else record.method


def _trainings(quick: bool) -> list[Training]:
    def training(method: str, data: str, seed: int, settings: Mapping[str, object]) -> Training:
        short = quick_settings(method) if quick else {}
        spec = Request(method, data, seed, {**short, **settings}, tasks=("probe",))
        return ColdTraining(spec, records_folder(_FOLDER, quick=quick))

    seeds, trained_seeds = (range(1 if quick else each) for each in (SEEDS, TRAINED_SEEDS))
    trained = {QUICK_DATA: (_MLP,)} if quick else _TRAINED
    return [
        *(
            training(method, data, seed, {})
            for data in ((QUICK_DATA,) if quick else DATA)
            for method in _EVERYWHERE
            for seed in seeds
        ),
        *(
            training("grace", data, seed, settings)
            for data, variants in trained.items()
            for settings in variants
            for seed in trained_seeds
        ),
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    folder = results / records_folder(_FOLDER, quick=quick)
    return write_table(out, "cold-start", TITLE, cold_start_table(read_records(folder)))


COLD_START = Artifact("cold-start", TITLE, _trainings, _write)

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
from reproduction.cold_training import STUDENT, ColdTraining
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.study.gains import by_seed
from reproduction.study.unseen import FEW, NARROW

TITLE = "Nodes that come without edges"
DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
SEEDS = 3
_FOLDER: Final = "study/cold-start"
_EVERYWHERE: Final = (*UNTRAINED, "homogcl")
# Methods that are trained by steps, each with its encoder.
_TRAINED: Final = (
    *(("grace", "gcn"), ("grace", "mlp"), ("grace+adaptive", "gcn"), ("grace+adaptive", "mlp")),
    *(("bgrl", "mlp"), ("bgrl+adaptive", "mlp")),
)
TRAINED_SEEDS: Final = {"cora": 3, "citeseer": 3, "photo": 1}
# Narrow encoders and few negatives, as in the other tables of many trainings.
_SETTINGS: Final[Mapping[tuple[str, str], Mapping[str, object]]] = {
    ("grace", "cora"): FEW,
    ("grace", "citeseer"): FEW,
    ("grace", "photo"): NARROW,
    ("bgrl", "cora"): {"epochs": 50},
    ("bgrl", "photo"): {"epochs": 50},
}
_TEACHER: Final = ("grace", "gcn")
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
        if (student := _student(record)) is not None:
            groups.setdefault((record.data, f"{record.method}, student"), []).append(student)

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


def _student(record: Record) -> Record | None:
    """Return the record with the metrics of the student alone, if there is one."""
    metrics = {
        name.removeprefix(STUDENT): value
        for name, value in record.metrics.items()
        if name.startswith(STUDENT)
    }
    return record.model_copy(update={"metrics": metrics}) if metrics else None


def _trainings(quick: bool) -> list[Training]:
    def training(method: str, data: str, seed: int, encoder: str = "") -> Training:
        short = quick_settings(method) if quick else {}
        usual = _SETTINGS.get((method.partition("+")[0], data), {}) if encoder else {}
        layers = {"encoder": encoder} if encoder == "mlp" else {}
        spec = Request(method, data, seed, {**usual, **short, **layers}, tasks=("probe",))
        folder = records_folder(_FOLDER, quick=quick)
        return ColdTraining(spec, folder, has_student=(method, encoder) == _TEACHER)

    seeds = range(1 if quick else SEEDS)
    trained_seeds = {QUICK_DATA: 1} if quick else TRAINED_SEEDS
    return [
        *(
            training(method, data, seed)
            for data in ((QUICK_DATA,) if quick else DATA)
            for method in _EVERYWHERE
            for seed in seeds
        ),
        *by_seed(
            [training(method, data, seed, encoder) for seed in range(count)]
            for data, count in trained_seeds.items()
            for method, encoder in (_TRAINED[:2] if quick else _TRAINED)
        ),
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    folder = results / records_folder(_FOLDER, quick=quick)
    return write_table(out, "cold-start", TITLE, cold_start_table(read_records(folder)))


COLD_START = Artifact("cold-start", TITLE, _trainings, _write)

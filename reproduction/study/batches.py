"""Trainings by batches beside those that see the whole graph at each step, at as many steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from homogcl.pages.table import Table
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.study.gains import Variant, by_seed, existing_records, gains_table

NAME, TITLE = "batches", "Batches and the whole graph"
TITLES = ("Method", "Data set", "A step sees")
METHOD: Final = "grace+adaptive"
WHOLE: Final = "all nodes"
_NEIGHBORS: Final[Mapping[str, object]] = {"batch": "neighbors", "batch_size": 4096}
# Epochs in which batches of 4,096 nodes make as many steps as the preset has on the whole graph.
EPOCHS: Final = {"pubmed": 20, "computers": 13}
KINDS: Final[Mapping[str, Mapping[str, object]]] = {
    WHOLE: {},
    "4,096 nodes, 10 and 5 neighbors of each": {**_NEIGHBORS, "fanout": [10, 5]},
}
SEEDS: Final = 3
_Group = tuple[str, str, str]  # method, data set, kind


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    def training(data: str, kind: str, seed: int) -> Training:
        settings = {**(quick_settings(METHOD) if quick else {}), **KINDS[kind]}
        if kind != WHOLE and not quick:
            settings["epochs"] = EPOCHS[data]
        # The rest of the study has its runs of the adaptive plug-in there.
        folder = "study/levers" if kind == WHOLE else "study/batches"
        spec = Request(METHOD, data, seed, settings, tasks=("probe",))
        return GraphTraining(spec, records_folder(folder, quick=quick))

    return {
        (METHOD, data, kind): [training(data, kind, seed) for seed in range(SEEDS)]
        for data in ((QUICK_DATA,) if quick else EPOCHS)
        for kind in KINDS
    }


def batches(results: Path, *, quick: bool = False) -> Table:
    """Return accuracies by what a step sees, and differences to steps that see all nodes."""
    runs = {place: existing_records(results, group) for place, group in _groups(quick).items()}
    variants = [
        Variant(place, records, () if place[-1] == WHOLE else runs[(*place[:-1], WHOLE)])
        for place, records in runs.items()
    ]
    return gains_table(TITLES, variants)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, batches(results, quick=quick))


BATCHES = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)

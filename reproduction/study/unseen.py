"""Unseen neighbors: positives whose edges a view has lost, beside those that it has left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from homogcl.pages.table import Table
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.levers import ADAPTIVE, ALIKE
from reproduction.paper.untrained import untrained_runs
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.study.gains import Variant, by_seed, existing_records, gains_table

NAME, TITLE = "unseen", "Neighbors whose edges a view has lost, as positives"
TITLES = ("Base", "Data set", "Edges dropped", "Positives")
_FOLDER: Final = "study/unseen"
ALONE: Final = "itself"
# The plug-in and its settings, by which neighbors count and how much.
KINDS: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    ALONE: ("", {}),
    "all, by S": ("+adaptive", {}),
    "all, alike": ("+levers", ALIKE),
    "left, by S": ("+levers", {**ADAPTIVE, "taken": "seen"}),
    "lost, by S": ("+levers", {**ADAPTIVE, "taken": "unseen"}),
    "lost, alike": ("+levers", {**ALIKE, "taken": "unseen"}),
}
# Narrow encoders and few negatives, so that three seeds of all kinds take minutes.
NARROW: Final[Mapping[str, object]] = {"hidden_dim": 256, "out_dim": 128}
FEW: Final[Mapping[str, object]] = {**NARROW, "negatives": "sampled", "num_negatives": 256}
SEEDS: Final = {"cora": 3, "citeseer": 3, "photo": 2}
# Settings and rates of dropped edges by base and data set; one number is the rate of both views.
GRIDS: Final[Mapping[tuple[str, str], tuple[Mapping[str, object], tuple[float, ...]]]] = {
    ("grace", "cora"): (FEW, (0.7, 0.4)),
    ("grace", "citeseer"): (FEW, (0.7, 0.4)),
    ("grace", "photo"): (NARROW, (0.7,)),
    ("bgrl", "cora"): ({"epochs": 50}, (0.7,)),
    ("bgrl", "citeseer"): ({}, (0.7,)),
}
_Group = tuple[str, str, str, str]  # base, data set, rate, kind


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    folder = records_folder(_FOLDER, quick=quick)
    grids = {("grace", QUICK_DATA): ({}, (0.7,))} if quick else GRIDS

    def training(base: str, data: str, rate: float, kind: str, seed: int) -> Training:
        plugin, changes = KINDS[kind]
        method = f"{base}{plugin}"
        settings = {
            **(quick_settings(method) if quick else grids[base, data][0]),
            **{"drop_edge_1": rate, "drop_edge_2": rate},
            **changes,
        }
        return GraphTraining(Request(method, data, seed, settings, tasks=("probe",)), folder)

    return {
        (base, data, f"{rate:.0%}", kind): [
            training(base, data, rate, kind, seed) for seed in range(SEEDS.get(data, 1))
        ]
        for (base, data), (_, rates) in grids.items()
        for rate in rates
        for kind in KINDS
    }


def unseen(results: Path, *, quick: bool = False) -> Table:
    """Return the gains of neighbors as positives, by which of them count and how much."""
    runs = {place: existing_records(results, group) for place, group in _groups(quick).items()}
    variants = [
        Variant(place, records, () if place[-1] == ALONE else runs[(*place[:-1], ALONE)])
        for place, records in runs.items()
    ]
    return gains_table(TITLES, variants, untrained_runs(results))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, unseen(results, quick=quick))


UNSEEN = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)

"""Plug-ins that weigh the edges at every fifth step beside those that do at each."""

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

NAME, TITLE = "refresh", "Edges weighed at every fifth step, and at each"
TITLES = ("Method", "Data set", "Weighs the edges")
EVERY: Final = {1: "at each step", 5: "at every fifth"}
SEEDS: Final = {"photo": 5, "computers": 3, "pubmed": 3}
# The training that speed is measured on, and one of which five seeds did not tell.
_MORE_SEEDS: Final = {("grace+homogcl", "photo"): 10, ("bgrl+homogcl", "photo"): 10}
# Where the rest of the study has its runs that weigh the edges at each step.
FOLDERS: Final[Mapping[str, str]] = {
    "grace+homogcl": "study/refresh",
    "grace+adaptive": "study/levers",
    "bgrl+homogcl": "presets",
    "bgrl+adaptive": "study/levers",
}
_Group = tuple[str, str, str]  # method, data set, how often


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    def training(method: str, data: str, every: int, seed: int) -> Training:
        settings = {**(quick_settings(method) if quick else {}), "refresh": every}
        folder = FOLDERS[method] if every == 1 else "study/refresh"
        spec = Request(method, data, seed, settings, tasks=("probe",))
        return GraphTraining(spec, records_folder(folder, quick=quick))

    return {
        (method, data, name): [
            training(method, data, every, seed)
            for seed in range(_MORE_SEEDS.get((method, data), count))
        ]
        for method in FOLDERS
        for data, count in ({QUICK_DATA: 1} if quick else SEEDS).items()
        for every, name in EVERY.items()
    }


def refresh(results: Path, *, quick: bool = False) -> Table:
    """Return accuracies by how often edges are weighed, and differences to each step."""
    runs = {place: existing_records(results, group) for place, group in _groups(quick).items()}
    variants = [
        Variant(place, records, () if place[-1] == EVERY[1] else runs[(*place[:-1], EVERY[1])])
        for place, records in runs.items()
    ]
    return gains_table(TITLES, variants)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, refresh(results, quick=quick))


REFRESH = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)

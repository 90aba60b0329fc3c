"""Methods whose own loss has neighbors or hidden edges, with and without S on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from homogcl.pages.table import Table
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.paper.untrained import untrained_note, untrained_runs, with_notes
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.study.gains import Variant, by_seed, existing_records, gains_table

NAME, TITLE = "neighbor-methods", "Methods whose own loss has neighbors, and S on their edges"
TITLES = ("Method", "Data set", "Width", "Edges")
_FOLDER: Final = "study/neighbor-methods"
ALIKE: Final = "alike"
PLUGINS: Final[Mapping[str, str]] = {
    ALIKE: "",  # the method's own loss
    "by S, HomoGCL": "+homogcl",
    "by S, adaptive": "+adaptive",
}
MOST_SEEDS: Final[Mapping[str, int]] = {"by S, HomoGCL": 1}


@dataclass(frozen=True)
class Cell:
    """One method on one data set: how many seeds, and settings that are not the preset's."""

    seeds: int
    settings: Mapping[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ("probe",)


# Where the published training takes minutes, a shorter or a narrower one stands in for it.
CELLS: Final[Mapping[tuple[str, str], Cell]] = {
    ("ns4gc", "cora"): Cell(3),
    ("ns4gc", "citeseer"): Cell(3),
    ("ns4gc", "photo"): Cell(2, tasks=("probe", "cluster")),
    ("maskgae", "cora"): Cell(3),
    ("maskgae", "citeseer"): Cell(3),
    ("maskgae", "photo"): Cell(1, {"epochs": 100}),
    ("bandana", "cora"): Cell(3),
    ("bandana", "citeseer"): Cell(3),
    ("bandana", "photo"): Cell(1, {"epochs": 100}),
    ("graphacl", "cora"): Cell(3, {"hidden_dim": 512, "out_dim": 512}),
    ("graphacl", "citeseer"): Cell(3, {"hidden_dim": 512, "out_dim": 512}),
    ("graphacl", "photo"): Cell(2, {"hidden_dim": 512, "out_dim": 512}),
}
_Group = tuple[str, str, str]  # method, data set, plug-in


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    cells = {("ns4gc", QUICK_DATA): Cell(1)} if quick else CELLS

    def training(base: str, data: str, plugin: str, seed: int) -> Training:
        cell, method = cells[base, data], f"{base}{PLUGINS[plugin]}"
        settings = {**(quick_settings(method) if quick else {}), **cell.settings}
        as_published = plugin == ALIKE and not cell.settings
        folder = records_folder("presets" if as_published else _FOLDER, quick=quick)
        return GraphTraining(Request(method, data, seed, settings, tasks=cell.tasks), folder)

    return {
        (base, data, plugin): [
            training(base, data, plugin, seed)
            for seed in range(min(cell.seeds, MOST_SEEDS.get(plugin, cell.seeds)))
        ]
        for (base, data), cell in cells.items()
        for plugin in PLUGINS
    }


def neighbor_methods(results: Path, *, quick: bool = False) -> Table:
    """Return accuracies of the methods, and what S on their edges adds."""
    runs = {place: existing_records(results, group) for place, group in _groups(quick).items()}

    def variant(place: _Group) -> Variant:
        base, data, plugin = place
        widths = {str(run.setting("out_dim")) for run in runs[place]}
        row = (base, data, ", ".join(sorted(widths)), plugin)
        return Variant(row, runs[place], () if plugin == ALIKE else runs[base, data, ALIKE])

    untrained = untrained_runs(results)
    table = gains_table(TITLES, map(variant, runs), untrained)
    return with_notes(table, *untrained_note(untrained, ("cora", "citeseer", "photo")))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, neighbor_methods(results, quick=quick))


NEIGHBOR_METHODS = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)

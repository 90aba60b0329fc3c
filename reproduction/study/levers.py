"""The plug-in's settings one at a time, on two bases with all else equal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.pages.table import Table
from homogcl.presets.resolve import resolve
from homogcl.runs.record import Summary
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Cell, GraphCell
from reproduction.figures.drawing import BLUE, GRAY, ORANGE, VERMILION, draw
from reproduction.figures.runs import TITLES
from reproduction.paper import write_table
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.tables.readme import LEVERS_DATA, levers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = {"cora": 3, "citeseer": 3, "photo": 1}  # on Photo gains vary less, and runs take long
COLORS = (BLUE, ORANGE, VERMILION)  # of the data sets
_SPREAD: Mapping[str, object] = {"width": "clusters", "two_sigma_sq": 1.0}

# Each departs from what is shipped in one respect, or from the clusters' own width in another.
LEVERS: tuple[Mapping[str, object], ...] = (
    {"width": "fixed", "two_sigma_sq": 1e-3},
    *({**_SPREAD, "two_sigma_sq": width} for width in (0.25, 1.0, 4.0)),
    {**_SPREAD, "clustered": "directions"},
    *({"num_clusters": k} for k in (5, 30)),
    {"choose_clusters": True},
    {"saliency_gradient": False},
    {"one_each": True},
    {"one_each": True, "average_neighbors": True},
    {"warm_start": False},
    {"cluster_momentum": 0.99},
    {"saliency_scale": 0.3},
    {"start_at": 0.5},
    {"saliency": "hard"},
    {"homophily_weight": 0.0},
    {"variant": "adaptive"},
)


def study_cells(base: str, quick: bool) -> list[Cell]:
    """Return the base, the plug-in as shipped, and the plug-in with each lever moved."""
    plugged = f"{base}+homogcl"
    cells: list[Cell] = []
    for data in (QUICK_DATA,) if quick else LEVERS_DATA:
        shipped = resolve(plugged, data)
        moved = [
            lever
            for lever in (LEVERS[:3] if quick else LEVERS)
            if resolve(plugged, data, lever) != shipped
        ]
        for seed in range(1 if quick else SEEDS[data]):
            cells += [_cell(method, data, seed, {}, quick) for method in (base, plugged)]
            cells += [_cell(plugged, data, seed, lever, quick) for lever in moved]
    return cells


def _cell(method: str, data: str, seed: int, lever: Mapping[str, object], quick: bool) -> GraphCell:
    settings = {**(quick_settings(method) if quick else {}), **lever}
    tasks = ("probe", "saliency") if lever else ("probe",)
    return GraphCell(
        Request(method, data, seed, settings, tasks=tasks), "study/levers" if lever else "presets"
    )


def _artifact(base: str) -> Artifact:
    name, title = f"levers-{base}", f"What each setting of HomoGCL does on {base}"

    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        data = (QUICK_DATA,) if quick else LEVERS_DATA
        table = levers(results, base, data)
        return [*write_table(out, name, title, table), *_drawn(out, name, title, table, data)]

    return Artifact(name, title, lambda quick: study_cells(base, quick), write)


def _drawn(out: Path, name: str, title: str, table: Table, data: tuple[str, ...]) -> list[Path]:
    """Draw the gains on test nodes, a row for each lever and a mark for each data set."""
    columns = {each: table.columns.index(f"{each}, test") for each in data}

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for shift, (each, color) in enumerate(zip(data, COLORS, strict=False)):
            found = [
                (place, cell)
                for place, row in enumerate(table.rows)
                if isinstance(cell := row[columns[each]], Summary)
            ]
            axes.errorbar(
                [cell.mean for _, cell in found],
                [place + 0.2 * (shift - (len(data) - 1) / 2) for place, _ in found],
                # Of the mean of paired gains.
                xerr=[(cell.std or 0.0) / cell.n**0.5 for _, cell in found],
                fmt="o",
                color=color,
                markersize=4,
                capsize=2,
                linewidth=1,
                label=TITLES[each],
            )
        axes.axvline(0, color=GRAY, linewidth=1)
        axes.set_yticks(range(len(table.rows)), [str(row[0]) for row in table.rows])
        axes.set_ylim(len(table.rows) - 0.5, -0.5)
        axes.set_xlabel("points of test accuracy gained (± standard error)")
        axes.grid(axis="x", alpha=0.3)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=len(data))

    return draw(out, name, (7.0, 1.2 + 0.3 * len(table.rows)), paint)


LEVER_ARTIFACTS = tuple(_artifact(base) for base in ("grace", "bgrl"))

"""What neighbors as positives add to an encoder: one that sees no edges, few, or more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.runs.record import Summary, aggregate
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Cell, GraphCell
from reproduction.figures.drawing import bars, draw
from reproduction.figures.runs import QUICK_ENCODER, TITLES, Runs, Shelf, all_cells, place
from reproduction.paper import write_table
from reproduction.plan import QUICK_DATA
from reproduction.study.kinds import KINDS
from reproduction.tables.readme import LEVERS_DATA, encoders

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "What neighbors add to an encoder"
BASES = ("grace", "bgrl")
SEEDS = {"cora": 3, "citeseer": 3, "photo": 2}
# By their layers of message passing.
_ENCODERS: Mapping[str, Mapping[str, object]] = {
    "none": {"encoder": "mlp"},
    "one": {"num_layers": 1},
    "two": {},  # the presets'
}


def _runs(panel: tuple[str, str], encoder: str, kind: str, *, quick: bool) -> Runs:
    base, data = panel
    plugin, variant, _ = KINDS[kind]
    settings = {**(QUICK_ENCODER if quick else {}), **_ENCODERS[encoder], **variant}
    # What other parts of the study train, they record.
    kept = "study/encoders" if _ENCODERS[encoder] else "study/levers" if variant else "presets"
    specs = [
        Request(f"{base}{plugin}", data, seed, settings, tasks=("probe",))
        for seed in range(1 if quick else SEEDS[data])
    ]
    return Runs(kind, data, tuple(GraphCell(spec, place(kept, quick=quick)) for spec in specs))


def _data(quick: bool) -> tuple[str, ...]:
    return (QUICK_DATA,) if quick else LEVERS_DATA


def _panels(quick: bool) -> list[tuple[str, str]]:
    return [(base, data) for base in BASES for data in _data(quick)]


def _cells(quick: bool) -> list[Cell]:
    return all_cells(
        _runs(panel, encoder, kind, quick=quick)
        for panel in _panels(quick)
        for encoder in _ENCODERS
        for kind in KINDS
    )


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = Shelf(results, "encoders", quick)

    def scored(panel: tuple[str, str], encoder: str, kind: str) -> Summary:
        records = shelf.records(_runs(panel, encoder, kind, quick=quick), "test_accuracy")
        return aggregate(records, "test_accuracy")

    found = {
        panel: {
            encoder: {kind: scored(panel, encoder, kind) for kind in KINDS} for encoder in _ENCODERS
        }
        for panel in _panels(quick)
    }

    def paint(figure: Figure) -> None:
        grid = figure.subplots(len(BASES), len(_data(quick)), sharey=True, squeeze=False)
        for axes, ((base, data), groups) in zip(grid.flat, found.items(), strict=True):
            bars(axes, groups, {kind: color for kind, (_, _, color) in KINDS.items()})
            axes.set_title(f"{base} on {TITLES[data]}")
        for axes in grid[:, 1:].flat:
            axes.set_ylabel("")
        for axes in grid[-1]:
            axes.set_xlabel("layers of message passing")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(KINDS))

    table = encoders(results / place("", quick=quick), _data(quick))
    drawn = draw(out, "encoders", (3.5 * len(_data(quick)), 6.0), paint)
    return [*write_table(out, "encoders", TITLE, table), *drawn]


ENCODERS = Artifact("encoders", TITLE, _cells, _write)

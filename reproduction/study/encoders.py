"""The gain of neighbors as positives, by the encoder's layers of message passing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.pages.metric_cells import (
    after_holm,
    epochs_cell,
    gain,
    mean_cell,
    p_cell,
)
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary, aggregate, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.drawing import bars, draw
from reproduction.figures.runs import (
    QUICK_ENCODER,
    TITLES,
    FigureRecords,
    Runs,
    all_trainings,
    records_folder,
)
from reproduction.paper.untrained import unlike_note, untrained_note, untrained_runs
from reproduction.plan import QUICK_DATA
from reproduction.study.kinds import KINDS
from reproduction.study.levers import DATA

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "What neighbors add to an encoder"
BASES = ("grace", "bgrl")
SEEDS = {"cora": 3, "citeseer": 3, "photo": 2}
# By layers of message passing.
_ENCODERS: Mapping[str, Mapping[str, object]] = {
    "none": {"encoder": "mlp"},
    "one": {"num_layers": 1},
    "two": {},  # the presets'
}

NONE = "none"  # layers of message passing
_METRIC = "test_accuracy"
_ALONE, _PAPER, _ADAPTIVE = "Alone", "HomoGCL", "Adaptive"
_Row = tuple[str, str, str]  # base, data set, layers


def encoders(results: Path, data: Sequence[str] = DATA) -> Table:
    """Return the gain of the plug-in on encoders with less message passing than the presets'."""
    records = read_records(results / "study" / "encoders")
    return encoders_table(records, data, untrained_runs(results))


def encoders_table(
    records: Iterable[Record], data: Sequence[str], untrained: Sequence[Record] = ()
) -> Table:
    """Return accuracies of bases alone, with HomoGCL and with its adaptive form.

    Each form has its gain over the seeds of both with its 95 % interval and p-value.

    Args:
        records: Runs that differ only in the encoder and in the plug-in.
        data: Which data sets, in which order.
        untrained: Runs of untrained methods, which means are held to.
    """
    records = list(records)
    groups: dict[_Row, dict[str, list[Record]]] = {}
    for record in records:
        base, _, plugin = record.method.partition("+")
        edges = record.setting("encoder") != "mlp"
        layers = str(record.setting("num_layers")) if edges else NONE
        kind = {"adaptive": _ADAPTIVE, "homogcl": _PAPER}.get(plugin, _ALONE)
        groups.setdefault((base, record.data, layers), {}).setdefault(kind, []).append(record)

    def sort_key(row: _Row) -> tuple[bool, int, bool]:
        base, name, layers = row
        return base != "grace", data.index(name), layers != NONE

    gains, notes = after_holm(
        {
            (base, name, f"{kind}, layers: {layers}"): gain(runs.get(_ALONE, []), runs[kind])
            for (base, name, layers), runs in groups.items()
            for kind in (_PAPER, _ADAPTIVE)
            if kind in runs
        }
    )

    def cells(row: _Row) -> list[Cell]:
        base, name, layers = row
        runs = groups[row]
        alone = mean_cell(runs.get(_ALONE, []), _METRIC, untrained)
        values: list[Cell] = [epochs_cell(*runs.values()), alone]
        for kind in (_PAPER, _ADAPTIVE):
            gained = gains.get((base, name, f"{kind}, layers: {layers}"))
            mean = mean_cell(runs.get(kind, []), _METRIC, untrained)
            values += [mean, gained, p_cell(gained)]
        return values

    titles = ("", ", gain [95 %]", ", p")
    forms = [f"{kind}{title}" for kind in (_PAPER, _ADAPTIVE) for title in titles]
    columns = ("Base", "Data set", "Layers", "Epochs", _ALONE, *forms)
    rows = tuple((*row, *cells(row)) for row in sorted(groups, key=sort_key))
    below = (*untrained_note(untrained, data), *unlike_note(records))
    return Table(columns, rows, decimals=1, notes=(*notes, *below))


def _runs(panel: tuple[str, str], encoder: str, kind: str, *, quick: bool) -> Runs:
    base, data = panel
    plugin, settings, _ = KINDS[kind]
    settings = {**(QUICK_ENCODER if quick else {}), **_ENCODERS[encoder], **settings}
    # Trainings of other parts of the study have their records there.
    kind_folder = "study/levers" if plugin == "+adaptive" else "presets"
    folder = records_folder("study/encoders" if _ENCODERS[encoder] else kind_folder, quick=quick)
    specs = [
        Request(f"{base}{plugin}", data, seed, settings, tasks=("probe",))
        for seed in range(1 if quick else SEEDS[data])
    ]
    return Runs(kind, data, tuple(GraphTraining(spec, folder) for spec in specs))


def _data(quick: bool) -> tuple[str, ...]:
    return (QUICK_DATA,) if quick else DATA


def _panels(quick: bool) -> list[tuple[str, str]]:
    return [(base, data) for base in BASES for data in _data(quick)]


def _trainings(quick: bool) -> list[Training]:
    return all_trainings(
        _runs(panel, encoder, kind, quick=quick)
        for panel in _panels(quick)
        for encoder in _ENCODERS
        for kind in KINDS
    )


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "encoders", quick)

    def accuracy(panel: tuple[str, str], encoder: str, kind: str) -> Summary:
        records = shelf.records(_runs(panel, encoder, kind, quick=quick), "test_accuracy")
        return aggregate(records, "test_accuracy")

    accuracies = {
        panel: {
            encoder: {kind: accuracy(panel, encoder, kind) for kind in KINDS}
            for encoder in _ENCODERS
        }
        for panel in _panels(quick)
    }

    def paint(figure: Figure) -> None:
        grid = figure.subplots(len(BASES), len(_data(quick)), sharey=True, squeeze=False)
        for axes, ((base, data), groups) in zip(grid.flat, accuracies.items(), strict=True):
            bars(axes, groups, {kind: color for kind, (_, _, color) in KINDS.items()})
            axes.set_title(f"{base} on {TITLES[data]}")
        for axes in grid[:, 1:].flat:
            axes.set_ylabel("")
        for axes in grid[-1]:
            axes.set_xlabel("layers of message passing")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(KINDS))

    table = encoders(results / records_folder("", quick=quick), _data(quick))
    figure_files = draw(out, "encoders", (3.5 * len(_data(quick)), 6.0), paint)
    return [*write_table(out, "encoders", TITLE, table), *figure_files]


ENCODERS = Artifact("encoders", TITLE, _trainings, _write)

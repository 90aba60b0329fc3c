"""The plug-in's settings one at a time, on two bases with all else equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.pages.metric_cells import epochs_cell, gain, pair_cells
from homogcl.pages.results_table import flat_settings, shown_setting
from homogcl.pages.table import Cell, Gain, Table
from homogcl.presets.resolve import resolve
from homogcl.runs.record import Record, summarize
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.drawing import (
    BLUE,
    GRAY,
    ORANGE,
    VERMILION,
    draw,
    explained,
    mark_points,
    standard_error,
)
from reproduction.figures.runs import TITLES
from reproduction.levers import ADAPTIVE
from reproduction.paper.tables import records_of
from reproduction.paper.untrained import unlike_note, untrained_note
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.rescore import MANNER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA = ("cora", "citeseer", "photo")
SEEDS = {"cora": 3, "citeseer": 3, "photo": 1}  # on Photo gains vary less, and runs take long
COLORS = (BLUE, ORANGE, VERMILION)  # by data set
_SPREAD: Mapping[str, object] = {"width": "clusters", "two_sigma_sq": 1.0}

SHIPPED = "as shipped"
_KINDS = ("alone", "validation", "test", "AUC of S")
PLUGINS = ("homogcl", "levers", "adaptive")

# Each differs from the preset in one setting, or in one more beside the clusters' own width.
LEVERS: tuple[Mapping[str, object], ...] = (
    {"width": "fixed", "two_sigma_sq": 1e-3},
    *({**_SPREAD, "two_sigma_sq": width} for width in (0.25, 1.0, 4.0)),
    {**_SPREAD, "clustered": "directions"},
    *({"num_clusters": k} for k in (5, 30)),
    {"choose_clusters": True},
    {"saliency_gradient": False},
    {"combine": "weighted mean"},
    {"combine": "mean"},
    {"warm_start": False},
    {"cluster_momentum": 0.99},
    {"saliency_scale": 0.3},
    {"start_at": 0.5},
    {"saliency": "hard"},
    {"homophily_weight": 0.0},
)


def lever_trainings(base: str, quick: bool) -> list[Training]:
    """Return the trainings of the base, of the plug-in and its levers, and of `+adaptive`."""
    plugged = f"{base}+homogcl"
    trainings: list[Training] = []
    for data in (QUICK_DATA,) if quick else DATA:
        shipped = resolve(plugged, data)
        variants = [
            (method, lever)
            for lever in (LEVERS[:3] if quick else LEVERS)
            if resolve(method := _method(base, lever), data, lever) != shipped
        ]
        if not quick:
            variants.append((f"{base}+adaptive", {}))
        for seed in range(1 if quick else SEEDS[data]):
            for method in (base, plugged):
                trainings.append(_training(method, data, seed, {}, quick, "presets"))
            for method, lever in variants:
                trainings.append(_training(method, data, seed, lever, quick, "study/levers"))
    return trainings


def _method(base: str, lever: Mapping[str, object]) -> str:
    """Return the method with a lever: HomoGCL itself, or the study's plug-in."""
    shipped = lever.keys() <= HomoGCL.Config.model_fields.keys()
    return f"{base}+homogcl" if shipped else f"{base}+levers"


def _training(
    method: str, data: str, seed: int, lever: Mapping[str, object], quick: bool, folder: str
) -> GraphTraining:
    settings = {**(quick_settings(method) if quick else {}), **lever}
    tasks = ("probe",) if folder == "presets" else ("probe", "saliency")
    return GraphTraining(Request(method, data, seed, settings, tasks=tasks), folder)


def levers(
    results: Path, base: str, data: Sequence[str] = DATA, folder: str = "study/levers"
) -> Table:
    """Return the gains of the plug-in on a base by its settings, those of the presets first."""
    return levers_table(records_of(results, "presets", folder), base, data)


def levers_table(records: Iterable[Record], base: str, data: Sequence[str]) -> Table:
    """Return the gains in accuracy over the base, one row per choice of settings.

    A gain and the base's test accuracy are over the seeds of both, the former with its 95 %
    interval. All settings that both methods have
    are equal, such as encoder, epochs and rates. A further column is the AUC of saliency for edges
    within a class, if it was recorded.

    Args:
        records: Runs of the base and of the plugged method, the presets' first, and of untrained
            methods, which means are held to.
        base: Name of the base.
        data: Which data sets, in which order.
    """
    records = list(records)
    plugged = [r for r in records if r.method in {f"{base}+{name}" for name in PLUGINS}]
    rows: dict[str, dict[str, list[Record]]] = {}
    for name in data:
        on_data = [record for record in plugged if record.data == name]
        usual = [record for record in on_data if record.method == f"{base}+homogcl"]
        shipped = usual[0].settings if usual else {}
        for record in on_data:
            rows.setdefault(label(record, shipped), {}).setdefault(name, []).append(record)
    titles = [f"{name}, {kind}" for name in data for kind in _KINDS]
    cells = tuple(
        (
            row,
            epochs_cell(*runs.values()),
            *(cell for name in data for cell in _gains(runs.get(name, []), records, base)),
        )
        for row, runs in sorted(rows.items(), key=lambda item: (item[0] != SHIPPED, item[0]))
    )
    shown = [run for runs in rows.values() for each in runs.values() for run in each]
    notes = (*untrained_note(records, data), *unlike_note(shown))
    return Table((f"{base}+homogcl", "Epochs", *titles), cells, decimals=2, notes=notes)


def _gains(runs: Sequence[Record], records: Sequence[Record], base: str) -> tuple[Cell, ...]:
    """Return the cells of `_KINDS`; the base's accuracy is over the seeds of both."""
    if not runs:
        return (None,) * len(_KINDS)
    equal = [run for run in records if run.method == base and _comparable(run, runs[0])]
    if not equal:
        run = f"{runs[0].method} on {runs[0].data}, {label(runs[0], {})}"
        raise UserError(f"no run of the base has the settings of {run}")
    areas = [run.metrics["saliency_auc"] for run in runs if "saliency_auc" in run.metrics]
    alone, _, gained = pair_cells(equal, runs, "test_accuracy", records)
    area = summarize(areas) if areas else None
    return alone, gain(equal, runs, "val_accuracy"), gained, area


def _comparable(base: Record, plugged: Record) -> bool:
    """Return whether both have the same data and equal values of all common settings.

    Those of how a step is computed do not count.
    """
    one, other = flat_settings(base.resolved), flat_settings(plugged.resolved)
    common = (one.keys() & other.keys()) - {f"train.{key}" for key in MANNER}
    return base.data == plugged.data and all(one[key] == other[key] for key in common)


def label(record: Record, shipped: Mapping[str, JsonValue]) -> str:
    """Return the settings of a run that differ from the shipped ones of HomoGCL."""
    own, usual = flat_settings(record.settings), flat_settings(shipped)
    resolved = flat_settings(record.resolved)
    keys = [key for key in {**own, **usual} if own.get(key) != usual.get(key) and key in resolved]
    by_name = {key.partition(".")[2]: value for key, value in resolved.items()}
    values = {key.partition(".")[2]: resolved[key] for key in sorted(keys)}
    is_adaptive = record.method.endswith("+adaptive")
    if ADAPTIVE.items() <= by_name.items():
        # The levers of the adaptive plug-in need not be named.
        is_adaptive, values = True, {k: v for k, v in values.items() if k not in ADAPTIVE}
    names = ["adaptive"] if is_adaptive else []
    return ", ".join([*names, *(f"{k}={shown_setting(v)}" for k, v in values.items())]) or SHIPPED


def _artifact(base: str) -> Artifact:
    name, title = f"levers-{base}", f"What each setting of HomoGCL does on {base}"

    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        data = (QUICK_DATA,) if quick else DATA
        table = levers(results, base, data)
        return [*write_table(out, name, title, table), *_draw_gains(out, name, title, table, data)]

    return Artifact(name, title, lambda quick: lever_trainings(base, quick), write)


def _draw_gains(
    out: Path, name: str, title: str, table: Table, data: tuple[str, ...]
) -> list[Path]:
    """Draw the gains on test nodes, one row per lever and one mark per data set."""
    columns = {each: table.columns.index(f"{each}, test") for each in data}

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        for shift, (each, color) in enumerate(zip(data, COLORS, strict=False)):
            gains = [
                (place, cell)
                for place, row in enumerate(table.rows)
                if isinstance(cell := row[columns[each]], Gain)
            ]
            means = [cell.difference.mean for _, cell in gains]
            heights = [place + 0.2 * (shift - (len(data) - 1) / 2) for place, _ in gains]
            mark_points(axes, means, heights, [cell.mark for _, cell in gains])
            axes.errorbar(
                means,
                heights,
                xerr=[standard_error(cell) for _, cell in gains],
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
        marks = "".join(cell.mark for row in table.rows for cell in row if isinstance(cell, Gain))
        axes.set_xlabel(explained("points of test accuracy gained (± standard error)", marks))
        axes.grid(axis="x", alpha=0.3)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=len(data))

    return draw(out, name, (7.0, 1.2 + 0.3 * len(table.rows)), paint)


LEVER_ARTIFACTS = tuple(_artifact(base) for base in ("grace", "bgrl"))

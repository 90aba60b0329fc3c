"""The course of training: accuracy, AUC of S, and effective rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.pages.metric_cells import in_shown_unit
from homogcl.runs.record import Record, Summary, aggregate
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training
from reproduction.figures.drawing import draw, explained, mark_points
from reproduction.figures.runs import (
    QUICK_ENCODER,
    TITLES,
    FigureRecords,
    Runs,
    all_trainings,
    records_folder,
)
from reproduction.study.kinds import KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEEDS = 2
# Many more than the presets have.
EPOCHS: Mapping[tuple[str, str], int] = {
    ("grace", "cora"): 200,
    ("grace", "citeseer"): 120,
    ("bgrl", "cora"): 200,
}
_MILESTONES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 140, 160, 180)
_ROWS = {
    "val_accuracy": "validation accuracy (%)",
    "saliency_auc": "area under ROC of S",
    "effective_rank": "effective rank",
}


def _panels(quick: bool) -> list[tuple[str, str]]:
    return [("grace", "demo"), ("bgrl", "demo")] if quick else list(EPOCHS)


def _runs(base: str, data: str, kind: str, *, quick: bool) -> Runs:
    plugin, settings, _ = KINDS[kind]
    epochs = 20 if quick else EPOCHS[base, data]
    overrides = {**(QUICK_ENCODER if quick else {}), **settings, "epochs": epochs}
    milestones = tuple(each for each in _MILESTONES if each < epochs)
    tasks = ("probe", "unlabeled", "saliency")
    specs = [
        Request(f"{base}{plugin}", data, seed, overrides, None, milestones, tasks)
        for seed in range(1 if quick else SEEDS)
    ]
    folder = records_folder("study/training", quick=quick)
    return Runs(kind, data, tuple(GraphTraining(spec, folder) for spec in specs))


def _trainings(quick: bool) -> list[Training]:
    return all_trainings(
        _runs(base, data, kind, quick=quick) for base, data in _panels(quick) for kind in KINDS
    )


def mean_curve(records: Sequence[Record], metric: str) -> dict[int, Summary]:
    """Return the metric over the records at each of the scored epochs, accuracies in percent."""
    return {
        epochs: in_shown_unit(aggregate([run.at(epochs) for run in records], metric), metric)
        for epochs in sorted(records[0].by_epochs())
    }


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "training", quick)
    panels = _panels(quick)
    records = {
        (base, data, kind): shelf.records(_runs(base, data, kind, quick=quick), "saliency_auc")
        for base, data in panels
        for kind in KINDS
    }

    curves = {
        (*place, metric): mean_curve(runs, metric)
        for place, runs in records.items()
        for metric in _ROWS
    }

    def panel(axes: Axes, base: str, data: str, metric: str) -> None:
        for kind, (_, _, color) in KINDS.items():
            points = curves[base, data, kind, metric]
            means = [point.mean for point in points.values()]
            axes.plot(list(points), means, color=color, marker=".", markersize=4, label=kind)
            marks = {point.mark for point in points.values()}
            mark_points(axes, [max(points)], means[-1:], ["".join(marks)])
        axes.grid(alpha=0.3)

    def paint(figure: Figure) -> None:
        grid = figure.subplots(len(_ROWS), len(panels), sharex="col", sharey="row", squeeze=False)
        for row, metric in zip(grid, _ROWS, strict=True):
            for axes, (base, data) in zip(row, panels, strict=True):
                panel(axes, base, data, metric)
            points = [
                p for place, curve in curves.items() if place[3] == metric for p in curve.values()
            ]
            row[0].set_ylabel(explained(_ROWS[metric], "".join(point.mark for point in points)))
        for axes, (base, data) in zip(grid[0], panels, strict=True):
            axes.set_title(f"{base} on {TITLES[data]}")
        for axes in grid[-1]:
            axes.set_xlabel("epochs")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(KINDS))

    return draw(out, "training", (2.6 * len(panels) + 0.6, 6.4), paint)


TRAINING = Artifact("training", "What happens during training", _trainings, _write)

"""Figure 6: embeddings in the plane, with and without the plug-in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import CLASSES, draw
from reproduction.figures.runs import QUICK_ENCODER, TITLES, FigureRecords, records_folder
from reproduction.layout_training import LayoutTraining, Points, read_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHODS = {
    "bgrl": "BGRL",
    "grace": "GRACE",
    "bgrl+homogcl": "BGRL+HomoGCL",
    "grace+homogcl": "GRACE+HomoGCL",
}


def _layouts(quick: bool) -> dict[str, LayoutTraining]:
    data, settings = ("demo", QUICK_ENCODER) if quick else ("cora", {})
    most = 800 if quick else 2**31
    folder = records_folder("figures/tsne", quick=quick)
    return {
        name: LayoutTraining(Request(method, data, 0, settings, tasks=("cluster",)), folder, most)
        for method, name in METHODS.items()
    }


def _trainings(quick: bool) -> list[Training]:
    return list(_layouts(quick).values())


def _panel(axes: Axes, points: Points) -> None:
    # Draw in a random order, so that no class covers the others.
    order = np.random.default_rng(0).permutation(len(points.labels))
    labels = points.labels[order]
    colors = np.array(CLASSES)[labels % len(CLASSES)]
    x, y = points.at[order].T
    axes.scatter(x, y, s=3, c=colors, linewidths=0, rasterized=True)
    # Points lie within -1 and 1; equal limits keep the four panels in line.
    axes.set(aspect="equal", xlim=(-1.06, 1.06), ylim=(-1.06, 1.06))
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(True)
        side.set_color("#cccccc")


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "tsne", quick)
    layouts = _layouts(quick)
    nmi = {name: shelf.record(each, "nmi").metrics["nmi"] for name, each in layouts.items()}
    points = {name: read_points(each.points_path(results)) for name, each in layouts.items()}

    def paint(figure: Figure) -> None:
        panels = figure.subplots(2, 2).ravel()
        for letter, axes, name in zip("abcd", panels, points, strict=True):
            _panel(axes, points[name])
            axes.set_title(f"({letter}) {name}, NMI {nmi[name]:.2f}")
        classes = np.unique(np.concatenate([each.labels for each in points.values()]))
        handles = [
            panels[0].plot([], [], "o", markersize=5, color=CLASSES[label % len(CLASSES)])[0]
            for label in classes
        ]
        names = [f"class {label}" for label in classes]
        figure.legend(handles, names, loc="outside lower center", ncols=7, handletextpad=0)
        figure.suptitle(f"t-SNE of {TITLES[next(iter(layouts.values())).spec.name]}", fontsize=10)

    return draw(out, "tsne", (6.4, 6.8), paint)


TSNE = Artifact("tsne", "Figure 6", _trainings, _write)

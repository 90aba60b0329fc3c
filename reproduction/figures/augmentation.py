"""Figure 1: the effect of augmentation on contrastive learning of images and of graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.runs.record import Summary, aggregate
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import BLUE, GRAY, GREEN, ORANGE, SKY, bars, draw
from reproduction.figures.runs import (
    NO_AUGMENTATION,
    TITLES,
    FigureRecords,
    GraphRuns,
    Runs,
    all_trainings,
    image_runs,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAPHS = ("cora", "citeseer", "photo")
WITH, WITHOUT, PERCEPTRON, PROBED, PROPAGATED = (
    "with augmentation",
    "without augmentation",
    "MLP, supervised",
    "linear probe of the input",
    "linear probe of averaged input",
)
COLORS = {WITH: BLUE, WITHOUT: SKY, PERCEPTRON: ORANGE, PROBED: GRAY, PROPAGATED: GREEN}

WITHOUT_AUGMENTATION = GraphRuns("grace", "figures/augmentation", NO_AUGMENTATION)
SUPERVISED = GraphRuns("mlp", "presets")
UNTRAINED = GraphRuns("raw", "presets")
AVERAGED = GraphRuns("propagation", "presets")


def _images(quick: bool) -> list[Runs]:
    return [
        image_runs("simclr", WITH, quick=quick),
        image_runs("simclr", WITHOUT, {"augmentation": False}, quick=quick),
        image_runs("mlp", PERCEPTRON, quick=quick),
        image_runs("pixels", PROBED, quick=quick),
    ]


def _graphs(quick: bool) -> list[Runs]:
    return [
        kind.on(data, name, quick=quick)
        for data in (GRAPHS[:1] if quick else GRAPHS)
        for name, kind in (
            (WITH, GraphRuns("grace", "presets")),
            (WITHOUT, WITHOUT_AUGMENTATION),
            (PERCEPTRON, SUPERVISED),
            (PROBED, UNTRAINED),
            (PROPAGATED, AVERAGED),
        )
    ]


def accuracies(shelf: FigureRecords, runs: list[Runs]) -> dict[str, dict[str, Summary]]:
    """Return the test accuracy of the runs, by data set and name."""
    groups: dict[str, dict[str, Summary]] = {}
    for each in runs:
        records = shelf.records(each, "test_accuracy")
        group = groups.setdefault(TITLES[each.data], {})
        group[each.name] = aggregate(records, "test_accuracy")
    return groups


def _trainings(quick: bool) -> list[Training]:
    return all_trainings([*_images(quick), *_graphs(quick)])


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "augmentation", quick)
    images, graphs = accuracies(shelf, _images(quick)), accuracies(shelf, _graphs(quick))

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[1, 1 if quick else 2], sharey=True)
        bars(left, images, COLORS)
        bars(right, graphs, COLORS)
        left.set_title("(a) images, SimCLR")
        right.set_title("(b) graphs, GRACE")
        right.set_ylabel("")
        handles, names = right.get_legend_handles_labels()  # those of images are among them
        figure.legend(handles, names, loc="outside lower center", ncols=3)

    return draw(out, "augmentation", (9.0, 3.4), paint)


AUGMENTATION = Artifact("augmentation", "Figure 1", _trainings, _write)

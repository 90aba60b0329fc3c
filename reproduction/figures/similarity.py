"""Figure 2a, b: the similarity of positive and negative pairs while SimCLR and GRACE train."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homogcl.runs.record import Record, summarize
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import BLUE, VERMILION, draw, spread_apart
from reproduction.figures.runs import (
    NO_AUGMENTATION,
    QUICK_ENCODER,
    TITLES,
    FigureRecords,
    GraphRuns,
    Runs,
    all_trainings,
    image_runs,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WITH, WITHOUT = "with augmentation", "without augmentation"
COLORS = {WITH: BLUE, WITHOUT: VERMILION}
LINES = {"positive": "-", "negative": (0, (4, 2))}
_GAP = 0.075  # between labels, of the height of the axis


def _milestones(quick: bool) -> tuple[int, ...]:
    """Return the epochs to score, closest where similarities drop in the paper."""
    if quick:
        return tuple(range(1, int(str(QUICK_ENCODER["epochs"]))))
    return (1, 2, 3, 4, 5, 7, *range(10, 50, 5))


def _images(quick: bool) -> list[Runs]:
    return [
        image_runs("simclr", WITH, quick=quick),
        image_runs("simclr", WITHOUT, {"augmentation": False}, quick=quick),
    ]


def _graphs(quick: bool) -> list[Runs]:
    return [
        GraphRuns("grace", "figures/similarity", overrides, ("similarity",), _milestones).on(
            "cora", name, quick=quick
        )
        for name, overrides in ((WITH, None), (WITHOUT, NO_AUGMENTATION))
    ]


def _trainings(quick: bool) -> list[Training]:
    return all_trainings([*_images(quick), *_graphs(quick)])


def curve(records: Sequence[Record], metric: str) -> tuple[list[int], list[float], list[float]]:
    """Return epochs, mean and standard deviation of a metric over the records that share them."""
    by_record = [
        {
            epoch: metrics[metric]
            for epoch, metrics in record.by_epochs().items()
            if metric in metrics
        }
        for record in records
    ]
    epochs = sorted(set.intersection(*(set(each) for each in by_record)))
    summaries = [summarize([each[epoch] for each in by_record]) for epoch in epochs]
    return epochs, [each.mean for each in summaries], [each.std or 0.0 for each in summaries]


def _panel(axes: Axes, runs: list[Runs], shelf: FigureRecords) -> None:
    ends: list[tuple[float, str, str]] = []
    last = 1
    for each in runs:
        records = shelf.records(each, "positive_similarity")
        for kind, line in LINES.items():
            epochs, means, spread = curve(records, f"{kind}_similarity")
            low, high = np.subtract(means, spread), np.add(means, spread)
            axes.plot(epochs, means, linestyle=line, color=COLORS[each.name])
            axes.fill_between(epochs, low, high, color=COLORS[each.name], alpha=0.2, linewidth=0)
            ends.append((means[-1], f"{kind}, {each.name.split()[0]}", COLORS[each.name]))
            last = max(last, epochs[-1])
    bottom = min(0.0, *(height for height, _, _ in ends))
    axes.set_ylim(bottom - 0.06, 1.06)
    gap = _GAP * (1.12 - bottom)
    for height, (_, text, color) in zip(
        spread_apart([each[0] for each in ends], gap), ends, strict=True
    ):
        axes.annotate(
            text,
            (last, height),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=color,
            annotation_clip=False,
        )
    axes.set_xlim(1, last)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("epoch")
    axes.grid(alpha=0.3)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "similarity", quick)
    images, graphs = _images(quick), _graphs(quick)

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        _panel(left, images, shelf)
        _panel(right, graphs, shelf)
        left.set_title(f"(a) SimCLR on {TITLES[images[0].data]}")
        right.set_title(f"(b) GRACE on {TITLES[graphs[0].data]}")
        left.set_ylabel("mean cosine of the pairs")
        figure.supxlabel(
            "pairs: positive (solid) and negative (dashed), with and without augmentation",
            fontsize=8,
        )

    return draw(out, "similarity", (7.5, 3.2), paint)


SIMILARITY = Artifact("similarity", "Figure 2a, b", _trainings, _write)

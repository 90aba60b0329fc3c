"""When homophily helps: gains on generated graphs, by homophily and by informative words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.core.errors import UserError
from homogcl.data.shares import Shares
from homogcl.pages.metric_cells import gain
from homogcl.pages.table import Gain
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training
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
from reproduction.figures.runs import (
    QUICK_ENCODER,
    FigureRecords,
    Runs,
    all_trainings,
    records_folder,
)
from reproduction.levers import ALIKE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HOMOPHILY = (0.5, 0.6, 0.7, 0.8, 0.9)
TOPIC_SHARES = (0.2, 0.6)  # of the words that depend on the class: few, and many
SEEDS = 3
# 0/1 features: with rows scaled by their sums, training takes far longer to converge.
_NARROW: Mapping[str, object] = {"hidden_dim": 256, "out_dim": 128, "features": "raw"}
_KINDS: Mapping[str, tuple[str, Mapping[str, object], str]] = {
    "all neighbors, averaged": ("grace+levers", ALIKE, ORANGE),
    "adaptive": ("grace+adaptive", {}, VERMILION),
    "as in the paper": ("grace+homogcl", {}, BLUE),
}
_BASE = "GRACE"


def _runs(kind: str, homophily: float, topics: float, *, quick: bool) -> Runs:
    method, settings, _ = _KINDS.get(kind, ("grace", {}, GRAY))
    data = Shares(homophily, topics).name()
    narrow = QUICK_ENCODER if quick else _NARROW
    folder = records_folder("study/generated", quick=quick)
    seeds = range(2 if quick else SEEDS)
    specs = [
        Request(method, data, seed, {**narrow, **settings}, tasks=("probe",)) for seed in seeds
    ]
    return Runs(kind, data, tuple(GraphTraining(spec, folder) for spec in specs))


def _grid(quick: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (HOMOPHILY[::4], TOPIC_SHARES[:1]) if quick else (HOMOPHILY, TOPIC_SHARES)


def _trainings(quick: bool) -> list[Training]:
    steps, shares = _grid(quick)
    return all_trainings(
        _runs(kind, homophily, topics, quick=quick)
        for topics in shares
        for homophily in steps
        for kind in (_BASE, *_KINDS)
    )


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "generated", quick)
    steps, shares = _grid(quick)

    def records(kind: str, homophily: float, topics: float) -> list[Record]:
        return shelf.records(_runs(kind, homophily, topics, quick=quick), "test_accuracy")

    def over_base(kind: str, homophily: float, topics: float) -> Gain:
        base, plugged = (records(each, homophily, topics) for each in (_BASE, kind))
        difference = gain(base, plugged)
        if difference is None:
            name = Shares(homophily, topics).name()
            raise UserError(f"{kind} on {name} was scored by another probe than {_BASE}")
        return difference

    gains = {
        (kind, topics): [over_base(kind, homophily, topics) for homophily in steps]
        for kind in _KINDS
        for topics in shares
    }

    def panel(axes: Axes, topics: float) -> None:
        for kind, (_, _, color) in _KINDS.items():
            means = [each.difference.mean for each in gains[kind, topics]]
            errors = [standard_error(each) for each in gains[kind, topics]]
            mark_points(axes, steps, means, [each.mark for each in gains[kind, topics]])
            axes.errorbar(
                steps, means, errors, color=color, marker="o", markersize=4, capsize=2, label=kind
            )
        axes.axhline(0, color=GRAY, linewidth=1)
        axes.set_title(f"{topics:.0%} of the words are of classes")
        axes.set_xlabel("share of edges within a class")
        axes.grid(alpha=0.3)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(shares), sharey=True, squeeze=False)[0]
        for axes, topics in zip(panels, shares, strict=True):
            panel(axes, topics)
        marks = "".join(each.mark for series in gains.values() for each in series)
        panels[0].set_ylabel(explained("gain over GRACE, points", marks))
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(_KINDS))

    return draw(out, "generated", (7.0, 3.2), paint)


GENERATED = Artifact(
    "generated", "When neighbors as positives help: generated graphs", _trainings, _write
)

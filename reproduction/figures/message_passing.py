"""Figure 2c: GRACE without augmentation, with and without message passing.

The paper blocks message passing by replacing the adjacency matrix with the identity. A GCN layer
is then x -> I x W + b, a dense layer, so these runs have `encoder=mlp`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.artifact import Artifact, Training
from reproduction.figures.augmentation import (
    AVERAGED,
    PERCEPTRON,
    PROBED,
    PROPAGATED,
    SUPERVISED,
    UNTRAINED,
    WITHOUT_AUGMENTATION,
    accuracies,
)
from reproduction.figures.drawing import BLUE, GRAY, GREEN, ORANGE, SKY, bars, draw
from reproduction.figures.runs import NO_AUGMENTATION, FigureRecords, GraphRuns, Runs, all_trainings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAPHS = ("cora", "photo")
WITH, WITHOUT = "GRACE with message passing", "GRACE without message passing"
COLORS = {WITH: BLUE, WITHOUT: SKY, PERCEPTRON: ORANGE, PROBED: GRAY, PROPAGATED: GREEN}
BLOCKED = GraphRuns("grace", "figures/message-passing", {**NO_AUGMENTATION, "encoder": "mlp"})


def _runs(quick: bool) -> list[Runs]:
    return [
        kind.on(data, name, quick=quick)
        for data in (GRAPHS[:1] if quick else GRAPHS)
        for name, kind in (
            (WITH, WITHOUT_AUGMENTATION),
            (WITHOUT, BLOCKED),
            (PERCEPTRON, SUPERVISED),
            (PROBED, UNTRAINED),
            (PROPAGATED, AVERAGED),
        )
    ]


def _trainings(quick: bool) -> list[Training]:
    return all_trainings(_runs(quick))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    groups = accuracies(FigureRecords(results, "message-passing", quick), _runs(quick))

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        bars(axes, groups, COLORS)
        axes.set_title("GRACE without augmentation")
        figure.legend(loc="outside lower center", ncols=1)

    return draw(out, "message-passing", (4.2, 3.6), paint)


MESSAGE_PASSING = Artifact("message-passing", "Figure 2c", _trainings, _write)

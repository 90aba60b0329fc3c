"""Figure 4: the higher the saliency of an edge, the more likely its nodes share a class."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.runs.record import Record, Summary, aggregate
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import BLACK, BLUE, VERMILION, draw
from reproduction.figures.runs import TITLES, FigureRecords, GraphRuns, Runs, all_trainings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _runs(quick: bool) -> Runs:
    kind = GraphRuns("grace+homogcl", "figures/saliency", tasks=("saliency",))
    return kind.on("cora", "GRACE+HomoGCL", quick=quick)


def _trainings(quick: bool) -> list[Training]:
    return all_trainings([_runs(quick)])


def intervals(records: Sequence[Record]) -> dict[int, Summary]:
    """Return the homophily of each interval of edges, by the number of its last edge."""
    names = [re.fullmatch(r"edge_homophily_(\d+)", key) for key in records[0].metrics]
    ends = sorted(int(match[1]) for match in names if match)
    return {end: aggregate(records, f"edge_homophily_{end:05d}") for end in ends}


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    runs = _runs(quick)
    records = FigureRecords(results, "saliency", quick).records(runs, "edge_homophily")
    homophily = intervals(records)
    overall = aggregate(records, "edge_homophily").mean
    area = aggregate(records, "saliency_auc").mean

    def paint(figure: Figure) -> None:
        axes = figure.subplots()
        ends = list(homophily)
        starts = [0, *ends[:-1]]
        means = [summary.mean for summary in homophily.values()]
        spread = [summary.std or 0.0 for summary in homophily.values()]
        middles = [(start + end) / 2 for start, end in zip(starts, ends, strict=True)]
        widths = [0.9 * (end - start) for start, end in zip(starts, ends, strict=True)]
        axes.bar(middles, means, widths, color=BLUE)
        axes.errorbar(middles, means, spread, fmt="none", ecolor=BLACK, elinewidth=1, capsize=2)
        axes.axhline(overall, color=VERMILION, linewidth=1.2, linestyle="--")
        axes.annotate(
            f"all edges: {overall:.2f}",
            (starts[0], overall),
            (2, 4),
            textcoords="offset points",
            fontsize=8,
            color=VERMILION,
        )
        axes.set_ylim(0, 1.05)
        axes.set_xlim(-0.02 * ends[-1], 1.02 * ends[-1])
        axes.set_xlabel("edges in the order of saliency, the most salient right")
        axes.set_ylabel("share within one class")
        axes.set_title(f"{runs.name} on {TITLES[runs.data]}: area under the ROC {area:.2f}")
        axes.grid(axis="y", alpha=0.3)

    return draw(out, "saliency", (5.2, 3.2), paint)


SALIENCY = Artifact("saliency", "Figure 4", _trainings, _write)

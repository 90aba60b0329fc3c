"""Figure 5: the effect of the number of clusters and of the weight of the homophily loss."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.presets.resolve import resolve
from homogcl.runs.record import Summary, aggregate
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import BLUE, GRAY, draw, explained, mark_points
from reproduction.figures.runs import TITLES, FigureRecords, GraphRuns, Runs, all_trainings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLUSTERS = (5, 10, 15, 20, 25, 30)
# The paper says that α below 10 changes little; its figure's values are not in the text.
WEIGHTS = (0.01, 0.1, 1.0, 10.0, 100.0)


def _sweep(key: str, values: tuple[float, ...], quick: bool) -> dict[float, Runs]:
    """Return the runs for each value of a setting; the preset's value uses the preset's records."""
    preset = float(str(resolve("grace+homogcl", "cora").method[key]))
    few = (values[0], preset, values[-1]) if quick else values
    return {
        value: (
            GraphRuns("grace+homogcl", "presets")
            if value == preset
            else GraphRuns("grace+homogcl", "figures/sensitivity", {key: value})
        ).on("cora", f"{key}={value}", quick=quick)
        for value in few
    }


def _clusters(quick: bool) -> dict[float, Runs]:
    return _sweep("num_clusters", CLUSTERS, quick)


def _weights(quick: bool) -> dict[float, Runs]:
    return _sweep("homophily_weight", WEIGHTS, quick)


def _base(quick: bool) -> Runs:
    return GraphRuns("grace", "presets").on("cora", "GRACE", quick=quick)


def _trainings(quick: bool) -> list[Training]:
    return all_trainings([_base(quick), *_clusters(quick).values(), *_weights(quick).values()])


def _panel(axes: Axes, accuracies: Mapping[float, Summary], base: Summary) -> None:
    means = [100 * summary.mean for summary in accuracies.values()]
    spread = [100 * (summary.std or 0.0) for summary in accuracies.values()]
    places = list(accuracies)
    axes.errorbar(places, means, spread, color=BLUE, marker="o", markersize=4, capsize=3)
    mark_points(axes, places, means, [summary.mark for summary in accuracies.values()])
    axes.axhline(100 * base.mean, color=GRAY, linestyle="--", linewidth=1.2)
    axes.grid(alpha=0.3)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    shelf = FigureRecords(results, "sensitivity", quick)

    def accuracy(runs: Runs) -> Summary:
        return aggregate(shelf.records(runs, "test_accuracy"), "test_accuracy")

    reference = _base(quick)
    base = accuracy(reference)
    clusters = {value: accuracy(runs) for value, runs in _clusters(quick).items()}
    weights = {value: accuracy(runs) for value, runs in _weights(quick).items()}

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        _panel(left, clusters, base)
        _panel(right, weights, base)
        left.set_xlabel("number of clusters k")
        left.set_xticks(list(clusters))
        right.set_xscale("log")
        right.set_xticks(list(weights), [f"{value:g}" for value in weights])
        right.minorticks_off()
        right.set_xlabel("weight α of the homophily loss")
        shown = (base, *clusters.values(), *weights.values())
        marks = "".join(summary.mark for summary in shown)
        left.set_ylabel(explained("test accuracy (%)", marks))
        # Show at least five points, so that noise does not look like an effect.
        low, high = left.get_ylim()
        room = max(0.0, 5.0 - (high - low)) / 2
        left.set_ylim(low - room, high + room)
        names = ("GRACE+HomoGCL", f"GRACE {base.mark}".rstrip())
        handles = [left.containers[0], left.lines[-1]]
        figure.legend(handles, names, loc="outside lower center", ncols=2)
        figure.suptitle(TITLES[reference.data], fontsize=10)

    return draw(out, "sensitivity", (7.0, 3.2), paint)


SENSITIVITY = Artifact("sensitivity", "Figure 5", _trainings, _write)

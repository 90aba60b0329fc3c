"""Validation accuracy over seconds of training, beside the same methods the usual way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from torch_geometric.data import Data

from benchmarks.process import Measured, measure
from benchmarks.usual import usual
from homogcl.data.load import load
from homogcl.evaluate.probe import linear_probe
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.presets.resolve import resolve
from homogcl.training.loop import Epoch, TrainConfig, fit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = tuple[str, float, str]
Curve = list[tuple[int, float, float]]  # steps, seconds of training, validation accuracy

_IMAGES = Path(__file__).parents[1] / "docs" / "images"
PICTURE = _IMAGES / "time-to-quality.svg"
STEPS_PICTURE = _IMAGES / "steps-to-quality.svg"
GRAPHS = ("photo", "cora", "pubmed")
METHODS = ("grace", "grace+adaptive", "bgrl", "ccassg")
_DENSE = {"grace", "grace+adaptive"}  # the usual way holds N x N numbers, too many on PubMed
_FEW = 10  # steps of them on Photo, each of which takes about ten seconds
_WITHIN = 0.005  # of the best accuracy counts as there
_CHECKS = {1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200}  # steps


def quality() -> list[Row]:
    """Return the seconds of training to within half a point of a method's best validation."""
    curves: dict[str, dict[str, Curve]] = {}
    rows: list[Row] = []
    for data in GRAPHS:
        of_graph = curves.setdefault(data, {"propagation": curve("propagation", data)})
        rows.append((f"{data}, propagation: best (%)", 100 * of_graph["propagation"][-1][2], ""))
        for name in METHODS:
            ours = of_graph[name] = curve(name, data)
            best = max(accuracy for _, _, accuracy in ours)
            rows += [
                (f"{data}, {name}: best (%)", 100 * best, ""),
                (f"{data}, {name}: seconds to it", _seconds_to(ours, best), ""),
            ]
            if name not in _DENSE or data != "pubmed":
                most = _FEW if name in _DENSE and data == "photo" else 0
                theirs = of_graph[f"{name}, usual"] = curve(name, data, "usual", most)
                reached = _seconds_to(theirs, max(accuracy for _, _, accuracy in theirs))
                limit = f" in {most} steps" if most else ""
                what = f"{data}, {name}: seconds to its own best{limit}, usual"
                rows.append((what, reached, ""))
    draw(curves)
    return rows


def budget() -> list[Row]:
    """Return minutes and validation accuracy of 10,000 steps of BGRL on Photo, precision=auto."""
    taken = curve("bgrl", "photo", "published")
    draw_steps({steps: accuracy for steps, _, accuracy in taken})
    rows = [("minutes of 10,000 steps", taken[-1][1] / 60, "at most 25")]
    return rows + [(f"step {steps}: validation (%)", 100 * a, "") for steps, _, a in taken]


def curve(name: str, data: str, way: str = "ours", most: int = 0) -> Curve:
    """Return the curve of a method, measured in a process of its own."""
    taken = measure("accuracy_over_seconds", name, data, way, most)
    steps = sorted(int(key.partition(" ")[2]) for key in taken if key.startswith("seconds"))
    return [(at, taken[f"seconds {at}"], taken[f"accuracy {at}"]) for at in steps]


def accuracy_over_seconds(name: str, data: str, way: str = "ours", most: int = 0) -> Measured:
    """Return seconds of training and validation accuracy by steps.

    Args:
        name: A method.
        data: A data set.
        way: "ours", "usual", or "published" for the authors' own number of steps, in bfloat16
            where the processor has it.
        most: Steps at most; 0 for as many as the preset has.
    """
    settings = resolve(name, data, preset="published" if way == "published" else None)
    graph = load(data, features=settings.data.features)
    if way == "usual":
        method = usual(name, settings.method, Sizes.of(graph))
    else:
        method = build(name, settings.method, Sizes.of(graph), seed=0)
    config = settings.train
    if way == "published":
        config = config.model_copy(update={"precision": "auto"})
    if most:
        config = config.model_copy(update={"epochs": min(most, config.epochs)})
    checks = set(range(0, config.epochs, 1000)) if way == "published" else _CHECKS
    return _trained(method, graph, config, checks)


def _trained(method: Method, graph: Data, config: TrainConfig, checks: set[int]) -> Measured:
    result: Measured = {}
    seconds = 0.0

    def check(epoch: int) -> None:
        result[f"seconds {epoch}"], result[f"accuracy {epoch}"] = seconds, _accuracy(method, graph)

    def on_epoch(epoch: Epoch) -> None:
        nonlocal seconds
        seconds += epoch.seconds
        if epoch.number in checks or epoch.number == epoch.total:
            check(epoch.number)

    check(0)
    fit(method, graph, config, seed=0, on_epoch=on_epoch)
    if not any(p.requires_grad for p in method.parameters()):
        started = time.perf_counter()
        embeddings(method, graph)
        seconds = time.perf_counter() - started
        check(0)
    return result


def _accuracy(method: Method, graph: Data) -> float:
    split = (graph.train_mask, graph.val_mask, graph.test_mask)
    return linear_probe(embeddings(method, graph), graph.y, split)["val_accuracy"]


def _seconds_to(curve: Curve, best: float) -> float:
    """Return the seconds at which a curve is first within reach of `best`."""
    return next(seconds for _, seconds, accuracy in curve if accuracy >= best - _WITHIN)


def draw_steps(accuracy: dict[int, float], path: Path = STEPS_PICTURE) -> None:
    """Draw validation accuracy over steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot(list(accuracy), [100 * each for each in accuracy.values()], "o-", color="#009e73")
    axes.set_xlabel("steps")
    _finish(figure, path)


def draw(curves: dict[str, dict[str, Curve]], path: Path = PICTURE) -> None:
    """Draw validation accuracy over seconds, a field for each graph, the usual way dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.7), layout="constrained")
    colors = dict(zip(METHODS, ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), strict=True))
    for axes, (data, of_graph) in zip(
        figure.subplots(1, len(curves), squeeze=False)[0], curves.items(), strict=True
    ):
        for name, points in of_graph.items():
            accuracy = [100 * a for _, _, a in points]
            if len(points) == 1:
                axes.axhline(accuracy[0], color="#777777", linestyle=":", label=name)
                continue
            base, _, way = name.partition(", ")
            seconds = [max(s, 1e-2) for _, s, _ in points]
            axes.semilogx(seconds, accuracy, "--" if way else "-", color=colors[base], label=name)
        axes.set_title(data)
        axes.set_xlabel("seconds of training")
    labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=5, fontsize="x-small")
    _finish(figure, path)


def _finish(figure: Figure, path: Path) -> None:
    """Label a picture of accuracies and write it."""
    for axes in figure.axes:
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("validation accuracy (%)")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})

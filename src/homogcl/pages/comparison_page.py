"""One self-contained HTML page that compares methods on one graph."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homogcl.core.files import write_atomically
from homogcl.pages.charts import Floats, Integers, SaliencyHistogram, curve_chart
from homogcl.pages.metric_cells import is_accuracy
from homogcl.pages.parts import array_block, figure, fill_page, pairs, saliency_figures

_COLUMNS = {
    "test_accuracy": "Accuracy",
    "rewired_test_accuracy": "With wrong edges",
    "nmi": "NMI",
    "ari": "ARI",
}
_CURVE_COLORS = 8  # that the style sheet has


@dataclass(frozen=True)
class EmbeddingMap:
    """A method's embeddings in the plane."""

    method: str  # name shown above the map
    points: Floats  # position of each node, [N, 2]
    labels: Integers  # class of each node, -1 if unknown, [N]
    clusters: Integers  # cluster of each node, [N]

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise ValueError(f"points must be [N, 2], not {list(self.points.shape)}")
        for name, values in (("labels", self.labels), ("clusters", self.clusters)):
            if values.shape != (len(self.points),):
                raise ValueError(f"{name} must be [{len(self.points)}], not {list(values.shape)}")


@dataclass(frozen=True)
class Comparison:
    """Everything that the page shows."""

    title: str  # heading of the page
    summary: str  # a sentence or two below the heading
    results: Mapping[str, Mapping[str, float]]  # metrics of each method, as fractions
    maps: Sequence[EmbeddingMap] = ()  # one map per method, over the same nodes
    saliency: SaliencyHistogram | None = None  # edges by saliency, where a method scores edges
    # The values of each term by epoch, by method and by name.
    curves: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)  # about the graph


def write_page(path: str | Path, comparison: Comparison) -> Path:
    """Write the page, whole or not at all, and return its path."""
    return write_atomically(Path(path), render(comparison).encode())


def render(comparison: Comparison) -> str:
    """Return the page as HTML text that asks nothing of the network."""
    bins = comparison.saliency
    values = {
        "title": html.escape(comparison.title),
        "summary": html.escape(comparison.summary),
        "facts": pairs(comparison.facts),
        "table": _table(comparison.results),
        "maps": "\n".join(_stage(each.method) for each in comparison.maps),
        "saliency": saliency_figures(bins) if bins is not None and bins.total.sum() else "",
        "curves": "\n".join(_curve_figures(comparison.curves)),
    }
    blocks = [
        array_block(f"{name}-{number}", values)
        for number, each in enumerate(comparison.maps)
        for name, values in _arrays(each).items()
    ]
    return fill_page("comparison", values, blocks, ["comparison"])


def _table(results: Mapping[str, Mapping[str, float]]) -> str:
    """Return the head and body of the table of results, the best of each column marked."""
    metrics_of_all = {key for metrics in results.values() for key in metrics}
    columns = [key for key in _COLUMNS if key in metrics_of_all]
    columns += sorted(metrics_of_all - set(columns))
    best = {key: max(_rounded(metrics, key) for metrics in results.values()) for key in columns}
    head = "".join(f'<th scope="col">{html.escape(_COLUMNS.get(key, key))}</th>' for key in columns)
    rows = [f'<thead><tr><th scope="col">Method</th>{head}</tr></thead>', "<tbody>"]
    for method, metrics in results.items():
        cells = "".join(_cell(metrics, key, best[key]) for key in columns)
        name = html.escape(method).replace("+", "+<wbr>")  # may break before a plug-in
        rows.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    return "\n".join([*rows, "</tbody>"])


def _cell(metrics: Mapping[str, float], key: str, best: float) -> str:
    """Return one cell of the table; a dash where the method has no such metric."""
    value = _rounded(metrics, key)
    if not math.isfinite(value):
        return "<td>–</td>"
    text = f"{value:.1f} %" if is_accuracy(key) else f"{value:.3f}"
    return f'<td class="best">{text}</td>' if value == best else f"<td>{text}</td>"


def _rounded(metrics: Mapping[str, float], key: str) -> float:
    """Return the metric as rounded for the reader, so that equal looks make equal ranks."""
    value = metrics.get(key, math.nan)
    if not math.isfinite(value):
        return -math.inf
    return round(100 * value, 1) if is_accuracy(key) else round(value, 3)


def _stage(method: str) -> str:
    """Return the empty frame that a script draws the map of a method into."""
    name = html.escape(f"Map of the embeddings of {method}. Arrow keys move, plus and minus zoom.")
    stage = f'<div class="stage" tabindex="0" role="application" aria-label="{name}">'
    return figure(method, f'{stage}\n<div class="tip" hidden></div>\n</div>')


def _arrays(one: EmbeddingMap) -> dict[str, npt.NDArray[np.generic]]:
    return {
        "points": one.points.astype("<f4"),
        "labels": one.labels.astype("<i4"),
        "clusters": one.clusters.astype("<i4"),
    }


def _curve_figures(curves: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """Return one figure per term, with a curve of each method that has it."""
    terms = dict.fromkeys(term for by_term in curves.values() for term in by_term)
    colors = {method: f"c{number % _CURVE_COLORS}" for number, method in enumerate(curves)}
    figures = []
    for term in terms:
        methods = [method for method in curves if term in curves[method]]
        series = [(f"curve {colors[method]}", curves[method][term]) for method in methods]
        key = [(colors[method], method) for method in methods]
        figures.append(figure(term, curve_chart(term, series), key))
    return figures

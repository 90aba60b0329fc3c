"""One self-contained HTML page that compares methods on one graph."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from string import Template

import numpy as np
import numpy.typing as npt
from plotly.offline import get_plotlyjs

from homogcl.core.files import write_atomically
from homogcl.pages.embedded import embedded_json

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]

_COLUMNS = {"test_accuracy": "Accuracy", "nmi": "NMI", "ari": "ARI"}
_PERCENT = {"test_accuracy"}


@dataclass(frozen=True)
class EmbeddingMap:
    """A method's embeddings laid out in the plane.

    Attributes:
        method: Name shown above the map.
        points: Position of each node, [N, 2].
        labels: Class of each node, [N].
        clusters: Cluster of each node, [N].
    """

    method: str
    points: Floats
    labels: Integers
    clusters: Integers

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise ValueError(f"points must be [N, 2], not {list(self.points.shape)}")
        for name, values in (("labels", self.labels), ("clusters", self.clusters)):
            if values.shape != (len(self.points),):
                raise ValueError(f"{name} must be [{len(self.points)}], not {list(values.shape)}")


@dataclass(frozen=True)
class SaliencyBins:
    """How often edges join two nodes of one class, by the saliency of the edge.

    Attributes:
        bounds: Rising limits of the bins, [B + 1].
        same_label: Share of edges with one label at both ends, [B]; ignored where a bin is empty.
        counts: Number of edges, [B].
    """

    bounds: Floats
    same_label: Floats
    counts: Integers

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        bins = len(self.bounds) - 1
        if bins < 1 or self.same_label.shape != (bins,) or self.counts.shape != (bins,):
            raise ValueError("saliency bins need B + 1 bounds, B shares and B counts")

    @property
    def overall(self) -> float:
        """Share of same-label edges over all bins; nan without edges."""
        filled = self.counts > 0
        edges = int(self.counts.sum())
        return float(self.same_label[filled] @ self.counts[filled]) / edges if edges else math.nan


@dataclass(frozen=True)
class Page:
    """Everything that the page shows.

    Attributes:
        title: Heading of the page.
        summary: A sentence or two below the heading.
        results: Metrics of each method, fractions: `test_accuracy`, `nmi`, `ari`.
        maps: One map a method, over the same nodes.
        saliency: Bins of the edges, where a method has weighed them.
        curves: For each method, the values of each named term, one an epoch.
        facts: Short facts about the run, shown as pairs: seed, number of nodes and so on.
    """

    title: str
    summary: str
    results: Mapping[str, Mapping[str, float]]
    maps: Sequence[EmbeddingMap] = ()
    saliency: SaliencyBins | None = None
    curves: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


def write_page(path: str | Path, page: Page) -> Path:
    """Write `page` as one HTML file that asks nothing of the network; return its path.

    The file appears whole or not at all.
    """
    return write_atomically(Path(path), render(page).encode())


def render(page: Page) -> str:
    """Return the HTML text of `page`."""
    template = resources.files("homogcl.pages").joinpath("page_template.html")
    return Template(template.read_text(encoding="utf-8")).substitute(
        title=html.escape(page.title),
        summary=html.escape(page.summary),
        facts=_facts(page.facts),
        table=_table(page.results),
        data=embedded_json(_figures(page)),
        plotly=get_plotlyjs(),
    )


def _facts(facts: Mapping[str, str]) -> str:
    """Return the facts as the inside of a definition list."""
    return "\n".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in facts.items()
    )


def _table(results: Mapping[str, Mapping[str, float]]) -> str:
    """Return the head and body of the table of results, the best of each column marked."""
    known = {key for metrics in results.values() for key in metrics}
    columns = [key for key in _COLUMNS if key in known]
    columns += sorted(known - set(columns))
    best = {key: max(_shown(metrics, key) for metrics in results.values()) for key in columns}
    head = "".join(f'<th scope="col">{html.escape(_COLUMNS.get(key, key))}</th>' for key in columns)
    rows = [f'<thead><tr><th scope="col">Method</th>{head}</tr></thead>', "<tbody>"]
    for method, metrics in results.items():
        cells = "".join(_cell(metrics, key, best[key]) for key in columns)
        rows.append(f'<tr><th scope="row">{html.escape(method)}</th>{cells}</tr>')
    return "\n".join([*rows, "</tbody>"])


def _cell(metrics: Mapping[str, float], key: str, best: float) -> str:
    """Return one cell of the table; a dash where the method has no such metric."""
    value = _shown(metrics, key)
    if not math.isfinite(value):
        return "<td>–</td>"
    text = f"{value:.1f} %" if key in _PERCENT else f"{value:.3f}"
    return f'<td class="best">{text}</td>' if value == best else f"<td>{text}</td>"


def _shown(metrics: Mapping[str, float], key: str) -> float:
    """Return the metric as rounded for the reader, so that equal looks make equal ranks."""
    value = metrics.get(key, math.nan)
    if not math.isfinite(value):
        return -math.inf
    return round(100 * value, 1) if key in _PERCENT else round(value, 3)


def _figures(page: Page) -> dict[str, object]:
    """Return the data of every figure as values that JSON can hold."""
    bins = page.saliency
    return {
        "maps": [
            {
                "method": one.method,
                "x": _numbers(one.points[:, 0], 4),
                "y": _numbers(one.points[:, 1], 4),
                "labels": one.labels.tolist(),
                "clusters": one.clusters.tolist(),
            }
            for one in page.maps
        ],
        "saliency": None
        if bins is None
        else {
            "bounds": _numbers(bins.bounds, 6),
            "share": _numbers(np.where(bins.counts > 0, bins.same_label, np.nan), 6),
            "counts": bins.counts.tolist(),
            "overall": _numbers([bins.overall], 6)[0],
        },
        "curves": {
            method: {term: _numbers(values, 6) for term, values in terms.items()}
            for method, terms in page.curves.items()
        },
    }


def _numbers(values: npt.ArrayLike, digits: int) -> list[float | None]:
    """Return `values` rounded, with None where JSON has no number."""
    rounded = np.round(np.asarray(values, dtype=np.float64), digits).tolist()
    return [value if math.isfinite(value) else None for value in rounded]

"""One self-contained HTML page to look around in the embeddings of one run."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from string import Template

import numpy as np
import numpy.typing as npt

from homogcl.pages.charts import SaliencyHistogram, agreement_chart, counts_chart, curve_chart
from homogcl.pages.embedded import embedded_json

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]

_SCRIPTS = ("scatter.js", "js", "search.js")  # in the order in which they rely on each other


@dataclass(frozen=True)
class Nodes:
    """What the map shows of each node.

    Attributes:
        ids: What it is called, [N].
        points: Where it lies, [N, 2].
        clusters: Its cluster, [N].
        degrees: Its number of neighbors, [N].
        labels: Its class, -1 if unknown, [N]; None if no node has one.
        class_names: What the classes are called.
    """

    ids: Sequence[str]
    points: Floats
    clusters: Integers
    degrees: Integers
    labels: Integers | None = None
    class_names: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.points.shape != (len(self.ids), 2):
            raise ValueError(f"points must be [{len(self.ids)}, 2], not {list(self.points.shape)}")
        given = {"clusters": self.clusters, "degrees": self.degrees, "labels": self.labels}
        for name, values in given.items():
            if values is not None and values.shape != (len(self.ids),):
                raise ValueError(f"{name} must be [{len(self.ids)}], not {list(values.shape)}")
        if self.labels is not None and self.labels.max(initial=-1) >= len(self.class_names):
            raise ValueError(f"label {self.labels.max()} has no class name")


@dataclass(frozen=True)
class Edges:
    """The edges of each node, most salient first, one node after another.

    Attributes:
        offsets: Where each node's edges begin, and the end of all, [N + 1].
        targets: The node at the other end, [E].
        saliency: S, between 0 and 1, [E].
    """

    offsets: Integers
    targets: Integers
    saliency: Floats

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.targets.shape != self.saliency.shape or int(self.offsets[-1]) != len(self.targets):
            raise ValueError("edges need one target and one saliency each, up to the last offset")


@dataclass(frozen=True)
class Nearest:
    """The nodes nearest to each one, nearest first: their numbers and cosines, [N, k]."""

    indices: Integers
    cosines: Floats

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.indices.ndim != 2 or self.indices.shape != self.cosines.shape:
            raise ValueError("nearest nodes need indices and cosines of one shape [N, k]")


@dataclass(frozen=True)
class Explorer:
    """Everything that the page shows.

    Attributes:
        title: Heading of the page.
        nodes: The points of the map.
        edges: The neighbors of each node.
        nearest: The most similar nodes of each node.
        histogram: Edges by saliency.
        curves: Each term of the loss by epoch.
        facts: Short facts about the run and its graph.
        settings: The settings of the run.
        notes: How map, clusters and saliency came about, a sentence each.
    """

    title: str
    nodes: Nodes
    edges: Edges
    nearest: Nearest
    histogram: SaliencyHistogram
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse parts of graphs of different sizes."""
        nodes = len(self.nodes.ids)
        if len(self.edges.offsets) != nodes + 1 or len(self.nearest.indices) != nodes:
            raise ValueError(f"edges and nearest nodes must be those of {nodes} nodes")


def render(explorer: Explorer) -> str:
    """Return the page as HTML text that asks nothing of the network.

    Scripts and styles run by their hashes, so that nothing else on the page ever can.
    """
    style, scripts = _part("css"), [_part(name) for name in _SCRIPTS]
    return Template(_part("html")).substitute(
        policy=_policy(scripts, style),
        style=style,
        title=html.escape(explorer.title),
        facts=_pairs(explorer.facts),
        notes="\n".join(f"<li>{html.escape(note)}</li>" for note in explorer.notes),
        saliency=_saliency(explorer.histogram),
        curves="\n".join(_curve(name, values) for name, values in explorer.curves.items()),
        settings=_pairs(explorer.settings),
        names=embedded_json(_names(explorer.nodes)),
        arrays="\n".join(_array(name, values) for name, values in _arrays(explorer).items()),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _part(ending: str) -> str:
    """Return a file that the page is made of."""
    return resources.files("homogcl.pages").joinpath(f"explore.{ending}").read_text("utf-8")


def _policy(scripts: Iterable[str], style: str) -> str:
    """Return the content security policy: nothing is loaded, and only these scripts run."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_source, scripts))}",
            f"style-src {_source(style)}",
            "img-src data:",  # the empty icon, without which a browser asks a server for one
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _pairs(values: Mapping[str, str]) -> str:
    """Return the inside of a definition list."""
    return "\n".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in values.items()
    )


def _saliency(bins: SaliencyHistogram) -> str:
    """Return the figures of saliency: counts, and where there are labels, agreement."""
    figures = [("Edges by saliency (logarithmic)", counts_chart(bins))]
    if bins.labeled.sum():
        figures.append(("Share of edges within one class", agreement_chart(bins)))
    return "\n".join(f"<figure><h3>{title}</h3>\n{chart}\n</figure>" for title, chart in figures)


def _curve(name: str, values: Sequence[float]) -> str:
    return f"<figure><h3>{html.escape(name)}</h3>\n{curve_chart(name, values)}\n</figure>"


def _names(nodes: Nodes) -> dict[str, object]:
    """Return the names on the map; ids that are just numbers need no list."""
    numbered = all(name == str(number) for number, name in enumerate(nodes.ids))
    return {
        "ids": None if numbered else list(nodes.ids),
        "classes": list(nodes.class_names),
        "labeled": nodes.labels is not None,
    }


def _arrays(explorer: Explorer) -> dict[str, npt.NDArray[np.generic]]:
    """Return what scripts read, each in the smallest type that shows it as exactly as needed."""
    nodes, edges, near = explorer.nodes, explorer.edges, explorer.nearest
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "points": nodes.points.astype("<f4"),
        "clusters": nodes.clusters.astype("<i4"),
        "degrees": nodes.degrees.astype("<u4"),
        "offsets": edges.offsets.astype("<u4"),
        "targets": edges.targets.astype("<u4"),
        "saliency": np.round(np.clip(edges.saliency, 0, 1) * 65535).astype("<u2"),
        "nearest": near.indices.astype("<u4"),
        "cosines": np.round(np.clip(near.cosines, -1, 1) * 32767).astype("<i2"),
    }
    return arrays if nodes.labels is None else {**arrays, "labels": nodes.labels.astype("<i4")}


_KINDS = {"f4": "Float32", "i4": "Int32", "u4": "Uint32", "u2": "Uint16", "i2": "Int16"}


def _array(name: str, values: npt.NDArray[np.generic]) -> str:
    """Return an array as a block of data that no browser runs."""
    kind, text = _KINDS[values.dtype.str[1:]], base64.b64encode(values.tobytes()).decode()
    return f'<script type="text/plain" id="array-{name}" data-kind="{kind}">{text}</script>'

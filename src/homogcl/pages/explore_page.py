"""One self-contained HTML page to look around in the embeddings of one run."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from homogcl.pages.charts import Floats, Integers, SaliencyHistogram, curve_chart
from homogcl.pages.parts import array_block, figure, fill_page, json_block, pairs, saliency_figures


@dataclass(frozen=True)
class Nodes:
    """What the map shows of each node."""

    ids: Sequence[str]  # what it is called, [N]
    points: Floats  # where it lies, [N, 2]
    clusters: Integers  # its cluster, [N]
    degrees: Integers  # its number of neighbors, [N]
    labels: Integers | None = None  # its class, -1 if unknown, [N]; None if no node has one
    class_names: Sequence[str] = ()  # what the classes are called

    def __post_init__(self) -> None:
        if self.points.shape != (len(self.ids), 2):
            raise ValueError(f"points must be [{len(self.ids)}, 2], not {list(self.points.shape)}")
        arrays = {"clusters": self.clusters, "degrees": self.degrees, "labels": self.labels}
        for name, values in arrays.items():
            if values is not None and values.shape != (len(self.ids),):
                raise ValueError(f"{name} must be [{len(self.ids)}], not {list(values.shape)}")
        if self.labels is not None and self.labels.max(initial=-1) >= len(self.class_names):
            raise ValueError(f"label {self.labels.max()} has no class name")


@dataclass(frozen=True)
class Edges:
    """The edges of each node, most salient first, one node after another."""

    offsets: Integers  # where each node's edges begin, and the end of all, [N + 1]
    targets: Integers  # the node at the other end, [E]
    saliency: Floats  # S, between 0 and 1, [E]

    def __post_init__(self) -> None:
        if self.targets.shape != self.saliency.shape or int(self.offsets[-1]) != len(self.targets):
            raise ValueError("edges need one target and one saliency each, up to the last offset")


@dataclass(frozen=True)
class Nearest:
    """The nodes nearest to each one, nearest first: their numbers and cosines, [N, k]."""

    indices: Integers
    cosines: Floats

    def __post_init__(self) -> None:
        if self.indices.ndim != 2 or self.indices.shape != self.cosines.shape:
            raise ValueError("nearest nodes need indices and cosines of one shape [N, k]")


@dataclass(frozen=True)
class Explorer:
    """Everything that the page shows."""

    title: str  # heading of the page
    nodes: Nodes  # the points of the map
    edges: Edges  # the neighbors of each node
    nearest: Nearest  # the most similar nodes of each node
    histogram: SaliencyHistogram  # edges by saliency
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)  # terms by epoch
    facts: Mapping[str, str] = field(default_factory=dict)  # of run and graph
    settings: Mapping[str, str] = field(default_factory=dict)  # of the run
    notes: Sequence[str] = ()  # how map, clusters and saliency came about, one sentence each

    def __post_init__(self) -> None:
        nodes = len(self.nodes.ids)
        if len(self.edges.offsets) != nodes + 1 or len(self.nearest.indices) != nodes:
            raise ValueError(f"edges and nearest nodes must be those of {nodes} nodes")


def render(explorer: Explorer) -> str:
    """Return the page as HTML text that asks nothing of the network."""
    values = {
        "title": html.escape(explorer.title),
        "facts": pairs(explorer.facts),
        "notes": "\n".join(f"<li>{html.escape(note)}</li>" for note in explorer.notes),
        "saliency": saliency_figures(explorer.histogram),
        "curves": "\n".join(
            figure(name, curve_chart(name, [("curve", values)]))
            for name, values in explorer.curves.items()
        ),
        "settings": pairs(explorer.settings),
    }
    blocks = [json_block("names", _names(explorer.nodes))]
    blocks += [array_block(name, array) for name, array in _arrays(explorer).items()]
    return fill_page("explore", values, blocks, ["explore", "search"])


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

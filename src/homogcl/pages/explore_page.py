"""One self-contained HTML page to look around in the embeddings of one run."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homogcl.core.files import write_atomically
from homogcl.pages.charts import Floats, Integers, SaliencyHistogram, curve_chart
from homogcl.pages.parts import (
    array_block,
    figure,
    fill_page,
    json_block,
    pairs,
    saliency_figures,
    sentences,
)

# Each relies on those before it.
_SCRIPTS = ("selection", "coloring", "search", "edges", "panel", "export", "explore")


@dataclass(frozen=True)
class Nodes:
    """What the map shows of each node."""

    ids: Sequence[str]  # what it is called, [N]
    points: Floats  # where it lies, [N, 2]
    clusters: Integers  # its cluster, [N]
    degrees: Integers  # its number of neighbors, [N]
    labels: Integers | None = None  # its class, -1 if unknown, [N]; None if no node has one
    class_names: Sequence[str] = ()  # what the classes are called
    saliency: Floats | None = None  # the mean of its edges, nan without any, [N]

    def __post_init__(self) -> None:
        if self.points.shape != (len(self.ids), 2):
            raise ValueError(f"points must be [{len(self.ids)}, 2], not {list(self.points.shape)}")
        arrays = {
            "clusters": self.clusters,
            "degrees": self.degrees,
            "labels": self.labels,
            "saliency": self.saliency,
        }
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
class LowestEdges:
    """The edges to doubt first, each once, lowest saliency first."""

    source: Integers  # [L]
    target: Integers  # [L]
    saliency: Floats  # [L]

    def __post_init__(self) -> None:
        if not self.source.shape == self.target.shape == self.saliency.shape:
            raise ValueError("edges need two ends and a saliency each")


@dataclass(frozen=True)
class Features:
    """Columns of numbers that nodes can be colored by, one column after another.

    Entries that are not listed have the usual value of their column.
    """

    names: Sequence[str]  # of the columns, [F]
    total: int  # columns that the graph has
    rest: Floats  # the usual value, [F]
    low: Floats  # the least value, [F]
    high: Floats  # the largest value, [F]
    offsets: Integers  # where each column's entries begin, and the end of all, [F + 1]
    nodes: Integers  # the node of each entry, [entries]
    levels: Floats  # its value, as a whole number from 0 (low) to 255 (high), [entries]

    def __post_init__(self) -> None:
        ends = {len(self.names), len(self.rest), len(self.low), len(self.high)}
        if ends != {len(self.offsets) - 1}:
            raise ValueError("features need one name, usual, least and largest value each")
        if not len(self.nodes) == len(self.levels) == int(self.offsets[-1]):
            raise ValueError("entries need a node and a level each, up to the last offset")


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
    lowest: LowestEdges  # the edges to doubt first
    features: Features | None = None  # that nodes can be colored by
    scores: Mapping[str, str] = field(default_factory=dict)  # of the embeddings
    advice: Sequence[str] = ()  # on the graph, one sentence each
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)  # terms by epoch
    facts: Mapping[str, str] = field(default_factory=dict)  # of run and graph
    settings: Mapping[str, str] = field(default_factory=dict)  # of the run
    notes: Sequence[str] = ()  # how map, clusters and saliency came about, one sentence each

    def __post_init__(self) -> None:
        nodes = len(self.nodes.ids)
        if len(self.edges.offsets) != nodes + 1 or len(self.nearest.indices) != nodes:
            raise ValueError(f"edges and nearest nodes must be those of {nodes} nodes")


def write_page(path: Path, explorer: Explorer) -> Path:
    """Write the page, whole or not at all, and return its path."""
    return write_atomically(path, render(explorer).encode())


def render(explorer: Explorer) -> str:
    """Return the page as HTML text that asks nothing of the network."""
    values = {
        "title": html.escape(explorer.title),
        "facts": pairs(explorer.facts),
        "scores": pairs(explorer.scores),
        "advice": sentences(explorer.advice),
        "notes": sentences(explorer.notes),
        "saliency": saliency_figures(explorer.histogram),
        "curves": "\n".join(
            figure(name, curve_chart(name, [("curve", values)]))
            for name, values in explorer.curves.items()
        ),
        "settings": pairs(explorer.settings),
    }
    blocks = [json_block("names", _names(explorer))]
    blocks += [array_block(name, array) for name, array in _arrays(explorer).items()]
    return fill_page("explore", values, blocks, _SCRIPTS)


def _names(explorer: Explorer) -> dict[str, object]:
    """Return the names on the map; ids that are just numbers need no list."""
    nodes, features = explorer.nodes, explorer.features
    numbered = all(name == str(number) for number, name in enumerate(nodes.ids))
    return {
        "ids": None if numbered else list(nodes.ids),
        "classes": list(nodes.class_names),
        "features": [] if features is None else list(features.names),
    }


def _arrays(explorer: Explorer) -> dict[str, npt.NDArray[np.generic]]:
    """Return what scripts read, each in the smallest type that shows it as exactly as needed."""
    nodes, edges, near = explorer.nodes, explorer.edges, explorer.nearest
    lowest, features = explorer.lowest, explorer.features
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "points": nodes.points.astype("<f4"),
        "clusters": nodes.clusters.astype("<i4"),
        "degrees": nodes.degrees.astype("<u4"),
        "offsets": edges.offsets.astype("<u4"),
        "targets": edges.targets.astype("<u4"),
        "saliency": _parts(edges.saliency, 0, 65535).astype("<u2"),
        "nearest": near.indices.astype("<u4"),
        "cosines": _parts(near.cosines, -1, 32767).astype("<i2"),
        "lowest-ends": np.stack([lowest.source, lowest.target], axis=1).astype("<u4"),
        "lowest-saliency": _parts(lowest.saliency, 0, 65535).astype("<u2"),
    }
    if nodes.labels is not None:
        arrays["labels"] = nodes.labels.astype("<i4")
    if nodes.saliency is not None:
        arrays["mean-saliency"] = nodes.saliency.astype("<f4")
    if features is not None:
        ranges = np.stack([features.rest, features.low, features.high], axis=1)
        arrays["feature-ranges"] = ranges.astype("<f4")
        arrays["feature-offsets"] = features.offsets.astype("<u4")
        arrays["feature-nodes"] = features.nodes.astype("<u4")
        arrays["feature-levels"] = features.levels.astype("|u1")
    return arrays


def _parts(values: Floats, low: int, most: int) -> Floats:
    """Return values from `low` to 1 as whole multiples of 1 / `most`."""
    return np.round(np.clip(values, low, 1) * most)

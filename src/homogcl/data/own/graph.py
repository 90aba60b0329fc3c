"""A user's own graph, from files to the form that every method and evaluation takes."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.edges import undirected
from homogcl.data.features import compact
from homogcl.data.own.files import (
    NETWORKS,
    GraphFiles,
    description,
    graph_files,
    open_network,
    open_table,
)
from homogcl.data.own.nodes import Nodes, positions, read_nodes, whole_numbers
from homogcl.data.own.saved import SAVED, read_saved, saved_ids
from homogcl.data.own.tables import DELIMITERS, TableFile, arrow, ending, pick
from homogcl.data.structural import structural_features
from homogcl.data.summary import GraphSummary, summarize


@dataclass(frozen=True)
class OwnGraph:
    """A graph from files, with its nodes' ids in node order."""

    data: Data
    ids: list[str] | list[int]
    summary: GraphSummary  # of the files' edges, before they were merged, and of the graph
    classes: tuple[str, ...]  # the labels as they stand in the file, in the order of `data.y`
    files: tuple[Path, ...]  # what was read
    feature_names: tuple[str, ...] = ()  # the columns of features, where they have names

    def graph(self) -> Data:
        """Return a copy of `data` that carries the names and whether its features are structural.

        These are `ids`, `class_names`, `feature_names` and `structural`.
        """
        graph = copy.copy(self.data)
        graph.ids, graph.class_names = self.ids, list(self.classes)
        graph.feature_names, graph.structural = list(self.feature_names), self.summary.structural
        return graph


def read_own(path: str | Path, *, seed: int = 0, **settings: object) -> OwnGraph:
    """Return the graph that a user's files describe.

    Nodes come in the order of the file that lists them (of nodes, else of features); where there
    is none, they are the edges' ends, sorted. Edges are taken both ways, repeated ones merged
    (weights to their mean), self-loops dropped. `data.y` is -1 where a node has no label. Where
    there are no features, `structural_features` makes some.

    Args:
        path: A folder with a `graph.toml`, or a file of edges: CSV, TSV or edge list (each also
            gzipped), Parquet, GraphML or GEXF; or a `Data` that `torch.save` wrote.
        seed: Root seed of features made of the edges.
        **settings: What `graph.toml` could say: `source`, `target`, `weight`, `nodes`, `id`,
            `features`, `label`, `split`; these prevail over the file.
    """
    place = Path(path).expanduser()
    content = _saved(place, settings) if ending(place) in SAVED else _written(place, settings)
    data = _graph(content, seed)
    nodes = content.nodes
    summary = summarize(data, content.pairs, structural=nodes.x is None)
    return OwnGraph(data, content.ids, summary, nodes.classes, content.files, nodes.feature_names)


@dataclass(frozen=True)
class _Content:
    """The content of the files, before edges are merged."""

    pairs: npt.NDArray[np.int64]  # the rows of edges as numbers of nodes, [2, rows]
    weight: Tensor | None  # [rows]
    nodes: Nodes
    ids: list[str] | list[int]
    files: tuple[Path, ...]


def _written(place: Path, settings: Mapping[str, object]) -> _Content:
    files = graph_files(place, settings)
    edges, listed = _tables(files)
    names = [pick(edges, files.source, 0, "source"), pick(edges, files.target, 1, "target")]
    ends = edges.text(names)
    _check_header(edges, names, ends)
    nodes = read_nodes(files, listed, ends)
    if len(nodes.ids) == 0:
        raise UserError(f"{files.edges}: has no edges, and no file lists the nodes")
    pairs = np.stack([_numbered(edges, n, end, nodes) for n, end in zip(names, ends, strict=True)])
    weight = None if files.weight is None else _weights(edges, files.weight)
    whole = whole_numbers(nodes.ids)
    ids = (nodes.ids if whole is None else whole).to_pylist()
    toml = description(place)
    return _Content(pairs, weight, nodes, ids, (*([toml] if toml else []), *files.paths()))


def _check_header(edges: TableFile, names: Sequence[str], ends: Sequence[Any]) -> None:
    """Refuse a file whose first line seems to be an edge that was taken for the names."""
    compute = arrow().compute
    for name in names if ending(edges.path) in DELIMITERS else []:
        if any(compute.index(end, name).as_py() >= 0 for end in ends):
            raise UserError(
                f"{edges.path} line 1: {name!r} is also a node, so the file seems to lack the line "
                "of column names; add one, or let the file's name end in .edges"
            )


def _saved(place: Path, settings: Mapping[str, object]) -> _Content:
    for key in settings:
        raise UserError(f"{place}: holds a whole graph; leave out {key}")
    graph = read_saved(place)
    ids = saved_ids(graph, place)
    weight = graph.get("edge_weight")
    if weight is not None and bool((weight <= 0).any()):
        edge = int((weight <= 0).nonzero()[0])
        raise UserError(f"{place}: the weight of edge {edge} is not above 0")
    labels = graph.get("y")
    classes = 0 if labels is None or not labels.numel() else int(labels.max()) + 1
    nodes = Nodes(
        ids,
        graph.x if graph.num_features else None,
        labels,
        tuple(map(str, range(classes))),
        {key: graph[key] for key in MASKS if key in graph},
        str(place),
    )
    pairs = graph.edge_index.numpy()
    return _Content(pairs, None if weight is None else weight.double(), nodes, ids, (place,))


def _tables(files: GraphFiles) -> tuple[TableFile, TableFile | None]:
    if ending(files.edges) not in NETWORKS:
        edges = open_table(files.edges, names_optional=True)
        return edges, open_table(files.nodes) if files.nodes else None
    if files.nodes:
        raise UserError(f"{files.edges}: lists its nodes itself; leave out nodes = {files.nodes}")
    return open_network(files.edges)


def _numbered(edges: TableFile, column: str, ids: Any, nodes: Nodes) -> npt.NDArray[np.int64]:
    pa = arrow()
    empty = pa.compute.index(ids, "").as_py()
    if empty >= 0:
        raise UserError(f"{edges.where(empty, column)}: the id is empty")
    numbers, missing = positions(ids, nodes.ids)
    if missing >= 0:
        raise UserError(
            f"{edges.where(missing, column)}: the node {ids[missing].as_py()!r} is not in "
            f"{nodes.listed_in}"
        )
    return numbers


def _weights(edges: TableFile, column: str) -> Tensor:
    name = pick(edges, column, 2, "weight")
    weight = edges.numbers([name])[:, 0]
    low = np.flatnonzero(weight <= 0)
    if len(low):
        value = weight[low[0]]
        raise UserError(f"{edges.where(int(low[0]), name)}: the weight {value:g} is not above 0")
    return torch.from_numpy(weight)


def _graph(content: _Content, seed: int) -> Data:
    nodes, size = content.nodes, len(content.nodes.ids)
    edge_index, edge_weight = undirected(torch.from_numpy(content.pairs), size, content.weight)
    x = nodes.x
    if x is None:
        x = structural_features(edge_index, size, seed=seed, edge_weight=edge_weight)
    data = Data(x=compact(x), edge_index=edge_index)
    if edge_weight is not None:
        data.edge_weight = edge_weight.to(torch.float32)
    if nodes.y is not None:
        data.y = nodes.y
    for key, mask in nodes.masks.items():
        data[key] = mask
    return data

"""A user's own graph, from files to the form that every method and evaluation takes."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.columns import Column
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
from homogcl.data.own.ids import positions, some, whole_numbers
from homogcl.data.own.nodes import Ends, Nodes, read_nodes
from homogcl.data.own.saved import SAVED, read_saved, saved_ids
from homogcl.data.own.tables import DELIMITERS, TableFile, arrow, ending, pick
from homogcl.data.recipe import Recipe
from homogcl.data.structural import structural_features
from homogcl.data.summary import GraphSummary, summarize


@dataclass(frozen=True)
class OwnGraph:
    """A graph from files or tables, with its nodes' ids in node order."""

    data: Data
    ids: list[Any]
    summary: GraphSummary  # of the edges as listed, before they were merged, and of the graph
    classes: tuple[str, ...]  # the labels as they stand in the file, in the order of `data.y`
    files: tuple[Path, ...]  # what was read
    feature_names: tuple[str, ...] = ()  # the columns of features, where they have names
    columns: tuple[Column, ...] = ()  # how the columns of a table became features
    notes: tuple[str, ...] = ()  # on what was missing

    def graph(self) -> Data:
        """Return a copy of `data` that carries the names and whether its features are structural.

        These are `ids`, `class_names`, `feature_names`, `structural`, `columns` and `report`.
        """
        graph = copy.copy(self.data)
        graph.ids, graph.class_names = self.ids, list(self.classes)
        graph.feature_names, graph.structural = list(self.feature_names), self.summary.structural
        graph.columns, graph.report = self.columns, "; ".join([str(self.summary), *self.notes])
        return graph


def read_own(
    path: str | Path, *, seed: int = 0, recipe: Recipe | None = None, **settings: object
) -> OwnGraph:
    """Return the graph that a user's files describe.

    Nodes come in the order of the file that lists them (of nodes, else of features); where there
    is none, they are the edges' ends, sorted. Edges are taken both ways, repeated ones merged
    (weights to their mean), self-loops dropped. `data.y` is -1 where a node has no label. Columns
    of features become numbers by their kind, which `columns` tells; nothing is scaled yet. Where
    there are no features, `structural_features` makes some.

    Args:
        path: A folder with a `graph.toml`, or a file of edges: CSV, TSV or edge list (each also
            gzipped), Parquet, GraphML or GEXF; or a `Data` that `torch.save` wrote.
        seed: Root seed of features made of the edges.
        recipe: How columns became numbers in training, where this is another graph for the same
            method.
        **settings: What `graph.toml` could say: `source`, `target`, `weight`, `nodes`, `id`,
            `features`, `label`, `split`, `kinds`, `missing`; these prevail over the file.
    """
    place = Path(path).expanduser()
    if ending(place) in SAVED:
        return own_graph(_saved(place, settings), seed)
    files = graph_files(place, settings)
    content = content_of(files, *_tables(files), recipe)
    toml = description(place)
    return own_graph(replace(content, files=(*([toml] if toml else []), *files.paths())), seed)


@dataclass(frozen=True)
class Content:
    """A graph as it is listed, before edges are merged."""

    pairs: npt.NDArray[np.int64]  # the rows of edges as numbers of nodes, [2, rows]
    weight: Tensor | None  # [rows]
    nodes: Nodes
    ids: list[Any]
    files: tuple[Path, ...] = ()


def own_graph(content: Content, seed: int) -> OwnGraph:
    """Return the graph of what is listed, with features made of the edges if it has none."""
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
    summary = summarize(data, content.pairs, structural=nodes.x is None)
    names = nodes.feature_names
    return OwnGraph(
        data, content.ids, summary, nodes.classes, content.files, names, nodes.columns, nodes.notes
    )


def content_of(
    files: GraphFiles, edges: TableFile, listed: TableFile | None, recipe: Recipe | None
) -> Content:
    """Return what a table of edges and perhaps one of nodes list.

    Args:
        files: Which columns are what, and what becomes of what is missing.
        edges: The table of edges.
        listed: The table of nodes.
        recipe: How columns became numbers in training.
    """
    names = (pick(edges, files.source, 0, "source"), pick(edges, files.target, 1, "target"))
    source, target = edges.text(names)
    ends = Ends(edges, names, (source, target))
    _check_ends(ends)
    nodes = read_nodes(files, listed, ends, () if recipe is None else recipe.columns)
    if len(nodes.ids) == 0:
        raise UserError(f"{files.edges}: has no edges, and no file lists the nodes")
    pairs = np.stack([positions(column, nodes.ids) for column in ends.columns])
    weight = None if files.weight is None else _weights(edges, files.weight)
    joins = (pairs >= 0).all(axis=0)
    if not joins.all():
        note = f"{int((~joins).sum()):,} edges of nodes that are not there dropped"
        nodes = replace(nodes, notes=(*nodes.notes, note))
        pairs, weight = pairs[:, joins], None if weight is None else weight[torch.from_numpy(joins)]
    beside = unused_columns(files, names, edges.names, None if listed is None else listed.names)
    nodes = replace(nodes, notes=(*nodes.notes, *beside))
    numbers = whole_numbers(nodes.ids)
    return Content(pairs, weight, nodes, (nodes.ids if numbers is None else numbers).to_pylist())


def unused_columns(
    files: GraphFiles, ends: tuple[str, str], edges: Sequence[str], nodes: Sequence[str] | None
) -> list[str]:
    """Return a sentence on the columns of each table that no setting names, with the setting.

    Args:
        files: Which columns are what.
        ends: The columns of an edge's ends.
        edges: All columns of the table of edges.
        nodes: All columns of the table of nodes.
    """
    notes = []
    beside = [name for name in edges if name and name not in (*ends, files.weight)]
    if beside and files.weight is None:
        notes.append(f"edges: {some(beside)} not used (--weight takes one)")
    if nodes is not None and files.features is None:
        named = [name for name in nodes if name]
        used = {files.id or named[0], files.label, files.split}
        beside = [name for name in named if name not in used]
        if beside:
            notes.append(f"nodes: {some(beside)} not used (--features takes them)")
    return notes


def _check_ends(ends: Ends) -> None:
    """Refuse empty ids, and a first line that seems to be an edge and was taken for the names."""
    edges, compute = ends.table, arrow().compute
    for name in ends.names if ending(edges.path) in DELIMITERS else ():
        if any(compute.index(column, name).as_py() >= 0 for column in ends.columns):
            raise UserError(
                f"{edges.path} line 1: {name!r} is also a node, so the file seems to lack the line "
                "of column names; add one, or let the file's name end in .edges"
            )
    for name, column in zip(ends.names, ends.columns, strict=True):
        empty = compute.index(column, "").as_py()
        if empty >= 0:
            raise UserError(f"{edges.where(empty, name)}: the id is empty")


def _saved(place: Path, settings: Mapping[str, object]) -> Content:
    for key in settings:
        raise UserError(f"{place}: holds a whole graph; leave out {key}")
    graph = read_saved(place)
    weight = graph.get("edge_weight")
    if weight is not None and bool((weight <= 0).any()):
        edge = int((weight <= 0).nonzero()[0])
        raise UserError(f"{place}: the weight of edge {edge} is not above 0")
    labels = graph.get("y")
    classes = 0 if labels is None or not labels.numel() else int(labels.max()) + 1
    ids = saved_ids(graph, place)
    nodes = Nodes(
        ids,
        graph.x if graph.num_features else None,
        labels,
        tuple(map(str, range(classes))),
        {key: graph[key] for key in MASKS if key in graph},
    )
    pairs = graph.edge_index.numpy()
    return Content(pairs, None if weight is None else weight.double(), nodes, ids, (place,))


def _tables(files: GraphFiles) -> tuple[TableFile, TableFile | None]:
    if ending(files.edges) not in NETWORKS:
        edges = open_table(files.edges, names_optional=True)
        return edges, open_table(files.nodes) if files.nodes else None
    if files.nodes:
        raise UserError(f"{files.edges}: lists its nodes itself; leave out nodes = {files.nodes}")
    return open_network(files.edges)


def _weights(edges: TableFile, column: str) -> Tensor:
    name = pick(edges, column, 2, "weight")
    weight = edges.numbers([name])[:, 0]
    low = np.flatnonzero(weight <= 0)
    if len(low):
        value = weight[low[0]]
        raise UserError(f"{edges.where(int(low[0]), name)}: the weight {value:g} is not above 0")
    return torch.from_numpy(weight)

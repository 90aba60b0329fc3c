"""The files of a user's own graph: their names and columns, and each one as a table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from homogcl.core.config import Config
from homogcl.core.errors import UserError, first_line, nearest
from homogcl.core.extras import optional
from homogcl.data.own.tables import (
    DELIMITERS,
    LISTS,
    MemoryTable,
    TableFile,
    arrow,
    ending,
    text_table,
)

TOML = "graph.toml"
PARQUET = (".parquet", ".pq")
NETWORKS = (".graphml", ".gexf")  # nodes and edges in one file

# What a column of features holds.
Kind = Literal["number", "boolean", "date", "category", "text"]
# Refuse it; leave out the nodes and edges that lack something; or take the usual value for it.
Missing = Literal["error", "drop", "fill"]


class GraphFiles(Config):
    """Which files and columns make a graph, as `graph.toml` has it."""

    edges: Path  # file of edges
    source: str | None = None  # column of the edges' one end; by default the first
    target: str | None = None  # column of the other end; by default the second
    weight: str | None = None  # column of the edges' weights; by default edges have none
    nodes: Path | None = None  # file of nodes, in the order that the graph is to have
    id: str | None = None  # column of the nodes' ids; by default the first
    features: Path | list[str] | None = None  # file of features, or columns of the file of nodes
    label: str | None = None  # column of labels in the file of nodes
    split: str | None = None  # column of the file of nodes that says train, val, test or nothing
    kinds: dict[str, Kind] = Field(default={})  # what columns of features are; else a look
    missing: Missing = "error"  # what becomes of cells and rows that are missing

    def paths(self) -> list[Path]:
        """Return the files that are named, each once."""
        features = None if isinstance(self.features, list) else self.features
        return list(dict.fromkeys(p for p in (self.edges, self.nodes, features) if p))


def graph_files(path: Path, settings: Mapping[str, object]) -> GraphFiles:
    """Return the files of the graph at `path`, with paths that start where `path` does.

    It is a folder with a `graph.toml`, that file itself, or a file of edges; `settings` prevail.
    """
    toml = description(path)
    if toml is not None:
        values = {**_toml(toml), **settings}
    elif path.exists():
        values = {**settings, "edges": path.name}
    else:
        raise UserError(f"{path}: there is no such file or folder")
    files = validated_files(values, str(toml or path))
    folder = path if path.is_dir() else path.parent
    features = files.features
    return files.model_copy(
        update={
            "edges": folder / files.edges,
            "nodes": folder / files.nodes if files.nodes else None,
            "features": folder / features if isinstance(features, Path) else features,
        }
    )


def validated_files(values: Mapping[str, object], origin: str) -> GraphFiles:
    """Return settings as one value; refuse unknown and bad ones in a line that names `origin`."""
    for key in values:
        if key not in GraphFiles.model_fields:
            raise UserError(f"{origin}: no setting {key!r}{nearest(key, GraphFiles.model_fields)}")
    if "edges" not in values:
        raise UserError(f'{origin}: names no edges; write a line such as edges = "edges.csv"')
    try:
        return GraphFiles.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(
            f"{origin}: {first['loc'][0]} = {first['input']!r}: {first['msg'].lower()}"
        ) from None


def description(path: Path) -> Path | None:
    """Return the `graph.toml` that `path` stands for, or None if it is a file of edges."""
    if path.is_dir():
        return path / TOML
    return path if path.name == TOML else None


def open_table(path: Path, *, names_optional: bool = False) -> TableFile:
    """Return the table in a file: Parquet, or CSV, TSV or edge list, each also gzipped.

    With `names_optional`, a first line of nothing but numbers is a row, not the names.
    """
    if not path.is_file():
        raise UserError(f"{path}: there is no such file")
    form = ending(path)
    if form in PARQUET:
        return _parquet(path)
    if form not in DELIMITERS and form not in LISTS:
        endings = [*DELIMITERS, *LISTS, *PARQUET, *NETWORKS]
        raise UserError(f"{path}: unknown kind of file{nearest(form, endings)}")
    return text_table(path, names_optional=names_optional)


def open_network(path: Path) -> tuple[TableFile, TableFile]:
    """Return the edges (source, target and attributes) and the nodes (id and attributes)."""
    problem = f"{path}: {ending(path)} needs networkx: pip install 'homogcl[tables]'"
    networkx = optional("networkx", problem)
    read = networkx.read_graphml if ending(path) == ".graphml" else networkx.read_gexf
    try:
        network = read(path)
    except Exception as error:
        # A damaged file may raise anything, such as an error about an unknown encoding.
        raise UserError(f"{path}: {first_line(error)}") from None
    edges = [{"source": s, "target": t} | data for s, t, data in network.edges(data=True)]
    nodes = [{"id": node} | data for node, data in network.nodes(data=True)]
    return (
        MemoryTable(path, _columns(edges, ("source", "target")), "edge"),
        MemoryTable(path, _columns(nodes, ("id",)), "node"),
    )


def _columns(rows: list[dict[str, Any]], always: tuple[str, ...]) -> dict[str, Any]:
    pa = arrow()
    names = dict.fromkeys([*always, *(name for row in rows for name in row)])
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values, from_pandas=True)
        except pa.ArrowException:
            columns[name] = pa.array([None if v is None else str(v) for v in values], pa.string())
    return columns


def _parquet(path: Path) -> TableFile:
    pa = arrow()
    try:
        table = pa.parquet.read_table(path)
        # Text that is no UTF-8, or lengths that lead outside, would otherwise show much later.
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path}: is no Parquet file: {first_line(error)}") from None
    return MemoryTable(path, {name: table.column(name) for name in table.column_names})


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(
            f'{path}: is missing; write one with at least a line such as edges = "edges.csv"'
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None

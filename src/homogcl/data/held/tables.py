"""Tables of pandas and polars: edges, and perhaps nodes with features, labels and a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.own.files import GraphFiles, Kind, Missing, validated_files
from homogcl.data.own.graph import Content, content_of
from homogcl.data.own.rows import rows_of_table
from homogcl.data.own.tables import MemoryTable, arrow, whole
from homogcl.data.recipe import Recipe

# Names of the two ends, as people give them; the case does not matter.
ENDS: Final = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("source_id", "target_id"),
    ("src_id", "dst_id"),
    ("from_id", "to_id"),
    ("head", "tail"),
    ("u", "v"),
    ("i", "j"),
)
WEIGHTS: Final = ("weight", "weights", "edge_weight")
IDS: Final = ("id", "node", "node_id", "nodeid", "ids")
EDGES: Final = "the edges"
NODES: Final = "the nodes"


@dataclass(frozen=True)
class Tables:
    """A graph as tables of pandas or polars.

    Attributes:
        edges: One row per edge. Its ends are the columns `source` and `target`, or others of such
            names, or the first two of three at most; weights are the column `weight`, if there is
            one.
            Nodes may come without edges to an embedder that is fitted.
        nodes: One row per node, in the order that the vectors are to have. Ids are the column
            `id` or `node`, the index or the first column: the first of these that has an id of the
            edges.
        source: Another column of the edges' one end.
        target: Another column of the other end.
        weight: Another column of weights.
        id: Another column of ids.
        features: Columns of the nodes; by default all others.
        label: The column of labels.
        split: A column that says train, val, test or nothing.
        kinds: What columns of features are; by default as they look.
        missing: What becomes of cells and rows that are missing: error, drop or fill.
    """

    edges: Any = None
    nodes: Any = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None
    id: str | None = None
    features: Sequence[str] | None = None
    label: str | None = None
    split: str | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    missing: Missing = "error"


def from_tables(tables: Tables, recipe: Recipe | None) -> Content:
    """Return the graph of the tables; `recipe` comes from the training graph."""
    edges = memory_table(tables.edges, EDGES, "Tables(edges=...)")
    source, target = _ends(edges.names, tables)
    weight = tables.weight or next((n for n in edges.names if n.lower() in WEIGHTS), None)
    if tables.nodes is None:
        nodes, id_column = None, None
    else:
        nodes, id_column = _with_ids(tables, [edges.columns[source], edges.columns[target]])
    files = _settings(tables, nodes, (source, target, weight, id_column))
    content = content_of(files, edges, nodes, recipe)
    origin = edges.columns[source] if nodes is None else nodes.columns[id_column or ""]
    return replace(content, ids=_original(content, origin))


def rows_of_tables(tables: Tables, recipe: Recipe | None) -> Data:
    """Return the nodes of tables that have no edges, of which nothing but features is taken."""
    for key in ("source", "target", "weight"):
        if getattr(tables, key) is not None:
            raise UserError(f"Tables: {key} is a column of the edges; give edges, too")
    if tables.nodes is None:
        raise UserError("Tables: give edges, nodes, or both")
    nodes = memory_table(tables.nodes, NODES, "Tables(nodes=...)")
    beside = {
        name: cells
        for name, cells in nodes.columns.items()
        if name not in (tables.label, tables.split)
    }
    nodes, label = _with_index(replace(nodes, columns=beside), tables.nodes)
    settings = {"id": tables.id or label, "features": tables.features, "kinds": tables.kinds}
    present = {key: value for key, value in settings.items() if value}
    return rows_of_table(nodes, {**present, "missing": tables.missing}, recipe)


def _with_index(nodes: MemoryTable, table: Any) -> tuple[MemoryTable, str | None]:
    """Return the table and the name of its ids: a column of such a name, or an index of its own."""
    name = next((name for name in nodes.names if name.lower() in IDS), None)
    index = getattr(table, "index", None)
    if name is not None or index is None or type(index).__name__ == "RangeIndex":
        return nodes, name
    label = str(index.name or "index")
    ids = arrow().array(np.asarray(index), from_pandas=True)
    return replace(nodes, columns={**nodes.columns, label: ids}), label


def memory_table(table: Any, name: str, where: str) -> MemoryTable:
    """Return a table of pandas or polars; `name` is what messages call it."""
    pa = arrow()
    module = type(table).__module__.partition(".")[0]
    if module not in ("pandas", "polars") or len(getattr(table, "shape", ())) != 2:
        raise UserError(f"{where} takes a table of pandas or polars, not a {type(table).__name__}")
    for column in table.columns:
        if list(table.columns).count(column) > 1:
            raise UserError(f"{name}: two columns have the name {column!r}")
    columns = {}
    for column in table.columns:
        cells = table[column]
        try:
            cells = cells.to_arrow() if module == "polars" else pa.array(cells, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            cells = pa.array([_text(cell) for cell in cells], pa.string())
        columns[str(column)] = whole(cells)
    return MemoryTable(name, columns)


def _text(cell: Any) -> str | None:
    return None if cell is None or cell != cell else str(cell)


def _ends(names: Sequence[str], tables: Tables) -> tuple[str, str]:
    """Return the columns of the edges' ends."""
    for column, setting in ((tables.source, "source"), (tables.target, "target")):
        if column is not None and column not in names:
            raise UserError(f"{EDGES}: no column {column!r} for {setting}; has {_list(names)}")
    if tables.source is not None and tables.target is not None:
        return tables.source, tables.target
    lower = {name.lower(): name for name in reversed(names)}
    for source, target in ENDS:
        if source in lower and target in lower:
            return tables.source or lower[source], tables.target or lower[target]
    if 2 <= len(names) <= 3 and tables.source is tables.target is None:
        return names[0], names[1]
    raise UserError(
        f"{EDGES}: their columns are {_list(names)}; name the two ends source and target, or say "
        "which they are with homogcl.Tables(edges, source=..., target=...)"
    )


def _with_ids(tables: Tables, ends: Sequence[Any]) -> tuple[MemoryTable, str]:
    """Return the table of nodes and its column of ids."""
    pa = arrow()
    nodes = memory_table(tables.nodes, NODES, "Tables(nodes=...)")
    if tables.id is not None:
        if tables.id not in nodes.names:
            raise UserError(f"{NODES}: no column {tables.id!r} for id; has {_list(nodes.names)}")
        return nodes, tables.id
    index = getattr(tables.nodes, "index", None)
    numbers = np.arange(len(tables.nodes)) if index is None else np.asarray(index)
    label = "index" if index is None else str(index.name or "index")
    indexed = replace(nodes, columns={**nodes.columns, label: pa.array(numbers, from_pandas=True)})
    candidates = [(nodes, name) for name in nodes.names if name.lower() in IDS]
    plain = index is None or type(index).__name__ == "RangeIndex"
    first = [(nodes, name) for name in nodes.names[:1]]
    candidates += [*first, (indexed, label)] if plain else [(indexed, label), *first]
    ids = pa.concat_arrays([_texts(end).unique() for end in ends]).unique()
    for table, name in candidates:
        texts = _texts(table.columns[name])
        if texts is not None and pa.compute.any(pa.compute.is_in(texts, value_set=ids)).as_py():
            return table, name
    examples = _texts(candidates[0][0].columns[candidates[0][1]])
    raise UserError(
        f"{NODES}: none of their ids occurs in {EDGES}; {candidates[0][1]!r} has such as "
        f"{_list((examples or ids).slice(0, 3).to_pylist())}, the edges "
        f"{_list(ids.slice(0, 3).to_pylist())}; columns are {_list(nodes.names)}, and "
        "homogcl.Tables(edges, nodes, id=...) says which one has the ids"
    )


def _texts(column: Any) -> Any:
    """Return ids as text, or None if a column holds no ids."""
    try:
        return whole(MemoryTable(NODES, {"": column}).text([""])[0])
    except UserError:
        return None


def _settings(
    tables: Tables, nodes: MemoryTable | None, columns: tuple[str | None, ...]
) -> GraphFiles:
    source, target, weight, id_column = columns
    features = tables.features
    if nodes is not None and features is None:
        others = {id_column, tables.label, tables.split}
        features = [name for name in nodes.names if name not in others]
    values: dict[str, object] = {
        "edges": Path(EDGES),
        "source": source,
        "target": target,
        "weight": weight,
        "id": id_column,
        "features": list(features) if features else None,
        "label": tables.label,
        "split": tables.split,
        "kinds": dict(tables.kinds),
        "missing": tables.missing,
    }
    return validated_files(values, "Tables")


def _original(content: Content, column: Any) -> list[Any]:
    """Return ids as the tables have them: numbers only where a column holds numbers."""
    whole_numbers = arrow().types.is_integer(column.type) or arrow().types.is_floating(column.type)
    return content.ids if whole_numbers else content.nodes.ids.to_pylist()


def _list(names: Sequence[object]) -> str:
    return ", ".join(map(repr, names)) or "none"

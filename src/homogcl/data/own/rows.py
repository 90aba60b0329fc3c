"""Nodes that come without edges: rows of a table or of a matrix, known by their features alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.features import compact
from homogcl.data.own.features import ARRAYS
from homogcl.data.own.files import GraphFiles, open_table, validated_files
from homogcl.data.own.ids import whole_numbers
from homogcl.data.own.nodes import read_nodes
from homogcl.data.own.tables import MemoryTable, TableFile, arrow, ending, pick
from homogcl.data.recipe import Recipe, refuse_other_columns

SETTINGS: Final = ("id", "features", "kinds", "missing")  # of `graph.toml`, for rows


def read_rows(path: Path, settings: Mapping[str, object], recipe: Recipe | None) -> Data:
    """Return nodes that a file lists without edges: features `x`, `ids`, and how they came about.

    Columns of features are those that were learned from, wherever they stand, and others are left
    alone. Ids are the column that `id` names, the first one unless that is a feature, else numbers.

    Args:
        path: A table (CSV, TSV, Parquet), or a matrix of features (`.npy`, `.npz`).
        settings: What `graph.toml` could say of it: `id`, `features`, `kinds` and `missing`.
        recipe: How columns became numbers in training.
    """
    for key in settings:
        if key not in SETTINGS:
            raise UserError(f"{path}: rows without edges have no {key}; leave it out")
    if ending(path) in ARRAYS:
        matrix = {key: settings[key] for key in settings if key == "missing"}
        return _rows(_files(path, {**matrix, "features": path}), None, recipe)
    return rows_of_table(open_table(path), settings, recipe)


def rows_of_table(table: TableFile, settings: Mapping[str, object], recipe: Recipe | None) -> Data:
    """Return the nodes in a table; the arguments are those of `read_rows`."""
    columns = [column.name for column in recipe.columns] if recipe else []
    if columns and "features" not in settings:
        refuse_other_columns([name for name in table.names if name in columns], columns)
        settings = {**settings, "features": columns}
    files = _files(table.path, settings)
    features = files.features if isinstance(files.features, list) else []
    id_column = files.id
    if id_column is None and pick(table, None, 0, "id") not in features:
        id_column = pick(table, None, 0, "id")
    if id_column is None:
        table, id_column = _numbered(table, features)
    others = [name for name in table.names if name and name != id_column]
    update = {"id": id_column, "features": features or others}
    return _rows(files.model_copy(update=update), table, recipe)


def _files(place: Path | str, settings: Mapping[str, object]) -> GraphFiles:
    """Return the settings as a graph's; `edges` only says what messages begin with."""
    return validated_files({**settings, "edges": Path(place)}, str(place))


def _numbered(table: TableFile, features: list[str]) -> tuple[MemoryTable, str]:
    """Return columns of features beside the numbers of their rows, and the name of these."""
    name = "row"
    while name in features:
        name += "_"
    columns = dict(zip(features, table.typed(features), strict=True))
    count = len(next(iter(columns.values())))
    return MemoryTable(table.path, {**columns, name: arrow().array(range(count))}), name


def _rows(files: GraphFiles, table: TableFile | None, recipe: Recipe | None) -> Data:
    nodes = read_nodes(files, table, None, () if recipe is None else recipe.columns)
    if nodes.x is None:
        raise UserError(f"{files.edges}: nodes without edges are known by features, and have none")
    numbers = whole_numbers(nodes.ids)
    ids: list[Any] = (nodes.ids if numbers is None else numbers).to_pylist()
    rows = Data(x=compact(nodes.x), ids=ids)
    rows.feature_names, rows.columns = list(nodes.feature_names), nodes.columns
    rows.report = "; ".join([f"{len(ids):,} nodes without edges", *nodes.notes])
    return rows

"""The nodes of a user's own graph, in their order, with features, labels and masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.own.features import Features, read_features
from homogcl.data.own.files import GraphFiles
from homogcl.data.own.tables import TableFile, arrow, pick

SPLITS = {
    "train": "train_mask",
    "training": "train_mask",
    "val": "val_mask",
    "valid": "val_mask",
    "validation": "val_mask",
    "test": "test_mask",
    "testing": "test_mask",
}


@dataclass(frozen=True)
class Nodes:
    """The nodes with their features, labels and masks."""

    ids: Any  # in the order of the nodes, [N]: pyarrow strings, or a list
    x: Tensor | None  # [N, d]
    y: Tensor | None  # int64 [N], -1 where a node has no label
    classes: tuple[str, ...]
    masks: dict[str, Tensor]
    listed_in: str | None  # the file that lists the nodes; None if the edges do
    feature_names: tuple[str, ...] = ()  # of the columns of `x`, where they have names


def read_nodes(files: GraphFiles, table: TableFile | None, ends: Sequence[Any]) -> Nodes:
    """Return the nodes that `table` lists, a row each, with the features that `files` name.

    Without a table, they are those of the features or of the edges' `ends`, pyarrow strings.
    """
    if table is None:
        return _nodes_without_table(files, ends)
    name = pick(table, files.id, 0, "id")
    ids = unique(table.text([name])[0], lambda row: table.where(row, name))
    x: Tensor | None = None
    names: tuple[str, ...] = ()
    if isinstance(files.features, list):
        names = tuple(pick(table, column, 0, "features") for column in files.features)
        x = torch.from_numpy(table.numbers(names).astype(np.float32))
    elif files.features:
        features = read_features(files.features, files.id)
        x, names = _joined(features, ids), features.names
    y, classes = _labels(table, files.label)
    return Nodes(ids, x, y, classes, _masks(table, files.split), str(table.path), names)


def in_order(ids: Any) -> Any:
    """Return ids sorted: by number if all are whole numbers, else as text."""
    pa = arrow()
    whole = whole_numbers(ids)
    order = pa.compute.sort_indices(ids if whole is None else whole)
    return ids.take(order)


def whole_numbers(ids: Any) -> Any | None:
    """Return ids as pyarrow integers, or None if one of them is not written as such a number."""
    pa = arrow()
    try:
        whole = ids.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    return whole if whole.cast(pa.string()).equals(ids) else None


def unique(ids: Any, where: Callable[[int], str]) -> Any:
    """Return ids as one pyarrow array; an empty or a repeated one is an error that says `where`."""
    pa = arrow()
    ids = _whole(ids)
    empty = pa.compute.index(ids, "").as_py()
    if empty >= 0:
        raise UserError(f"{where(empty)}: the id is empty")
    if len(ids.unique()) < len(ids):
        earlier: set[str] = set()
        for row, each in enumerate(ids.to_pylist()):
            if each in earlier:
                raise UserError(f"{where(row)}: the id {each!r} stands there a second time")
            earlier.add(each)
    return ids


def positions(ids: Any, among: Any) -> tuple[npt.NDArray[np.int64], int]:
    """Return where each of `ids` stands in `among`, and the first that does not, or -1."""
    pa = arrow()
    numbers = pa.compute.index_in(ids, value_set=among)
    if numbers.null_count:
        missing = pa.compute.index(pa.compute.is_null(numbers), True).as_py()
        return np.empty(0, np.int64), int(missing)
    return numbers.to_numpy(zero_copy_only=False).astype(np.int64), -1


def _nodes_without_table(files: GraphFiles, ends: Sequence[Any]) -> Nodes:
    pa = arrow()
    for setting in ("label", "split"):
        if getattr(files, setting):
            raise UserError(f"{files.edges}: {setting} is a column of the nodes; give nodes, too")
    if isinstance(files.features, list):
        raise UserError(f"{files.edges}: features are columns of the nodes; give nodes, too")
    if files.features is None:
        ids = in_order(pa.concat_arrays([_whole(end).unique() for end in ends]).unique())
        return Nodes(ids, None, None, (), {}, None)
    features = read_features(files.features, files.id)
    if features.ids is None:
        ids = pa.array(np.arange(features.matrix.shape[0])).cast(pa.string())
    else:
        ids = unique(features.ids, features.where)
    rows = np.arange(len(ids))
    return Nodes(ids, features.tensor(rows), None, (), {}, str(features.path), features.names)


def _joined(features: Features, ids: Any) -> Tensor:
    if features.ids is None:
        rows = features.matrix.shape[0]
        if rows != len(ids):
            raise UserError(f"{features.path}: has {rows} rows for {len(ids)} nodes")
        return features.tensor(np.arange(rows))
    order, missing = positions(ids, unique(features.ids, features.where))
    if missing >= 0:
        raise UserError(f"{features.path}: has no row for the node {ids[missing].as_py()!r}")
    return features.tensor(order)


def _labels(table: TableFile, column: str | None) -> tuple[Tensor | None, tuple[str, ...]]:
    if column is None:
        return None, ()
    pa = arrow()
    [labels] = table.text([pick(table, column, 0, "label")])
    labels = _whole(labels)
    classes = in_order(labels.filter(pa.compute.not_equal(labels, "")).unique())
    index = pa.compute.index_in(labels, value_set=classes).fill_null(-1)
    y = torch.from_numpy(index.to_numpy(zero_copy_only=False).astype(np.int64))
    return y, tuple(classes.to_pylist())


def _masks(table: TableFile, column: str | None) -> dict[str, Tensor]:
    if column is None:
        return {}
    pa = arrow()
    [parts] = table.text([pick(table, column, 0, "split")])
    parts = pa.compute.utf8_lower(_whole(parts))
    allowed = pa.array([*SPLITS, ""])
    _, wrong = positions(parts, allowed)
    if wrong >= 0:
        raise UserError(
            f"{table.where(wrong, column)}: {parts[wrong].as_py()!r} is none of train, val, test"
        )
    names = np.array(parts.to_pylist())
    return {
        mask: torch.from_numpy(np.isin(names, [s for s, m in SPLITS.items() if m == mask]))
        for mask in MASKS
    }


def _whole(column: Any) -> Any:
    """Return a column in one piece."""
    pa = arrow()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

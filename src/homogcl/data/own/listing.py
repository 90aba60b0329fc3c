"""The list of a user's own nodes: who lists them, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.own.features import FeatureFile, Features, TableFeatures, read_features
from homogcl.data.own.files import GraphFiles, Kind
from homogcl.data.own.ids import in_order, positions, refuse_strangers, unique
from homogcl.data.own.tables import TableFile, arrow, pick, whole

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
class Listing:
    """Nodes as a file lists them, with features as they came.

    Attributes:
        ids: Of the nodes, in their order: pyarrow strings.
        place: The file that lists them.
        features: Of the nodes, in their order, where there are any.
        rows: Where each node's features stand in their file, -1 if nowhere.
        source: The file of the features.
        y: int64 [N], -1 where a node has no label.
        classes: The labels as the file has them.
        masks: Of the split, by name.
    """

    ids: Any
    place: str
    features: Features | None = None
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    source: str = ""
    y: Tensor | None = None
    classes: tuple[str, ...] = ()
    masks: Mapping[str, Tensor] = field(default_factory=dict)

    def taken(self, nodes: npt.NDArray[np.int64]) -> Listing:
        """Return some of the nodes."""
        places = torch.from_numpy(nodes)
        return replace(
            self,
            ids=self.ids.take(arrow().array(nodes)),
            features=None if self.features is None else self.features.taken(nodes),
            rows=self.rows[nodes] if self.features is not None else self.rows,
            y=None if self.y is None else self.y[places],
            masks={key: mask[places] for key, mask in self.masks.items()},
        )

    def with_nodes(self, ids: Any) -> Listing:
        """Return the list with further nodes of which nothing is known."""
        pa, count, size = arrow(), len(ids), len(self.ids)
        nodes = np.concatenate([np.arange(size), np.full(count, -1)])
        return replace(
            self,
            ids=pa.concat_arrays([self.ids, whole(ids)]),
            features=None if self.features is None else self.features.taken(nodes),
            rows=np.concatenate([self.rows, np.full(count, -1)]),
            y=None if self.y is None else torch.cat([self.y, self.y.new_full((count,), -1)]),
            masks={
                key: torch.cat([mask, mask.new_zeros(count)]) for key, mask in self.masks.items()
            },
        )


def listing_of(
    files: GraphFiles, table: TableFile | None, kinds: Mapping[str, Kind]
) -> Listing | None:
    """Return the nodes as the table of nodes lists them, else that of features; else None.

    Args:
        files: Which files and columns there are.
        table: The table of nodes, if there is one.
        kinds: What some columns of features are.
    """
    if table is not None:
        return _of_table(files, table, kinds)
    for setting in ("label", "split"):
        if getattr(files, setting):
            raise UserError(f"{files.edges}: {setting} is a column of the nodes; give nodes, too")
    if isinstance(files.features, list):
        raise UserError(f"{files.edges}: features are columns of the nodes; give nodes, too")
    if files.features is None:
        return None
    file = read_features(files.features, files.id, kinds)
    rows = np.arange(file.rows)
    if file.ids is None:
        ids = arrow().array(rows).cast(arrow().string())
    else:
        ids = unique(file.ids, file.where)
    return Listing(ids, str(file.path), file.features, rows, str(file.path))


def _of_table(files: GraphFiles, table: TableFile, kinds: Mapping[str, Kind]) -> Listing:
    name = pick(table, files.id, 0, "id")
    ids = unique(table.text([name])[0], lambda row: table.where(row, name))
    y, classes = _labels(table, files.label)
    listing = Listing(ids, str(table.path), y=y, classes=classes, masks=_masks(table, files.split))
    if isinstance(files.features, list):
        names = [pick(table, column, 0, "features") for column in files.features]
        features = TableFeatures.of(table, names, kinds)
        return replace(listing, features=features, rows=np.arange(len(ids)), source=str(table.path))
    if files.features:
        return _joined(listing, read_features(files.features, files.id, kinds))
    return listing


def _joined(listing: Listing, file: FeatureFile) -> Listing:
    ids, source = listing.ids, str(file.path)
    if file.ids is None:
        if file.rows != len(ids):
            raise UserError(f"{file.path}: has {file.rows} rows for {len(ids)} nodes")
        return replace(listing, features=file.features, rows=np.arange(file.rows), source=source)
    theirs = unique(file.ids, file.where)
    refuse_strangers(theirs, source, ids, listing.place)
    rows = positions(ids, theirs)
    return replace(listing, features=file.features.taken(rows), rows=rows, source=source)


def _labels(table: TableFile, column: str | None) -> tuple[Tensor | None, tuple[str, ...]]:
    if column is None:
        return None, ()
    pa = arrow()
    [labels] = table.text([pick(table, column, 0, "label")])
    labels = whole(labels)
    classes = in_order(labels.filter(pa.compute.not_equal(labels, "")).unique())
    return torch.from_numpy(positions(labels, classes)), tuple(classes.to_pylist())


def _masks(table: TableFile, column: str | None) -> dict[str, Tensor]:
    if column is None:
        return {}
    pa = arrow()
    [parts] = table.text([pick(table, column, 0, "split")])
    parts = pa.compute.utf8_lower(whole(parts))
    wrong = np.flatnonzero(positions(parts, pa.array([*SPLITS, ""])) < 0)
    if len(wrong):
        row = int(wrong[0])
        raise UserError(
            f"{table.where(row, column)}: {parts[row].as_py()!r} is none of train, val, test"
        )
    names = np.array(parts.to_pylist())
    return {
        mask: torch.from_numpy(np.isin(names, [s for s, m in SPLITS.items() if m == mask]))
        for mask in MASKS
    }

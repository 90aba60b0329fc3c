"""The nodes of a user's own graph, in their order, and what becomes of what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from torch import Tensor

from homogcl.core.errors import UserError, nearest
from homogcl.data.columns import Column
from homogcl.data.own.files import GraphFiles, Missing
from homogcl.data.own.ids import in_order, positions, refuse_strangers, some
from homogcl.data.own.listing import Listing, listing_of
from homogcl.data.own.tables import TableFile, arrow, whole

_DONE: Final = {"drop": "dropped", "fill": "filled"}
_CHOICE: Final = "; or set missing (--missing) to drop or fill"


@dataclass(frozen=True)
class Nodes:
    """The nodes with their features, labels and masks."""

    ids: Any  # in the order of the nodes, [N]: pyarrow strings, or a list
    x: Tensor | None = None  # [N, d]
    y: Tensor | None = None  # int64 [N], -1 where a node has no label
    classes: tuple[str, ...] = ()
    masks: Mapping[str, Tensor] = field(default_factory=dict)
    feature_names: tuple[str, ...] = ()  # of the columns of `x`, where they have names
    columns: tuple[Column, ...] = ()  # how the columns of a table became `x`
    notes: tuple[str, ...] = ()  # on what was missing


@dataclass(frozen=True)
class Ends:
    """The two columns of a table of edges that hold the ids of their ends."""

    table: TableFile
    names: tuple[str, str]
    columns: tuple[Any, Any]  # pyarrow strings

    def ids(self) -> Any:
        """Return the different ids."""
        pa = arrow()
        return pa.concat_arrays([whole(each).unique() for each in self.columns]).unique()

    def stranger(self, ids: Any) -> tuple[str, str]:
        """Return the first id that is not among `ids`, and where it stands."""
        for name, column in zip(self.names, self.columns, strict=True):
            rows = np.flatnonzero(positions(column, ids) < 0)
            if len(rows):
                return str(column[rows[0]].as_py()), self.table.where(int(rows[0]), name)
        raise ValueError("every id is among them")


def read_nodes(
    files: GraphFiles,
    table: TableFile | None,
    ends: Ends | None,
    training_columns: tuple[Column, ...] = (),
) -> Nodes:
    """Return the nodes that `table` lists, a row each, with the features that `files` name.

    Without a table, they are those of the features or of the ends of the edges.

    Args:
        files: Which files and columns there are, and what becomes of what is missing.
        table: The table of nodes.
        ends: The ids in the edges, if there are edges.
        training_columns: How columns of features became numbers in training, which holds here too.
    """
    kinds = {column.name: column.kind for column in training_columns} | files.kinds
    listing = listing_of(files, table, kinds)
    names = listing.features.names if listing and listing.features else ()
    for name in files.kinds:
        if name not in names:
            raise UserError(
                f"{files.edges}: kinds names {name!r}, no column of features{nearest(name, names)}"
            )
    if listing is None:
        return Nodes(in_order(ends.ids()) if ends else [])
    strangers, notes = ([], ()) if ends is None else _strangers(listing, ends, files.missing)
    listing, rows = _with_every_row(listing, files.missing)
    listing, cells = _with_every_cell(listing, files.missing)
    notes = (*notes, *rows, *cells)
    if files.missing == "fill" and len(strangers):
        listing = listing.with_nodes(strangers)
    if len(listing.ids) == 0:
        reason = "every node lacks something, and is dropped" if notes else "lists no nodes"
        raise UserError(f"{listing.place}: {reason}")
    nodes = Nodes(
        listing.ids, y=listing.y, classes=listing.classes, masks=listing.masks, notes=notes
    )
    if listing.features is None:
        return nodes
    x, columns = listing.features.numbers(training_columns)
    names = tuple(name for column in columns for name in column.names)
    return replace(nodes, x=x, feature_names=names, columns=columns)


def _strangers(listing: Listing, ends: Ends, missing: Missing) -> tuple[Any, tuple[str, ...]]:
    """Return the ids that only edges name, or refuse them."""
    ids = ends.ids()
    refuse_strangers(listing.ids, listing.place, ids, str(ends.table.path))
    strangers = ids.filter(arrow().array(positions(ids, listing.ids) < 0))
    if len(strangers) == 0:
        return strangers, ()
    if missing == "error":
        name, place = ends.stranger(listing.ids)
        others = len(strangers) - 1
        more = f" (nor {'is' if others == 1 else 'are'} {others:,} more)" if others else ""
        raise UserError(f"{place}: the node {name!r} is not in {listing.place}{more}{_CHOICE}")
    names = some(strangers.to_pylist())
    note = f"nodes: {len(strangers):,} not in {listing.place} {_DONE[missing]} ({names})"
    return strangers, (note,)


def _with_every_row(listing: Listing, missing: Missing) -> tuple[Listing, tuple[str, ...]]:
    """Return the list of the nodes that have features, or of all, or refuse the others."""
    absent = np.flatnonzero(listing.rows < 0)
    if listing.features is None or len(absent) == 0:
        return listing, ()
    ids = listing.ids.take(arrow().array(absent)).to_pylist()
    if missing == "error":
        more = f" (nor for {len(ids) - 1:,} more)" if len(ids) > 1 else ""
        raise UserError(f"{listing.source}: has no row for the node {ids[0]!r}{more}{_CHOICE}")
    note = f"{len(ids):,} without a row in {listing.source} {_DONE[missing]} ({some(ids)})"
    if missing == "drop":
        listing = listing.taken(np.flatnonzero(listing.rows >= 0))
    return listing, (f"nodes: {note}",)


def _with_every_cell(listing: Listing, missing: Missing) -> tuple[Listing, tuple[str, ...]]:
    """Return the list of the nodes that lack no feature, or of all, or refuse those that do."""
    features = listing.features
    if features is None:
        return listing, ()
    lacks = features.missing() & (listing.rows >= 0)[:, None]
    notes = []
    for column in np.flatnonzero(lacks.any(axis=0)):
        nodes = np.flatnonzero(lacks[:, column])
        ids = listing.ids.take(arrow().array(nodes)).to_pylist()
        if missing == "error":
            place = features.where(int(listing.rows[nodes[0]]), int(column))
            count = f"{len(ids):,} {'is' if len(ids) == 1 else 'are'} missing there"
            raise UserError(
                f"{place}: a value is missing; {count} in all, of the nodes {some(ids)}{_CHOICE}"
            )
        name = features.names[column] if features.names else int(column)
        notes.append(f"column {name!r}: {len(ids):,} missing {_DONE[missing]} (nodes {some(ids)})")
    if missing == "drop":
        listing = listing.taken(np.flatnonzero(~lacks.any(axis=1)))
    return listing, tuple(notes)

"""The rows of a graph's nodes, found by the nodes' ids or numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError, nearest


def node_rows(
    nodes: npt.ArrayLike, count: int, ids: Sequence[str] | Sequence[int] | None
) -> npt.NDArray[np.int64]:
    """Return the row of each node, [n].

    Args:
        nodes: Ids where the graph has any, else numbers from 0, [n] or, as a table of one column,
            [n, 1].
        count: How many nodes the graph has.
        ids: The ids of all nodes.
    """
    column = np.asarray(nodes)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        shape = list(column.shape)
        raise UserError(f"nodes are one column of ids or numbers, not an array of shape {shape}")
    if ids is not None:
        names = [str(name) for name in column.tolist()]
        queries = set(names)  # so that the other ids of a large graph take no memory
        places = {name: row for row, each in enumerate(ids) if (name := str(each)) in queries}
        rows = [places.get(name, -1) for name in names]
    elif np.issubdtype(column.dtype, np.integer):
        rows = [row if 0 <= row < count else -1 for row in column.tolist()]
    else:
        raise UserError(f"nodes without ids are found by whole numbers, not by {column.dtype}")
    if -1 in rows:
        unknown = column.tolist()[rows.index(-1)]
        raise UserError(
            f"the graph of {count:,} nodes has no node {unknown!r}{_hint(unknown, ids)}"
        )
    return np.array(rows, dtype=np.int64)


def _hint(node: object, ids: Sequence[str] | Sequence[int] | None) -> str:
    hint = nearest(str(node), (str(each) for each in ids or ()))
    # A list of all nodes would help nobody.
    return hint if hint.startswith(" (did you mean") else ""

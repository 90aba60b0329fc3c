"""Features from a file, and the nodes that its rows belong to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from numpy.lib.npyio import NpzFile
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.features import sparse_features
from homogcl.data.own.files import open_table
from homogcl.data.own.tables import TableFile, arrow, ending, pick
from homogcl.data.published.archives import checked, refuse_bomb

ARRAYS = (".npy", ".npz")


@dataclass(frozen=True)
class Features:
    """A matrix, [rows, d], and whose rows they are where the file says so."""

    path: Path
    matrix: Any  # a numpy array or a scipy CSR matrix
    ids: Any | None  # pyarrow strings, [rows]
    table: TableFile | None = None
    id_column: str = "ids"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, where the file has some."""
        named = [] if self.table is None else self.table.names
        return tuple(name for name in named if name != self.id_column)

    def where(self, row: int) -> str:
        """Return where a row's id stands, for messages."""
        if self.table is None:
            return f"{self.path} row {row}"
        return self.table.where(row, self.id_column)

    def tensor(self, rows: npt.NDArray[np.int64]) -> Tensor:
        """Return some rows as float32, [len(rows), d], in CSR if the matrix is sparse."""
        if scipy.sparse.issparse(self.matrix):
            return sparse_features(self.matrix[rows])
        return torch.from_numpy(np.asarray(self.matrix[rows], dtype=np.float32))


def read_features(path: Path, id_column: str | None) -> Features:
    """Return the features in a file.

    It is a table with a column of ids and numbers in all others, an array [N, d] as npy, or npz: a
    sparse matrix as scipy saves it, or one array beside an array called `ids`. Where a table has no
    column `id_column`, its first is that of the ids.
    """
    if not path.is_file():
        raise UserError(f"{path}: there is no such file")
    if ending(path) not in ARRAYS:
        table = open_table(path)
        name = id_column if id_column in table.names else table.names[0]
        name = pick(table, name, 0, "id")
        [ids] = table.text([name])
        return Features(
            path, table.numbers([each for each in table.names if each != name]), ids, table, name
        )
    try:
        matrix, ids = _arrays(path)
    except UserError:
        raise
    except Exception as error:
        # zipfile and numpy may raise anything, depending on the byte that is damaged.
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{path}: cannot be read as numbers: {reason}") from None
    _check(path, matrix, ids)
    pa = arrow()
    return Features(path, matrix, None if ids is None else pa.array(ids).cast(pa.string()))


def _arrays(path: Path) -> tuple[Any, npt.NDArray[np.generic] | None]:
    if ending(path) == ".npy":
        return np.load(path, allow_pickle=False), None
    archive = np.load(path, allow_pickle=False)
    if not isinstance(archive, NpzFile):
        raise ValueError("this is one array, which belongs in a file that ends in .npy")
    with archive:
        refuse_bomb(archive, path, path.stat().st_size)
        if "format" in archive.files:
            stored = scipy.sparse.load_npz(path)
            compressed = stored.format in ("csr", "csc", "bsr")
            return (checked(stored) if compressed else stored).tocsr(), None
        others = [name for name in archive.files if name != "ids"]
        if len(others) != 1:
            raise ValueError(f"one array and perhaps `ids` expected, has {archive.files}")
        return archive[others[0]], archive["ids"] if "ids" in archive.files else None


def _check(path: Path, matrix: Any, ids: npt.NDArray[np.generic] | None) -> None:
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise UserError(
            f"{path}: needs numbers of shape [nodes, features], has {matrix.dtype} of shape "
            f"{list(matrix.shape)}"
        )
    if ids is not None and (ids.shape != matrix.shape[:1] or ids.dtype.kind not in "iuU"):
        raise UserError(
            f"{path}: `ids` must hold {matrix.shape[0]} whole numbers or texts, has {ids.dtype} "
            f"of shape {list(ids.shape)}"
        )
    if not scipy.sparse.issparse(matrix) and np.isfinite(matrix).all():
        return
    entries = scipy.sparse.coo_matrix(matrix)
    bad = np.flatnonzero(~np.isfinite(entries.data))
    if len(bad):
        row, column = entries.row[bad[0]], entries.col[bad[0]]
        raise UserError(f"{path} row {row}, column {column}: not a finite number")

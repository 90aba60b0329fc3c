"""Features of a user's own, as they came: columns of a table, or a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from numpy.lib.npyio import NpzFile
from torch import Tensor

from homogcl.core.errors import UserError, first_line
from homogcl.data.columns import Cells, Column, encoded, is_missing, learned_column
from homogcl.data.features import sparse_features
from homogcl.data.own.files import Kind, open_table
from homogcl.data.own.kinds import cells_of
from homogcl.data.own.tables import TableFile, arrow, ending, pick
from homogcl.data.published.archives import checked, refuse_bomb
from homogcl.data.recipe import refuse_other_columns

ARRAYS = (".npy", ".npz")
RowNumbers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class TableFeatures:
    """Columns of a table, each with its kind."""

    table: TableFile
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    cells: tuple[Cells, ...]

    @classmethod
    def of(cls, table: TableFile, names: Sequence[str], kinds: Mapping[str, Kind]) -> TableFeatures:
        """Return columns of a table; `kinds` says what some of them are."""
        if not names:
            raise UserError(f"{table.path}: has no columns of features beside the ids")
        read = [
            cells_of(table, name, column, kinds.get(name))
            for name, column in zip(names, table.typed(names), strict=True)
        ]
        return cls(table, tuple(names), tuple(k for k, _ in read), tuple(c for _, c in read))

    def taken(self, rows: RowNumbers) -> TableFeatures:
        """Return some rows; all cells of row -1 are missing."""
        return replace(self, cells=tuple(_taken(each, rows) for each in self.cells))

    def missing(self) -> Mask:
        """Return which cells are missing, [rows, columns]."""
        return np.stack([is_missing(each) for each in self.cells], axis=1)

    def where(self, row: int, column: int) -> str:
        """Return where a cell stands, for messages."""
        return self.table.where(row, self.names[column])

    def numbers(self, training_columns: tuple[Column, ...]) -> tuple[Tensor, tuple[Column, ...]]:
        """Return the columns as numbers, [rows, d], and how they became that.

        Args:
            training_columns: How columns became numbers in training, which holds here too.
        """
        if training_columns:
            refuse_other_columns(self.names, [column.name for column in training_columns])
            order = [self.names.index(column.name) for column in training_columns]
            columns, cells = training_columns, [self.cells[place] for place in order]
        else:
            parts = zip(self.names, self.kinds, self.cells, strict=True)
            columns, cells = tuple(learned_column(*part) for part in parts), list(self.cells)
        if not any(column.names for column in columns):
            raise UserError(
                f"{self.table.path}: nothing can be learned from {', '.join(self.names)}: no value "
                "stands there twice; leave the features out"
            )
        block = encoded(columns, cells)
        if scipy.sparse.issparse(block):
            return sparse_features(block), columns
        return torch.from_numpy(block), columns


@dataclass(frozen=True)
class MatrixFeatures:
    """A matrix, [rows, d]: a numpy array or a scipy CSR matrix."""

    path: Path | str
    matrix: Any
    names: tuple[str, ...] = ()

    def taken(self, rows: RowNumbers) -> MatrixFeatures:
        """Return some rows; all cells of row -1 are missing, or zero if the matrix is sparse."""
        absent = rows < 0
        if not absent.any():
            return replace(self, matrix=self.matrix[rows])
        if scipy.sparse.issparse(self.matrix):
            present = scipy.sparse.diags_array((~absent).astype(np.float32))
            return replace(self, matrix=(present @ self.matrix[np.maximum(rows, 0)]).tocsr())
        matrix = self.matrix[np.maximum(rows, 0)].astype(np.float64)
        matrix[absent] = np.nan
        return replace(self, matrix=matrix)

    def missing(self) -> Mask:
        """Return which cells are missing, [rows, columns]; of a sparse matrix, in one column."""
        if scipy.sparse.issparse(self.matrix):
            return np.zeros((self.matrix.shape[0], 1), dtype=bool)
        missing: Mask = ~np.isfinite(self.matrix)
        return missing

    def where(self, row: int, column: int) -> str:
        """Return where a cell stands, for messages."""
        return f"{self.path} row {row}, column {column}"

    def numbers(self, training_columns: tuple[Column, ...]) -> tuple[Tensor, tuple[Column, ...]]:
        """Return the matrix, [rows, d], and what missing cells were taken for, if there were any.

        Args:
            training_columns: What was learned of the columns in training, which holds here too.
        """
        width = self.matrix.shape[1]
        if any(len(column.names) != 1 or column.levels for column in training_columns):
            raise UserError(
                f"{self.path}: its columns have no names, but "
                f"{', '.join(column.name for column in training_columns)} were learned from"
            )
        if training_columns and len(training_columns) != width:
            raise UserError(
                f"this graph has {width} features, but {len(training_columns)} were learned from"
            )
        if scipy.sparse.issparse(self.matrix):
            return sparse_features(self.matrix), training_columns
        matrix = np.asarray(self.matrix, dtype=np.float64)
        if not training_columns and not np.isfinite(matrix).all():
            finite = np.where(np.isfinite(matrix), matrix, np.nan)
            training_columns = tuple(
                learned_column(str(j), "number", finite[:, j]) for j in range(width)
            )
        if training_columns:
            return torch.from_numpy(encoded(training_columns, list(matrix.T))), training_columns
        return torch.from_numpy(matrix.astype(np.float32)), ()


Features: TypeAlias = TableFeatures | MatrixFeatures


@dataclass(frozen=True)
class FeatureFile:
    """Features from a file, and whose rows they are where the file says so."""

    path: Path
    features: Features
    ids: Any | None  # pyarrow strings, [rows]
    id_column: str = "ids"

    @property
    def rows(self) -> int:
        """The number of rows."""
        if isinstance(self.features, MatrixFeatures):
            return int(self.features.matrix.shape[0])
        return len(self.ids or ())

    def where(self, row: int) -> str:
        """Return where a row's id stands, for messages."""
        if isinstance(self.features, TableFeatures):
            return self.features.table.where(row, self.id_column)
        return f"{self.path} row {row}"


def read_features(path: Path, id_column: str | None, kinds: Mapping[str, Kind]) -> FeatureFile:
    """Return the features in a file.

    It is a table with a column of ids, an array [N, d] as npy, or npz: a sparse matrix as scipy
    saves it, or one array beside an array called `ids`. Where a table has no column `id_column`,
    its first is that of the ids.
    """
    if not path.is_file():
        raise UserError(f"{path}: there is no such file")
    if ending(path) not in ARRAYS:
        table = open_table(path)
        name = id_column if id_column in table.names else table.names[0]
        name = pick(table, name, 0, "id")
        [ids] = table.text([name])
        others = [each for each in table.names if each != name]
        return FeatureFile(path, TableFeatures.of(table, others, kinds), ids, name)
    try:
        matrix, numbers = _arrays(path)
    except UserError:
        raise
    except Exception as error:
        # zipfile and numpy may raise anything, depending on the byte that is damaged.
        raise UserError(f"{path}: cannot be read as numbers: {first_line(error)}") from None
    _check(path, matrix, numbers)
    pa = arrow()
    ids = None if numbers is None else pa.array(numbers).cast(pa.string())
    return FeatureFile(path, MatrixFeatures(path, matrix), ids)


def _taken(cells: Cells, rows: RowNumbers) -> Cells:
    absent = rows < 0
    if len(cells) == 0:
        return np.full(len(rows), np.nan if cells.dtype.kind == "f" else None, dtype=cells.dtype)
    result = cells[np.maximum(rows, 0)]
    if absent.any():
        result[absent] = np.nan if cells.dtype.kind == "f" else None
    return result


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
    if not scipy.sparse.issparse(matrix):
        return
    entries = scipy.sparse.coo_matrix(matrix)
    bad = np.flatnonzero(~np.isfinite(entries.data))
    if len(bad):
        row, column = entries.row[bad[0]], entries.col[bad[0]]
        raise UserError(f"{path} row {row}, column {column}: not a finite number")

"""Tables of a user's own, wherever their columns come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError, nearest


class TableFile(Protocol):
    """Named columns of a file, read on demand, that know the place of each row."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        ...

    def text(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow strings without blanks around them; missing ones are empty."""
        ...

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return columns as finite numbers, [rows, columns]."""
        ...

    def where(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages; rows are counted from 0."""
        ...


def arrow() -> Any:
    """Return pyarrow, with its parts for computing, CSV and Parquet loaded."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UserError("own graphs need pyarrow: pip install 'homogcl[tables]'") from None
    return pyarrow


def ending(path: Path) -> str:
    """Return the lower-case ending of a file's name, seen through `.gz`."""
    bare = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return bare.suffix.lower()


def pick(table: TableFile, column: str | None, position: int, setting: str) -> str:
    """Return the name of the column that a setting names, or else of the one at `position`.

    Columns without a name, such as the row numbers that pandas writes, are not counted.
    """
    if column is not None:
        if column not in table.names:
            hint = nearest(column, table.names)
            raise UserError(f"{table.path}: no column {column!r} for {setting}{hint}")
        return column
    named = [name for name in table.names if name]
    if position >= len(named):
        raise UserError(f"{table.path}: no column {position + 1} for {setting}; has {named}")
    return named[position]


@dataclass(frozen=True)
class MemoryTable:
    """Columns that were read already, such as those of a Parquet file."""

    path: Path
    columns: dict[str, Any]  # pyarrow arrays by name
    row_name: str = "row"

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self.columns)

    def text(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow strings without blanks around them; missing ones are empty."""
        return [self._text(name) for name in names]

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return columns as finite numbers, [rows, columns]."""
        pa = arrow()
        columns = []
        for name in names:
            try:
                column = self.columns[name].cast(pa.float64())
                columns.append(column.to_numpy(zero_copy_only=False))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                kind = self.columns[name].type
                raise UserError(
                    f"{self.path}, column {name!r}: holds {kind}, not numbers"
                ) from None
        return checked_numbers(self, names, columns)

    def where(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages; rows are counted from 0."""
        return f"{self.path} {self.row_name} {row + 1}, column {column!r}"

    def _text(self, name: str) -> Any:
        pa = arrow()
        column = self.columns[name]
        try:
            if pa.types.is_floating(column.type):
                # Whole numbers with gaps come out of pandas as fractions.
                column = column.cast(pa.int64())
            column = column.cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise UserError(
                f"{self.path}, column {name!r}: holds {column.type}; text or whole numbers needed"
            ) from None
        return pa.compute.utf8_trim_whitespace(column.fill_null(""))


def checked_numbers(
    table: TableFile, names: Sequence[str], columns: Sequence[npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    """Return columns side by side, [rows, columns]; a number that is missing is an error."""
    for name, column in zip(names, columns, strict=True):
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise UserError(f"{table.where(int(bad[0]), name)}: a finite number is missing")
    return np.column_stack(columns) if columns else np.empty((0, 0))

"""Tables of a user's own: CSV, TSV and edge lists, each also gzipped, or columns in memory."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError, first_line, nearest
from homogcl.core.extras import optional
from homogcl.data.published.archives import refuse_gzip_bomb

DELIMITERS = {".csv": ",;", ".tsv": "\t", ".tab": "\t"}
LISTS = (".txt", ".edges", ".edgelist")  # no header; comments may stand above the first edge


@dataclass(frozen=True)
class TextTable:
    """Columns of a text file, parsed by pyarrow; Python reads it only to name an error's line."""

    path: Path
    names: list[str]
    delimiter: str
    lines_above: int  # before the first row

    def text(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow strings without blanks around them; missing ones are empty."""
        pa = arrow()
        table = self._read(names, pa.string())
        return [pa.compute.utf8_trim_whitespace(table.column(name)) for name in names]

    def typed(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow has them: text, which is still to be looked at."""
        return self.text(names)

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return columns as finite numbers, [rows, columns]."""
        table = self._read(names, arrow().float64())
        return _checked_numbers(self, names, [table.column(name).to_numpy() for name in names])

    def blocks(self, size: int) -> Iterator[MemoryTable]:
        """Yield the rows in order, so many bytes of text at a time."""
        pa, rows = arrow(), 0
        with self._explained():
            options = self._options(self.names, pa.string(), block_size=size)
            with pa.csv.open_csv(str(self.path), *options) as reader:
                for batch in reader:
                    columns = dict(zip(self.names, batch.columns, strict=True))
                    yield MemoryTable(self.path, columns, rows_before=rows, origin=self)
                    rows += batch.num_rows

    def where(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages; rows are counted from 0."""
        line = next((line for at, (line, _) in enumerate(self._rows()) if at == row), 0)
        return f"{self.path} line {line}, column {column!r}"

    def _read(self, names: Sequence[str], kind: Any) -> Any:
        """Return a table of some columns, all of one pyarrow type."""
        pa = arrow()
        with self._explained([] if kind == pa.string() else names):
            return pa.csv.read_csv(str(self.path), *self._options(names, kind))
        return pa.table({name: pa.array([], kind) for name in names})

    def _options(self, names: Sequence[str], kind: Any, **how: Any) -> tuple[Any, Any, Any]:
        """Return how pyarrow reads, parses and converts the file."""
        csv = arrow().csv
        return (
            csv.ReadOptions(column_names=self.names, skip_rows=self.lines_above, **how),
            csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                include_columns=list(dict.fromkeys(names)), column_types=dict.fromkeys(names, kind)
            ),
        )

    @contextmanager
    def _explained(self, numeric: Sequence[str] = ()) -> Iterator[None]:
        """Turn an error of pyarrow into one that names the line; a file without rows is none."""
        pa = arrow()
        try:
            yield
        except (pa.ArrowInvalid, OSError) as error:
            if isinstance(error, pa.ArrowInvalid):
                if "Empty CSV file" in str(error):
                    return
                self._explain(numeric)
            raise UserError(f"{self.path}: {first_line(error)}") from None

    def _explain(self, numeric: Sequence[str]) -> None:
        """Read again slowly, and raise the error that names the line."""
        places = [(self.names.index(name), name) for name in numeric]
        for line, cells in self._rows():
            if len(cells) != len(self.names):
                raise UserError(
                    f"{self.path} line {line}: has {len(cells)} cells instead of "
                    f"{len(self.names)}, one for each column"
                )
            for place, name in places:
                if not _is_number(cells[place]) and cells[place].strip():
                    raise UserError(
                        f"{self.path} line {line}, column {name!r}: {cells[place]!r} is no number"
                    )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        for number, cells in _parsed(self.path, self.lines_above, self.delimiter):
            yield number + self.lines_above, cells


@dataclass(frozen=True)
class MemoryTable:
    """Columns that were read already, such as those of a Parquet file."""

    path: Path | str  # of the file, or what the table is called
    columns: dict[str, Any]  # pyarrow arrays by name
    row_name: str = "row"
    rows_before: int = 0  # of the file, where this is a block of it
    origin: TextTable | None = None  # the text file that this is a block of

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self.columns)

    def text(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow strings without blanks around them; missing ones are empty."""
        return [self._text(name) for name in names]

    def typed(self, names: Sequence[str]) -> list[Any]:
        """Return columns as pyarrow has them."""
        return [self.columns[name] for name in names]

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
        return _checked_numbers(self, names, columns)

    def where(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages; rows are counted from 0."""
        row += self.rows_before
        if self.origin is not None:
            return self.origin.where(row, column)
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


TableFile: TypeAlias = TextTable | MemoryTable  # named columns that know the place of each row


def arrow() -> Any:
    """Return pyarrow, with its parts for computing, CSV and Parquet loaded."""
    problem = "own graphs need pyarrow: pip install 'homogcl[tables]'"
    for part in ("compute", "csv", "parquet"):
        optional(f"pyarrow.{part}", problem)
    return optional("pyarrow", problem)


def whole(column: Any) -> Any:
    """Return a column in one piece."""
    pa = arrow()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def ending(path: Path | str) -> str:
    """Return the lower-case ending of a file's name, seen through `.gz`."""
    path = Path(path)
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


def text_table(path: Path, *, names_optional: bool) -> TextTable:
    """Return the table in a text file; of its content, only the first lines are read yet.

    With `names_optional`, a first line of nothing but numbers is a row, not the names.
    """
    if path.suffix.lower() == ".gz":
        refuse_gzip_bomb(path)
    is_list = ending(path) in LISTS
    above = 0
    for first in _lines(path, 0):
        if first.strip() and not (is_list and first.lstrip().startswith(("#", "%"))):
            break
        above += 1
    else:
        raise UserError(f"{path}: is empty")
    candidates = "\t,; " if is_list else DELIMITERS[ending(path)]
    delimiter = next((each for each in candidates if each in first), candidates[0])
    length, cells = next(_parsed(path, above, delimiter))
    names = [cell.strip() for cell in cells]
    if is_list or (names_optional and all(map(_is_number, names))):
        usual = ["source", "target", "weight"]
        names = [usual[i] if i < len(usual) else str(i + 1) for i in range(len(cells))]
        return TextTable(path, names, delimiter, above)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UserError(f"{path} line {above + 1}: two columns have the name {name!r}")
    return TextTable(path, names, delimiter, above + length)


def _lines(path: Path, skipped: int) -> Iterator[str]:
    number = 0
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number > skipped:
                    # Some spreadsheets write a byte-order mark in front of the first name.
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path} line {number}: is not UTF-8 text") from None
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(f"{path}: cannot be read ({error})") from None


def _parsed(path: Path, above: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line of each row below `above` that is not blank, and its cells.

    The numbers start behind the lines above.
    """
    reader = csv.reader(_lines(path, above), delimiter=delimiter)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise UserError(f"{path} line {above + reader.line_num}: {error}") from None


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _checked_numbers(
    table: TableFile, names: Sequence[str], columns: Sequence[npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    """Return columns side by side, [rows, columns]; a number that is missing is an error."""
    for name, column in zip(names, columns, strict=True):
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise UserError(f"{table.where(int(bad[0]), name)}: a finite number is missing")
    return np.column_stack(columns) if columns else np.empty((0, 0))

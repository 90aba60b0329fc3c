"""Tables in text: CSV, TSV and plain edge lists, each also gzipped."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError
from homogcl.data.own.tables import arrow, checked_numbers, ending
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

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return columns as finite numbers, [rows, columns]."""
        table = self._read(names, arrow().float64())
        return checked_numbers(self, names, [table.column(name).to_numpy() for name in names])

    def where(self, row: int, column: str) -> str:
        """Return where a cell stands, for messages; rows are counted from 0."""
        line = next((line for at, (line, _) in enumerate(self._rows()) if at == row), 0)
        return f"{self.path} line {line}, column {column!r}"

    def _read(self, names: Sequence[str], kind: Any) -> Any:
        pa = arrow()
        try:
            return pa.csv.read_csv(
                str(self.path),
                pa.csv.ReadOptions(column_names=self.names, skip_rows=self.lines_above),
                pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                pa.csv.ConvertOptions(
                    include_columns=list(dict.fromkeys(names)),
                    column_types=dict.fromkeys(names, kind),
                ),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV file" in str(error):
                return pa.table({name: pa.array([], kind) for name in names})
            self._explain([] if kind == pa.string() else names)
            raise UserError(f"{self.path}: {str(error).splitlines()[0]}") from None
        except OSError as error:
            raise UserError(f"{self.path}: {str(error).splitlines()[0]}") from None

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


def text_table(path: Path, *, names_optional: bool) -> TextTable:
    """Return the table in a text file; of its content, only the first lines are read yet.

    Args:
        path: CSV, TSV or edge list, each also gzipped.
        names_optional: Whether a first line of nothing but numbers is a row, not the names.
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

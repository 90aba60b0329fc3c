"""Columns of nodes on their way to disk: a file of numbers for each, read back column by column."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError
from homogcl.core.files import sync_folder
from homogcl.data.columns import Cells
from homogcl.data.own.tables import arrow, whole

MOST_LEVELS: Final = 100_000  # of a category or a label, all of which are in memory


class Levels:
    """The different texts of a column, numbered in the order in which they come."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._numbers: dict[str, int] = {}

    def codes(self, texts: Any) -> npt.NDArray[np.int32]:
        """Return the number of each of some texts of pyarrow, -1 if it is empty or missing."""
        encoded = whole(texts).dictionary_encode()
        of_block = [
            -1 if not text else self._numbers.setdefault(text, len(self._numbers))
            for text in encoded.dictionary.to_pylist()
        ]
        if len(self._numbers) > MOST_LEVELS:
            raise UserError(
                f"{self._place}: has more than {MOST_LEVELS:,} different values, too many for a "
                "category; leave the column out"
            )
        numbers = np.array([*of_block, -1], dtype=np.int32)
        indices = encoded.indices.fill_null(len(of_block)).to_numpy(zero_copy_only=False)
        codes: npt.NDArray[np.int32] = numbers[indices]
        return codes

    def names(self) -> list[str]:
        """Return the texts by number."""
        return list(self._numbers)


def texts_of(cells: Cells) -> Any:
    """Return cells of a category as texts of pyarrow."""
    return arrow().array(cells, arrow().string())


class ColumnFiles:
    """Files that a column of numbers is appended to, one for each name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}

    def append(self, name: str, numbers: npt.NDArray[Any]) -> None:
        """Append to the file of a name, which the first block makes anew."""
        if name not in self._files:
            self._files[name] = column_path(self._folder, name).open("wb")
        self._files[name].write(np.ascontiguousarray(numbers).data)

    def close(self) -> None:
        """Let all that was appended last through a loss of power."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
            file.close()
        sync_folder(self._folder)


def column_path(folder: Path, name: str) -> Path:
    """Return the file of a column."""
    return folder / f"{name}.column"


def column_of(folder: Path, name: str, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a column that was written, read when it is used."""
    path = column_path(folder, name)
    if path.stat().st_size == 0:
        return np.empty(0, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r")


def category_cells(codes: npt.NDArray[np.int32], levels: Sequence[str]) -> Cells:
    """Return the texts behind codes, None where there is none."""
    names = np.array([*levels, None], dtype=object)
    cells: Cells = names[codes]
    return cells

"""Columns of a table as numbers: by kind, and the same way for every later table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from homogcl.data.own.files import Kind
from homogcl.data.scaling import Role

# Cells of a column: numbers with nan where one is missing, or texts with None.
Cells: TypeAlias = npt.NDArray[Any]
Block: TypeAlias = Any  # [rows, columns made]: float32 of numpy, or CSR of scipy

LEVELS: Final = 50  # of a category, at most; rarer ones are merged
RARE: Final = 0.01  # share of the rows below which a level is rare
TOKENS: Final = 500  # of a text, at most
OTHER: Final = "other"


@dataclass(frozen=True)
class Column:
    """How one column became numbers.

    Attributes:
        name: The column's name in the table.
        kind: What it holds.
        levels: The levels of a category, or the words of a text, a column each.
        merged: Whether a further column stands for all other levels.
        fill: What a missing number, date or truth value is taken for.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    merged: bool = False
    fill: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns made."""
        if self.kind not in ("category", "text"):
            return (self.name,)
        mark = "=" if self.kind == "category" else ":"
        levels = (*self.levels, OTHER) if self.merged else self.levels
        return tuple(f"{self.name}{mark}{level}" for level in levels)

    @property
    def roles(self) -> tuple[Role, ...]:
        """What each of the columns made is."""
        return (_ENCODINGS[self.kind].role,) * len(self.names)

    def encode(self, cells: Cells) -> Block:
        """Return cells as numbers, [rows, columns made]."""
        return _ENCODINGS[self.kind].encode(self, cells)


def learned_column(name: str, kind: Kind, cells: Cells) -> Column:
    """Return how a column becomes numbers, as its cells decide."""
    return _ENCODINGS[kind].learn(name, kind, cells)


def is_missing(cells: Cells) -> npt.NDArray[np.bool_]:
    """Return which cells are missing."""
    if cells.dtype.kind == "f":
        return ~np.isfinite(cells)
    return np.array([cell is None for cell in cells], dtype=bool)


def encoded(columns: Sequence[Column], cells: Sequence[Cells]) -> Block:
    """Return the numbers of all columns side by side: sparse if a part of them is."""
    blocks = [column.encode(each) for column, each in zip(columns, cells, strict=True)]
    if any(scipy.sparse.issparse(block) for block in blocks):
        sparse = [scipy.sparse.csr_matrix(block) for block in blocks]
        return scipy.sparse.hstack(sparse, "csr", dtype=np.float32)
    return np.concatenate(blocks, axis=1)


@dataclass(frozen=True)
class _Encoding:
    """How columns of a kind are learned and encoded, and what their numbers are."""

    learn: Callable[[str, Kind, Cells], Column]
    encode: Callable[[Column, Cells], Block]
    role: Role


def _learn_number(name: str, kind: Kind, cells: Cells) -> Column:
    present = cells[~is_missing(cells)]
    middle = np.mean if kind == "boolean" else np.median
    return Column(name, kind, fill=float(middle(present)) if len(present) else 0.0)


def _encode_number(column: Column, cells: Cells) -> Block:
    filled = np.where(np.isfinite(cells), cells, column.fill)
    return filled.astype(np.float32)[:, None]


def category_column(name: str, counts: Counter[str], rows: int) -> Column:
    """Return how a category becomes numbers, from how often each level stands in so many rows."""
    least = max(2, math.ceil(RARE * rows))
    common = [(-count, level) for level, count in counts.items() if count >= least]
    levels = sorted(level for _, level in sorted(common)[:LEVELS])
    merged = bool(levels) and len(levels) < len(counts)
    return Column(name, "category", tuple(levels), merged=merged)


def _learn_category(name: str, kind: Kind, cells: Cells) -> Column:
    counts = Counter(cell for cell in cells if cell is not None)
    return category_column(name, counts, len(cells))


def _encode_category(column: Column, cells: Cells) -> Block:
    place = {level: number for number, level in enumerate(column.levels)}
    block = np.zeros((len(cells), len(column.names)), dtype=np.float32)
    for row, cell in enumerate(cells):
        # A level that no training row had is one of the others, or none at all.
        number = place.get(cell, len(place))
        if number < block.shape[1] and cell is not None:
            block[row, number] = 1
    return block


def _learn_text(name: str, kind: Kind, cells: Cells) -> Column:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(min_df=2, max_features=TOKENS)
    try:
        counter.fit([cell or "" for cell in cells])
    except ValueError:  # no word stands in two rows
        return Column(name, kind)
    return Column(name, kind, tuple(counter.get_feature_names_out().tolist()))


def _encode_text(column: Column, cells: Cells) -> Block:
    from sklearn.feature_extraction.text import CountVectorizer

    if not column.levels:
        return np.zeros((len(cells), 0), dtype=np.float32)
    counter = CountVectorizer(vocabulary=list(column.levels), dtype=np.float32)
    return counter.transform([cell or "" for cell in cells])


_ENCODINGS: dict[Kind, _Encoding] = {
    "number": _Encoding(_learn_number, _encode_number, "number"),
    "boolean": _Encoding(_learn_number, _encode_number, "flag"),
    "date": _Encoding(_learn_number, _encode_number, "number"),
    "category": _Encoding(_learn_category, _encode_category, "flag"),
    "text": _Encoding(_learn_text, _encode_text, "word"),
}

"""Features from columns on disk: the same recipe as in memory, learned a column at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from homogcl.core.arrays import array_file
from homogcl.core.errors import UserError
from homogcl.data.columns import Cells, Column, category_column, encoded, learned_column
from homogcl.data.features import FeatureKind
from homogcl.data.recipe import Recipe
from homogcl.data.scaling import Floats, scaling_of_columns
from homogcl.data.streamed.cells import category_cells, column_of
from homogcl.data.streamed.store import Store, threads
from homogcl.data.streamed.streams import ROWS

_NUMBERS: Final = 2**21  # of a block
_COLUMN: Final = 40  # bytes for each node that a look at a column takes: it and copies of it


@dataclass(frozen=True)
class _Listed:
    """The columns of features as they were read, for so many nodes."""

    folder: Path
    facts: Mapping[str, Any]
    nodes: int

    def __len__(self) -> int:
        return len(self.facts["features"])

    def cells(self, place: int, start: int, stop: int) -> Cells:
        """Return cells of a column; those of nodes that no table lists are missing."""
        is_category = self.facts["kinds"][place] == "category"
        kind, gap = (np.int32, -1) if is_category else (np.float64, np.nan)
        cells: Cells = column_of(self.folder, f"x{place}", kind)[start:stop]
        if len(cells) < stop - start:
            cells = np.append(cells, np.full(stop - start - len(cells), gap, dtype=kind))
        return category_cells(cells, self.facts["levels"][place]) if is_category else cells

    def learned(self, place: int) -> Column:
        """Return how a column becomes numbers."""
        name, kind = self.facts["features"][place], self.facts["kinds"][place]
        if kind != "category":
            return learned_column(name, kind, self.cells(place, 0, self.nodes))
        codes = column_of(self.folder, f"x{place}", np.int32)
        levels = self.facts["levels"][place]
        counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
        return category_column(name, Counter(dict(zip(levels, counts, strict=True))), self.nodes)


@dataclass(frozen=True)
class _Made:
    """The columns of numbers that are made of those listed, one at a time."""

    listed: _Listed
    columns: Sequence[Column]

    def __len__(self) -> int:
        return sum(len(column.names) for column in self.columns)

    def __getitem__(self, place: int) -> Floats:
        for number, column in enumerate(self.columns):
            width = len(column.names)
            if place < width:
                cells = self.listed.cells(number, 0, self.listed.nodes)
                values: Floats = column.encode(cells)[:, place].astype(np.float64)
                return values
            place -= width
        raise IndexError(place)

    def rows(self, start: int, count: int) -> npt.NDArray[np.float32]:
        """Return some rows of all columns, [rows, d]."""
        stop = min(start + count, self.listed.nodes)
        cells = [self.listed.cells(place, start, stop) for place in range(len(self.listed))]
        block: npt.NDArray[np.float32] = encoded(self.columns, cells)
        return block


def write_features(
    store: Store, folder: Path, facts: Mapping[str, Any], nodes: int, kind: FeatureKind
) -> Recipe:
    """Write the features as `x` [N, d] and return how they came about.

    Args:
        store: Whose folder holds the columns.
        folder: Of the graph.
        facts: What `read_listed` found.
        nodes: How many there are; those that no table lists come last and lack all features.
        kind: How features are scaled.
    """
    listed = _Listed(store.folder, facts, nodes)
    workers = _workers(store, nodes)
    with ThreadPoolExecutor(workers) as pool:
        columns = tuple(pool.map(listed.learned, range(len(listed))))
        features = _Made(listed, columns)
        if not len(features):
            raise UserError(
                f"nothing can be learned from {', '.join(facts['features'])}: no value stands "
                "there twice"
            )
        roles = [role for column in columns for role in column.roles]
        recipe = Recipe(columns, scaling_of_columns(features, kind, roles, pool.map))

        def scaled(start: int) -> npt.NDArray[np.float32]:
            block = torch.from_numpy(features.rows(start, starts.step))
            dense: npt.NDArray[np.float32] = recipe.scaling.apply(block).to_dense().numpy()
            return dense

        starts = range(0, nodes, max(1, min(ROWS, _NUMBERS // len(features))))
        with array_file(folder / "x.npy", np.float32, len(features)) as x:
            for place in range(0, len(starts), workers):  # blocks that are in memory together
                some = starts[place : place + workers]
                for block in pool.map(scaled, some):
                    x.append(block)
                store.say("features", x.size // len(features))
    return recipe


def _workers(store: Store, nodes: int) -> int:
    """Return how many threads look at a column each within an eighth of the memory."""
    return max(1, min(threads(), store.memory // (8 * _COLUMN * max(1, nodes))))

"""Features of nodes as a page holds them: named columns of numbers, each at 256 levels."""

from __future__ import annotations

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.recipe import Recipe
from homogcl.pages.charts import Floats, Integers
from homogcl.pages.explore_page import Features

MOST_ENTRIES = 500_000  # that a page holds, five bytes each
_LEVELS = 255


def features_of(graph: Data, nodes: Integers, most: int = MOST_ENTRIES) -> Features | None:
    """Return the features of `nodes`, numbers in the units of the table that they came from.

    Where there are more than `most` entries that differ from a column's usual value, the columns
    that vary most are returned; None if the graph has no features of its own.
    """
    if graph.get("x") is None or graph.get("structural"):
        return None
    matrix = _matrix(graph.x)[nodes].tocsc()
    recipe: Recipe | None = graph.get("recipe")
    sizes = np.diff(matrix.indptr)
    columns = _most_varied(matrix, sizes, most)
    center, scale = _units(recipe, matrix.shape[1])
    matrix, center, scale = matrix[:, columns], center[columns], scale[columns]
    of_entry = np.repeat(np.arange(len(columns)), np.diff(matrix.indptr))
    values = matrix.data * scale[of_entry] + center[of_entry]
    low, high = _ranges(values, matrix, center)
    span = np.where(high > low, high - low, 1.0)
    names = _names(recipe, matrix_width=len(sizes))
    return Features(
        names=[names[column] for column in columns],
        total=len(sizes),
        rest=center,
        low=low,
        high=high,
        offsets=matrix.indptr,
        nodes=matrix.indices,
        levels=np.round(_LEVELS * (values - low[of_entry]) / span[of_entry]),
    )


def _matrix(x: Tensor) -> scipy.sparse.csr_matrix:
    if x.layout == torch.sparse_csr:
        parts = (x.values(), x.col_indices(), x.crow_indices())
        return scipy.sparse.csr_matrix(tuple(part.numpy() for part in parts), tuple(x.shape))
    return scipy.sparse.csr_matrix(x.numpy())


def _most_varied(matrix: scipy.sparse.csc_matrix, sizes: Integers, most: int) -> Integers:
    """Return the columns of the largest variance with at most so many entries, in their order."""
    rows = max(matrix.shape[0], 1)
    squares = np.asarray(matrix.multiply(matrix).sum(axis=0), dtype=np.float64).ravel() / rows
    means = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel() / rows
    order = np.argsort(means**2 - squares, kind="stable")
    return np.sort(order[sizes[order].cumsum() <= most])


def _units(recipe: Recipe | None, width: int) -> tuple[Floats, Floats]:
    """Return what each column was shifted and divided by, [F] each."""
    center, scale = np.zeros(width), np.ones(width)
    for number in recipe.scaling.numbers if recipe is not None else ():
        center[number.column], scale[number.column] = number.center, number.scale
    return center, scale


def _ranges(values: Floats, matrix: scipy.sparse.csc_matrix, rest: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column, [F]; other entries have `rest`."""
    low, high = np.full(len(rest), np.inf), np.full(len(rest), -np.inf)
    of_entry = np.repeat(np.arange(len(rest)), np.diff(matrix.indptr))
    np.minimum.at(low, of_entry, values)
    np.maximum.at(high, of_entry, values)
    has_rest = np.diff(matrix.indptr) < matrix.shape[0]
    low = np.where(has_rest, np.minimum(low, rest), low)
    high = np.where(has_rest, np.maximum(high, rest), high)
    is_known = np.isfinite(low)
    return np.where(is_known, low, rest), np.where(is_known, high, rest)


def _names(recipe: Recipe | None, matrix_width: int) -> list[str]:
    """Return the names of the columns, numbers where a table gave none."""
    names = [name for column in (recipe.columns if recipe else ()) for name in column.names]
    if len(names) == matrix_width:
        return names
    return [f"feature {number}" for number in range(matrix_width)]

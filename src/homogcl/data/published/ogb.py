"""ogbn-arxiv in the raw form of the Open Graph Benchmark: gzipped CSV without column names."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.published.archives import gunzipped
from homogcl.data.published.root import RawFile

_SPLITS = ("train.csv.gz", "valid.csv.gz", "test.csv.gz")


def read(files: Sequence[RawFile]) -> Data:
    """Return the graph: `edge_index` as listed, `y`, the masks of the split by time, and `x`.

    Without the file of features, `x` has no columns.
    """
    by_name = {file.path.name: file for file in files}
    y = _column(by_name["node-label.csv.gz"])
    nodes = len(y)
    edges = _numbers(by_name["edge.csv.gz"], np.int64, columns=2)
    features = by_name.get("node-feat.csv.gz")
    graph = Data(
        x=torch.from_numpy(_numbers(features, np.float32)) if features else torch.zeros(nodes, 0),
        edge_index=torch.from_numpy(np.ascontiguousarray(edges.T)),
        y=torch.from_numpy(y),
    )
    for key, name in zip(MASKS, _SPLITS, strict=True):
        graph[key] = _mask(by_name[name], nodes)
    return graph


def _mask(file: RawFile, nodes: int) -> Tensor:
    members = _column(file)
    outside = np.flatnonzero((members < 0) | (members >= nodes))
    if len(outside):
        row = int(outside[0])
        raise UserError(
            f"{file.path} line {row + 1}: names node {members[row]}, but there are {nodes} nodes"
        )
    mask = torch.zeros(nodes, dtype=torch.bool)
    mask[torch.from_numpy(members)] = True
    return mask


def _column(file: RawFile) -> npt.NDArray[np.int64]:
    column: npt.NDArray[np.int64] = _numbers(file, np.int64, columns=1)[:, 0].copy()
    return column


def _numbers(
    file: RawFile, dtype: type[np.generic], columns: int | None = None
) -> npt.NDArray[Any]:
    """Return the table in a file, [rows, columns]."""
    text = io.BytesIO(gunzipped(file.path, file.content))
    try:
        table = np.loadtxt(text, dtype=dtype, delimiter=",", ndmin=2)
    except ValueError as error:
        raise UserError(f"{file.path}: is no table of numbers ({error})") from None
    if columns not in {None, table.shape[1]}:
        raise UserError(f"{file.path}: has {table.shape[1]} columns instead of {columns}")
    return table

"""Checks on a graph as it was read, before anything is computed from it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError

MASKS = ("train_mask", "val_mask", "test_mask")


def validate(graph: Data, name: str) -> None:
    """Raise `UserError`, in one line that starts with `name`, at the first thing wrong in `graph`.

    Checked are the shapes of `x` [N, d], `edge_index` [2, E], `y` [N], `edge_weight` [E] and the
    masks [N], that features and weights are finite, and that edges join nodes that exist.
    """
    x = graph.get("x")
    if not isinstance(x, Tensor) or x.dim() != 2 or x.size(0) == 0:
        raise UserError(f"{name}: needs node features of shape [nodes, features], found {_form(x)}")
    check_features(x, name)
    _check_edges(graph.get("edge_index"), x.size(0), name)
    _check_weights(graph.get("edge_weight"), graph.edge_index.size(1), name)
    _check_labels(graph.get("y"), x.size(0), name)
    for key in MASKS:
        mask = graph.get(key)
        if mask is not None and (mask.dtype != torch.bool or mask.shape != (x.size(0),)):
            raise UserError(
                f"{name}: {key} must hold {x.size(0)} truth values, found {_form(mask)}"
            )


def check_features(x: Tensor, name: str) -> None:
    """Raise `UserError` in a line that starts with `name` unless all of `x` [N, d] is finite."""
    sparse = x.layout == torch.sparse_csr
    values = x.values() if sparse else x
    bad = (~torch.isfinite(values)).nonzero()
    if len(bad) == 0:
        return
    if sparse:
        row = int(torch.searchsorted(x.crow_indices(), bad[0], right=True)) - 1
        column = int(x.col_indices()[bad[0]])
    else:
        row, column = bad[0].tolist()
    raise UserError(
        f"{name}: the features of node {row} hold {float(values[tuple(bad[0])])} in column "
        f"{column}; every feature must be a finite number"
    )


def _check_edges(edge_index: Tensor | None, num_nodes: int, name: str) -> None:
    shaped = isinstance(edge_index, Tensor) and edge_index.dim() == 2 and edge_index.size(0) == 2
    if edge_index is None or not shaped or edge_index.dtype != torch.int64:
        raise UserError(
            f"{name}: needs edges as int64 of shape [2, edges], found {_form(edge_index)}"
        )
    outside = ((edge_index < 0) | (edge_index >= num_nodes)).any(dim=0).nonzero()
    if len(outside) > 0:
        edge = int(outside[0])
        source, target = edge_index[:, edge].tolist()
        raise UserError(
            f"{name}: edge {edge} joins node {source} to node {target}, but nodes are numbered "
            f"from 0 to {num_nodes - 1}"
        )


def _check_weights(edge_weight: Tensor | None, num_edges: int, name: str) -> None:
    if edge_weight is None:
        return
    if edge_weight.shape != (num_edges,):
        raise UserError(f"{name}: needs {num_edges} edge weights, found {_form(edge_weight)}")
    bad = (~torch.isfinite(edge_weight)).nonzero()
    if len(bad) > 0:
        raise UserError(f"{name}: the weight of edge {int(bad[0])} is not a finite number")


def _check_labels(y: Tensor | None, num_nodes: int, name: str) -> None:
    if y is None:
        return
    if y.dtype != torch.int64 or y.shape != (num_nodes,):
        raise UserError(f"{name}: needs {num_nodes} int64 labels, found {_form(y)}")
    negative = (y < -1).nonzero()
    if len(negative) > 0:
        node = int(negative[0])
        raise UserError(
            f"{name}: node {node} has the label {int(y[node])}; labels start at 0, and -1 is none"
        )


def _form(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} of shape {list(value.shape)}"
    return "none" if value is None else f"a {type(value).__name__}"

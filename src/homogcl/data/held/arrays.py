"""Graphs in arrays: edges of numpy or torch, adjacency matrices, and features beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS, validate
from homogcl.data.features import sparse_features
from homogcl.data.own.graph import Content
from homogcl.data.own.nodes import Nodes

SHAPES = "edges in an array are whole numbers of shape [2, E] or [E, 2]"
KEYS = ("edge_index", "x", "edge_weight", "y", *MASKS, "ids", "num_nodes")


def content_of_arrays(
    pairs: npt.NDArray[np.int64],
    weight: Any = None,
    x: Any = None,
    ids: list[Any] | None = None,
    nodes: int = 0,
    **others: Any,
) -> Content:
    """Return a graph in arrays as it is listed, checked as any other is.

    Args:
        pairs: The numbers of the edges' ends, [2, E].
        weight: Of the edges, [E].
        x: Features of the nodes, [N, d], in numpy, scipy or torch.
        ids: Of the nodes; by default their numbers.
        nodes: At least so many nodes there are.
        **others: `y`, masks, and `feature_names`.
    """
    features = None if x is None else matrix(x)
    size = max(nodes, len(ids or ()), int(pairs.max(initial=-1)) + 1)
    size = size if features is None else features.size(0)
    if size == 0:
        raise UserError("the graph has no nodes")
    names = tuple(others.pop("feature_names", ()))
    tensors = {key: _tensor(value, key) for key, value in others.items() if value is not None}
    weights = None if weight is None else _weights(weight)
    shown = torch.zeros(size, 1) if features is None else features
    graph = Data(x=shown, edge_index=torch.from_numpy(pairs), edge_weight=weights, **tensors)
    validate(graph, "the graph")
    labels = tensors.pop("y", None)
    classes = 0 if labels is None or not labels.numel() else int(labels.max()) + 1
    ids = list(range(size)) if ids is None else ids
    if len(ids) != size or len(set(ids)) != size:
        raise UserError(f"the graph: ids must be {size} different values, found {len(set(ids))}")
    listed = Nodes(ids, features, labels, tuple(map(str, range(classes))), tensors, names)
    return Content(pairs, weights, listed, ids)


def from_array(array: Any) -> Content:
    """Return the graph whose edges an array of numpy or torch holds, or a sparse tensor."""
    if isinstance(array, Tensor) and array.layout != torch.strided:
        return from_sparse(_scipy(array))
    return content_of_arrays(pairs_of(array))


def from_sparse(adjacency: Any) -> Content:
    """Return the graph of a sparse adjacency matrix of scipy; entries other than 1 are weights."""
    entries = scipy.sparse.coo_array(adjacency)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise UserError(f"an adjacency matrix is square, this one is {list(entries.shape)}")
    entries.sum_duplicates()
    entries.eliminate_zeros()
    pairs = np.stack([entries.row, entries.col]).astype(np.int64)
    plain = entries.data.dtype == bool or bool((entries.data == 1).all())
    return content_of_arrays(pairs, None if plain else entries.data, nodes=entries.shape[0])


def from_mapping(parts: Mapping[str, Any]) -> Content:
    """Return the graph that a mapping with `edge_index` and perhaps `x` and more describes."""
    for key in parts:
        if key not in KEYS:
            raise UserError(f"a graph in a dict has {', '.join(KEYS)}; found {key!r}")
    others = {key: parts.get(key) for key in ("y", *MASKS)}
    return content_of_arrays(
        pairs_of(parts["edge_index"]),
        parts.get("edge_weight"),
        parts.get("x"),
        ids=None if parts.get("ids") is None else list(parts["ids"]),
        nodes=int(parts.get("num_nodes") or 0),
        **others,
    )


def from_pair(edges: Any, x: Any) -> Content:
    """Return the graph of edges in an array, or of an adjacency matrix, with features."""
    sparse = scipy.sparse.issparse(edges) or (
        isinstance(edges, Tensor) and edges.layout != torch.strided
    )
    if not sparse:
        return content_of_arrays(pairs_of(edges), x=x)
    content = from_array(edges) if isinstance(edges, Tensor) else from_sparse(edges)
    return content_of_arrays(content.pairs, content.weight, x)


def pairs_of(array: Any) -> npt.NDArray[np.int64]:
    """Return the edges in an array as [2, E]; one of shape [2, 2] is taken as it is."""
    values = _numpy(array)
    whole = values.dtype.kind in "iu" or (
        values.dtype.kind == "f" and bool((values == np.floor(values)).all())
    )
    if values.ndim != 2 or 2 not in values.shape or not whole:
        raise UserError(
            f"{SHAPES}; found {values.dtype} of shape {list(values.shape)} (an adjacency matrix is "
            "taken as a sparse matrix of scipy)"
        )
    pairs = values if values.shape[0] == 2 else values.T
    return np.ascontiguousarray(pairs, dtype=np.int64)


def matrix(x: Any) -> Tensor:
    """Return features as a tensor [N, d], in CSR if they are sparse."""
    if isinstance(x, Tensor):
        return x.detach().cpu()
    if scipy.sparse.issparse(x):
        return sparse_features(scipy.sparse.csr_matrix(x))
    values = _numpy(x)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise UserError(
            f"features are numbers of shape [nodes, features], found {values.dtype} of shape "
            f"{list(values.shape)}"
        )
    return torch.from_numpy(values.astype(np.float32))


def _weights(weight: Any) -> Tensor:
    values = _numpy(weight)
    values = values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else values
    if values.dtype.kind not in "biuf":
        raise UserError(f"weights of edges are numbers, found {values.dtype}")
    weights = torch.from_numpy(values.astype(np.float64))
    low = (weights <= 0).nonzero()
    if len(low):
        edge = int(low[0])
        value = float(weights.reshape(-1)[edge])
        raise UserError(f"the graph: the weight {value:g} of edge {edge} is not above 0")
    return weights


def _tensor(value: Any, key: str) -> Tensor:
    tensor = torch.as_tensor(_numpy(value))
    if key != "y":
        return tensor
    if tensor.dim() == 2 and tensor.size(1) == 1:
        tensor = tensor.squeeze(1)
    return tensor if tensor.is_floating_point() else tensor.to(torch.int64)


def _numpy(array: Any) -> npt.NDArray[Any]:
    if isinstance(array, Tensor):
        array = array.detach().cpu().numpy()
    return np.asarray(array)


def _scipy(adjacency: Tensor) -> Any:
    entries = adjacency.detach().cpu().to_sparse(layout=torch.sparse_coo).coalesce()
    row, column = entries.indices().numpy()
    return scipy.sparse.coo_array(
        (entries.values().numpy(), (row, column)), shape=tuple(entries.shape)
    )

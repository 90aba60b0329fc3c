"""Features made of the edges, for graphs that come without any: a node's place in the graph."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.csr import csr_tensor
from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.seeds import stream
from homogcl.data.edges import edges_sha256, undirected
from homogcl.data.published.root import cache_root

OVERSAMPLING = 10  # directions that are followed besides the features
LARGE = 100_000  # nodes above which half the digits have to do
STEPS = 4  # of two products; after one, features of ogbn-arxiv tell classes apart half as well
HUGE, FEWER_STEPS = 500_000, 2  # nodes above which a minute would not do for all of them
DIM = 128
_RECIPE = 1  # to be raised when the same edges and seed give other features


def structural_features(
    edge_index: Tensor,
    nodes: int,
    dim: int = DIM,
    *,
    seed: int = 0,
    edge_weight: Tensor | None = None,
) -> Tensor:
    """Return features float32 [N, min(dim, N)] made of the edges alone.

    They are √N·U·√|Λ| of the eigenvalues Λ of D^-1/2 A D^-1/2 that are largest in magnitude,
    found by subspace iteration: nodes with similar neighborhoods get similar features, and nodes
    without edges get zeros. The same seed gives the same features; those of two graphs cannot be
    compared. `edge_index` [2, E] has both directions, sorted by source, then target; weights [E]
    are 1 by default.
    """
    row, col = edge_index.cpu()
    dtype = torch.float64 if nodes <= LARGE else torch.float32
    weight = torch.ones(len(row)) if edge_weight is None else edge_weight.cpu()
    weight = weight.to(torch.float64)
    degree = torch.zeros(nodes, dtype=torch.float64).index_add(0, row, weight)
    scale = torch.where(degree > 0, degree.rsqrt(), 0.0)
    width = min(dim, nodes)
    if not len(row):
        return torch.zeros(nodes, width)
    values = (scale[row] * weight * scale[col]).to(dtype)
    rng = stream(seed, "structural")
    start = torch.randn(nodes, min(width + OVERSAMPLING, nodes), dtype=dtype, generator=rng)
    eigenvalues, u = _leading(_matrix(row, col, values, nodes), start)
    order = eigenvalues.abs().sort(descending=True).indices[:width]
    features: Tensor = nodes**0.5 * u[:, order] * eigenvalues[order].abs().sqrt()
    # Vectors of eigenvalue 0 are arbitrary outside the graph's edges.
    features[degree == 0] = 0.0
    return features.to(torch.float32)


def features_of_edges(graph: Data, seed: int) -> Tensor:
    """Return the structural features of a graph whose edges may come in any form."""
    nodes = int(graph.num_nodes or 0)
    edge_index, weight = undirected(graph.edge_index, nodes, graph.get("edge_weight"))
    return structural_features(edge_index, nodes, seed=seed, edge_weight=weight)


def cached_structural_features(graph: Data) -> Tensor:
    """Return `structural_features` of a data set; those of a large one are computed only once.

    Above `LARGE` nodes, where they take a minute or more, the folder `structural` of the XDG cache
    keeps them, by the hash of the edges. A cache that cannot be read or written is ignored.
    """
    nodes = int(graph.num_nodes or 0)
    weight = graph.get("edge_weight")
    if nodes <= LARGE:
        return structural_features(graph.edge_index, nodes, edge_weight=weight)
    path = cache_root() / "structural" / f"{edges_sha256(graph)[:32]}-{DIM}-{_RECIPE}.npy"
    cached = _cached(path, nodes)
    if cached is not None:
        return cached
    features = structural_features(graph.edge_index, nodes, edge_weight=weight)
    buffer = io.BytesIO()
    np.save(buffer, features.numpy(), allow_pickle=False)
    with contextlib.suppress(UserError):
        write_atomically(path, buffer.getvalue())
    return features


def _cached(path: Path, nodes: int) -> Tensor | None:
    try:
        features = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    fits = isinstance(features, np.ndarray) and features.shape == (nodes, DIM)
    return torch.from_numpy(features) if fits and features.dtype == np.float32 else None


def _leading(matrix: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
    """Return eigenvalues and vectors of a symmetric matrix in the span of its powers of `start`."""
    q = start
    for _ in range(STEPS if len(start) <= HUGE else FEWER_STEPS):
        # No eigenvalue is above 1, so that two products in a row cannot overflow.
        q = torch.linalg.qr(matrix @ (matrix @ q)).Q
    values, vectors = torch.linalg.eigh(q.t() @ (matrix @ q))
    return values, q @ vectors


def _matrix(row: Tensor, col: Tensor, values: Tensor, nodes: int) -> Tensor:
    """Return a matrix in CSR from entries sorted by row, then column."""
    starts = torch.zeros(nodes + 1, dtype=torch.int64)
    starts[1:] = torch.bincount(row, minlength=nodes).cumsum(0)
    return csr_tensor(starts, col, values, (nodes, nodes), check=True)

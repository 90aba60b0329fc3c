"""Dense adjacency, scores and cross-entropies as plain loops, for the tests of infomax methods."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch_geometric.data import Data


def small_graph(*, sparse: bool = False) -> Data:
    """Nine nodes with five features in float64: a ring of six, a chord, a pair, a lone node."""
    rng = torch.Generator().manual_seed(3)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (6, 7)]
    edge_index = torch.tensor(sorted(pairs + [(j, i) for i, j in pairs])).t().contiguous()
    x = torch.randn(9, 5, generator=rng, dtype=torch.float64)
    x = x * (torch.rand(9, 5, generator=rng) < 0.6)
    return Data(x=x.to_sparse_csr() if sparse else x, edge_index=edge_index, num_nodes=9)


def edge_set(graph: Data) -> set[tuple[int, int]]:
    """The edges as a set of pairs."""
    return {(int(i), int(j)) for i, j in graph.edge_index.t()}


def normalized(graph: Data, loop_weight: float = 1.0) -> Tensor:
    """D^-1/2 (A + wI) D^-1/2 as a dense matrix, [N, N], entry by entry."""
    n, edges = int(graph.num_nodes or 0), edge_set(graph)
    degree = [loop_weight + sum((i, j) in edges for j in range(n)) for i in range(n)]
    dense = torch.zeros(n, n, dtype=torch.float64)
    for i in range(n):
        for j in range(n):
            a = loop_weight if i == j else float((i, j) in edges)
            dense[i, j] = a / math.sqrt(degree[i] * degree[j])
    return dense


def prelu(h: Tensor, slope: Tensor) -> Tensor:
    """PReLU with one slope for all columns."""
    return torch.where(h > 0, h, slope * h)


def cross_entropy(positive: Iterable[Tensor], negative: Iterable[Tensor]) -> Tensor:
    """Mean of -log σ over positive scores plus mean of -log(1 - σ) over negative ones."""
    real = [-torch.log(torch.sigmoid(score)) for score in positive]
    fake = [-torch.log(1 - torch.sigmoid(score)) for score in negative]
    return sum(real, torch.zeros(())) / len(real) + sum(fake, torch.zeros(())) / len(fake)


def affine(layer: nn.Module) -> tuple[Tensor, Tensor]:
    """The weight and the bias of a layer."""
    return layer.get_parameter("weight"), layer.get_parameter("bias")

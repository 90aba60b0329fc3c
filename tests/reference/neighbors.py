"""Cosines and neighbor pairs as plain loops, and a watch over the size of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.data import Data

from homogcl.homophily.positives import Combine, Positives


def doubled(graph: Data) -> Data:
    """The graph with features in float64."""
    return Data(x=graph.x.double(), edge_index=graph.edge_index, num_nodes=graph.num_nodes)


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of two vectors."""
    return (a * b).sum() / ((a * a).sum().sqrt() * (b * b).sum().sqrt())


def symmetric_pairs(nodes: int, seed: int, density: float) -> Tensor:
    """Pairs of different nodes in both directions, sorted, [2, P]."""
    rng = torch.Generator().manual_seed(seed)
    half = (torch.rand(nodes, nodes, generator=rng) < density).triu(1)
    return (half | half.t()).nonzero().t()


def weighted_pairs(edge_index: Tensor, combine: Combine = Combine.SUM, seed: int = 5) -> Positives:
    """The edges with random weights in [0, 1], the same in both directions."""
    rng = torch.Generator().manual_seed(seed)
    nodes = int(edge_index.max()) + 1
    square = torch.rand(nodes, nodes, generator=rng, dtype=torch.float64)
    square = (square + square.t()) / 2
    return Positives(edge_index, square[edge_index[0], edge_index[1]], combine=combine)


def neighbor_mean(a: Tensor, b: Tensor, positives: Positives) -> Tensor:
    """The mean over the pairs of S_ij cos(a_i, b_j), pair by pair."""
    total = torch.zeros((), dtype=a.dtype)
    pairs = positives.edge_index.t().tolist()
    for (i, j), weight in zip(pairs, positives.weight, strict=True):
        total = total + weight * cosine(a[i], b[j])
    return total / len(pairs)


def mean_cosine(a: Tensor, b: Tensor) -> Tensor:
    """The mean over the nodes of cos(a_i, b_i), node by node."""
    return torch.stack([cosine(a[i], b[i]) for i in range(a.size(0))]).mean()


class LargestTensor(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Remembers how many numbers the largest tensor held that any operation made."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.numel = 0

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run the operation and look at what it made."""
        result = func(*args, **(kwargs or {}))
        for each in result if isinstance(result, tuple | list) else [result]:
            if isinstance(each, Tensor) and each.layout == torch.strided:
                self.numel = max(self.numel, each.numel())
        return result


def averaged(own: Tensor, near: Tensor, positives: Positives) -> Tensor:
    """The mean of scores [N] and [N, N] over each node's positives, node by node, [N]."""
    sums, weights = list(own), [torch.ones((), dtype=own.dtype) for _ in own]
    for (i, j), weight in zip(positives.edge_index.t().tolist(), positives.weight, strict=True):
        sums[i] = sums[i] + weight * near[i, j]
        weights[i] = weights[i] + weight
    return torch.stack([total / weight for total, weight in zip(sums, weights, strict=True)])


def cosines(a: Tensor, b: Tensor) -> Tensor:
    """The cosine of every row of one with every row of the other, pair by pair."""
    return torch.stack([torch.stack([cosine(x, y) for y in b]) for x in a])

"""What a graph does to rows of its nodes: sums by Â and means over neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.csr import csr_tensor
from homogcl.data.mapped import is_on_disk, release
from homogcl.nn.changed import source_features
from homogcl.nn.sparse import Pattern, Sparse, product, propagate

MOST_EDGES: Final = 2**22  # of a graph on disk that are brought into memory together
_EDGES: Final = 2**22  # that are looked at together
_ROWS: Final = 2**16  # of the operator that are computed together


@dataclass(frozen=True)
class Normalized:
    """The operator Â of a graph, or some rows of it; self-loops are a diagonal, not edges."""

    matrix: Sparse  # without the self-loops, [n, N]
    loops: Tensor  # the self-loops of these rows, [n, 1]
    rows: slice  # which rows

    @classmethod
    def of(cls, graph: Data) -> Normalized:
        """Return the operator of `graph`."""
        n = int(graph.num_nodes or 0)
        source, target = graph.edge_index
        weight = edge_weights(graph)
        degree = weight.new_ones(n).index_add_(0, target, weight)
        scale = degree.rsqrt()
        # The pattern's rows are the sources, so its transpose aggregates at the targets.
        by_source = Pattern.of_graph(graph).with_values(
            scale.index_select(0, source) * weight * scale.index_select(0, target)
        )
        matrix = Sparse(by_source.transposed, by_source.csr)
        return cls(matrix, degree.reciprocal()[:, None], slice(0, n))

    def part(self, start: int, stop: int) -> Normalized:
        """Return the operator's rows `start` to `stop`."""
        return Normalized(self.matrix.part(start, stop), self.loops[start:stop], slice(start, stop))

    def __call__(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return these rows of Â x + b, [n, d]."""
        if self.loops.size(0) == x.size(0):
            return propagate(self.matrix, x, self.loops, bias)
        return torch.addcmul(product(self.matrix, x), x[self.rows], self.loops) + bias


@dataclass(frozen=True)
class MappedNormalized:
    """The operator Â of a graph on disk, of whose edges one block's are in memory at a time."""

    graph: Data
    degree: Tensor  # with the self-loops, [N]
    mask: Tensor | None = None  # of the edges that count, [E]; all without it

    @classmethod
    def of(cls, graph: Data, mask: Tensor | None = None) -> MappedNormalized | None:
        """Return the operator of `graph`, or None where edges do not go both ways."""
        n = int(graph.num_nodes or 0)
        degree = torch.ones(n, dtype=graph.x.dtype)
        count = torch.zeros(n, dtype=torch.int64)
        for start in range(0, graph.num_edges, _EDGES):
            stop = min(start + _EDGES, graph.num_edges)
            target = graph.edge_index[1, start:stop]
            degree.index_add_(0, target, _weights(graph, start, stop, mask))
            count.index_add_(0, target, torch.ones_like(target))
            release(graph)
        return cls(graph, degree, mask) if torch.equal(count, graph.crow.diff()) else None

    def part(self, start: int, stop: int) -> Normalized:
        """Return the operator's rows `start` to `stop`."""
        graph, scale = self.graph, self.degree.rsqrt()
        crow = graph.crow[start : stop + 1]
        first, last = int(crow[0]), int(crow[-1])
        source = graph.edge_index[1, first:last]
        target = torch.repeat_interleave(torch.arange(start, stop), crow.diff())
        values = scale[source] * _weights(graph, first, last, self.mask) * scale[target]
        size = (stop - start, len(scale))
        csr = csr_tensor((crow - first).int(), source.int(), values, size)
        # The transpose serves the backward pass only.
        matrix = Sparse(csr, csr)
        release(graph)
        return Normalized(matrix, self.degree.reciprocal()[start:stop, None], slice(start, stop))

    def __call__(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return Â x + b, [N, d]."""
        h = torch.empty_like(x)
        for start in range(0, len(x), _ROWS):
            stop = min(start + _ROWS, len(x))
            part = self.part(start, stop)
            h[start:stop] = torch.addcmul(product(part.matrix, x), x[part.rows], part.loops) + bias
        return h


Operator: TypeAlias = Normalized | MappedNormalized


def normalized(graph: Data, mask: Tensor | None = None) -> Operator:
    """Return the operator Â; that of a large graph on disk, without a gradient, works by blocks.

    Args:
        graph: With edges in both directions.
        mask: Of the edges that count, both directions of each, [E]; all without it.
    """
    if is_on_disk(graph) and graph.num_edges > MOST_EDGES and not torch.is_grad_enabled():
        mapped = MappedNormalized.of(graph, mask)
        if mapped is not None:
            return mapped
    return Normalized.of(graph if mask is None else with_edges(graph, mask))


def with_edges(graph: Data, mask: Tensor) -> Data:
    """Return features and nodes of `graph` with the edges of `mask` [E] only."""
    part = Data(x=graph.x, edge_index=graph.edge_index[:, mask], num_nodes=graph.num_nodes)
    if graph.get("edge_weight") is not None:
        part.edge_weight = graph.edge_weight[mask]
    return part


@dataclass(frozen=True)
class Averages:
    """The row-stochastic adjacency of a graph, or some rows of it."""

    matrix: Sparse  # [n, N]; nodes without neighbors have a zero row
    rows: slice  # which rows

    @classmethod
    def of(cls, graph: Data) -> Averages:
        """Return the means over all neighbors in `graph`, by edge weights."""
        n = int(graph.num_nodes or 0)
        target = graph.edge_index[1]
        weight = edge_weights(graph)
        degree = weight.new_zeros(n).index_add_(0, target, weight)
        degree = torch.where(degree > 0, degree, 1.0)
        by_source = Pattern.of_graph(graph).with_values(weight / degree.index_select(0, target))
        return cls(Sparse(by_source.transposed, by_source.csr), slice(0, n))

    def part(self, start: int, stop: int) -> Averages:
        """Return the rows `start` to `stop`."""
        return Averages(self.matrix.part(start, stop), slice(start, stop))


def edge_weights(graph: Data) -> Tensor:
    """Return the weight of each edge, [E]: 1 where the graph has no weights."""
    if graph.edge_weight is not None:
        weight: Tensor = graph.edge_weight
        return weight
    dtype = source_features(graph).dtype
    return torch.ones(graph.edge_index.size(1), dtype=dtype, device=graph.edge_index.device)


def _weights(graph: Data, start: int, stop: int, mask: Tensor | None) -> Tensor:
    """Return the weights of some edges of a graph on disk, 0 for those that do not count."""
    if graph.edge_weight is None:
        weight = torch.ones(stop - start, dtype=graph.x.dtype)
    else:
        weight = graph.edge_weight[start:stop]
    return weight if mask is None else weight * mask[start:stop]

"""Layers over a graph, each of which can be computed for one block of nodes after another.

A layer has three parts. `structure` is what all layers of a network share of a graph; `project`
maps each node's row on its own; `combine` joins each row with those that it is linked to. A layer
that is called does the last two for all nodes. `part` of a structure is that of one block's rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from homogcl.nn.sparse import Pattern, Sparse, product, propagate, sparse


class Structure(Protocol):
    """What the layers of one network share of a graph."""

    def part(self, start: int, stop: int) -> Any:
        """Return what `combine` needs for the nodes `start` to `stop`."""
        ...


class Layer(nn.Module):
    """The interface of all layers."""

    @staticmethod
    def structure(graph: Data) -> Structure:
        """Return what all layers of this kind share of `graph`."""
        raise NotImplementedError

    def project(self, x: Tensor) -> Tensor:
        """Return each row of `x` mapped on its own, [n, fan_out]."""
        raise NotImplementedError

    def input_weight(self) -> Tensor | None:
        """Return W of a layer whose `project(x)` is x W and may be shared by views, else None."""
        return None

    def combine(self, x: Tensor, z: Tensor, structure: Any) -> Tensor:
        """Return the layer's output for the nodes of `structure`, [n, fan_out].

        `x` are the rows of these nodes, [n, fan_in], `z` the projected rows of all, [N, fan_out].
        """
        raise NotImplementedError

    def forward(self, x: Tensor, structure: Any) -> Tensor:
        """Return the layer's output for all nodes, [N, fan_out]."""
        return self.combine(x, self.project(x), structure)


class GCNLayer(Layer):
    """x -> Â x W + b with Â = D̃^-1/2 (A + I) D̃^-1/2, degrees counted at the target."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Normalized:
        """Return the operator Â."""
        return Normalized.of(graph)

    def project(self, x: Tensor) -> Tensor:
        """Return x W, [n, fan_out]."""
        return multiply(x, self.weight)

    def input_weight(self) -> Tensor:
        """Return W."""
        return self.weight

    def combine(self, x: Tensor, z: Tensor, structure: Normalized) -> Tensor:
        """Return the rows of Â z + b; `x` is not needed."""
        return structure(z, self.bias)


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
        by_source = Pattern.of(graph.edge_index, n).with_values(
            scale[source] * weight * scale[target]
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


class SAGELayer(Layer):
    """x -> W_root x + W_mean (mean of the neighbors) + b."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        super().__init__()
        self.root = _glorot(fan_in, fan_out)
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Sparse:
        """Return the row-stochastic adjacency; nodes without neighbors have a zero row."""
        n = int(graph.num_nodes or 0)
        target = graph.edge_index[1]
        weight = edge_weights(graph)
        degree = weight.new_zeros(n).index_add_(0, target, weight)
        degree = torch.where(degree > 0, degree, 1.0)
        by_source = Pattern.of(graph.edge_index, n).with_values(weight / degree[target])
        return Sparse(by_source.transposed, by_source.csr)

    def project(self, x: Tensor) -> Tensor:
        """Return x W_mean, [n, fan_out]."""
        return multiply(x, self.weight)

    def combine(self, x: Tensor, z: Tensor, structure: Sparse) -> Tensor:
        """Return the rows of x W_root + (mean of the neighbors' z) + b."""
        return multiply(x, self.root) + product(structure, z) + self.bias


class DenseLayer(Layer):
    """x -> x W + b, blind to the graph."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Rows:
        """Return all rows: the layer uses no edge."""
        return Rows()

    def project(self, x: Tensor) -> Tensor:
        """Return x W + b, [n, fan_out]."""
        return multiply(x, self.weight) + self.bias

    def combine(self, x: Tensor, z: Tensor, structure: Rows) -> Tensor:
        """Return the rows as they are."""
        return structure.take(z)


@dataclass(frozen=True)
class Rows:
    """Some rows of a matrix, by default all."""

    span: slice | None = None

    def part(self, start: int, stop: int) -> Rows:
        """Return the rows `start` to `stop`."""
        return Rows(slice(start, stop))

    def take(self, z: Tensor) -> Tensor:
        """Return these rows of `z`."""
        return z if self.span is None else z[self.span]


class GATLayer(Layer):
    """Graph attention by torch_geometric, heads concatenated; it takes no edge weights."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Split `fan_out` over the heads."""
        super().__init__()
        self.attention = GATConv(fan_in, fan_out // heads, heads=heads)

    @staticmethod
    def structure(graph: Data) -> _AllEdges:
        """Return the edges."""
        return _AllEdges(graph.edge_index)

    def project(self, x: Tensor) -> Tensor:
        """Return the rows, dense: the attention maps them itself."""
        return dense(x)

    def combine(self, x: Tensor, z: Tensor, structure: _AllEdges | _EdgesInto) -> Tensor:
        """Return the attention of nodes to their neighbors among the rows `z`."""
        return structure.attend(self.attention, z)


@dataclass(frozen=True)
class _AllEdges:
    """The edges of a graph."""

    edge_index: Tensor  # int64 [2, E]

    def part(self, start: int, stop: int) -> _EdgesInto:
        """Return the edges into the nodes `start` to `stop`."""
        source, target = self.edge_index
        source, target = (end[(target >= start) & (target < stop)] for end in (source, target))
        others = torch.unique(source)
        others = others[(others < start) | (others >= stop)]
        block = torch.arange(start, stop, device=source.device)
        place = torch.searchsorted(others, source) + block.numel()
        local = torch.where((source >= start) & (source < stop), source - start, place)
        return _EdgesInto(
            torch.cat([block, others]), torch.stack([local, target - start]), block.numel()
        )

    def attend(self, attention: nn.Module, z: Tensor) -> Tensor:
        """Return the attention of all nodes, [N, d]."""
        result: Tensor = attention(z, self.edge_index)
        return result


@dataclass(frozen=True)
class _EdgesInto:
    """The edges into one block of nodes, whose own numbers come first."""

    nodes: Tensor  # int64 [n], the block's nodes and then the others that edges come from
    edge_index: Tensor  # int64 [2, P], counted in `nodes`
    count: int  # nodes of the block

    def attend(self, attention: nn.Module, z: Tensor) -> Tensor:
        """Return the attention of the block's nodes to those around them, [count, d]."""
        near = z[self.nodes]
        result: Tensor = attention((near, near[: self.count]), self.edge_index)
        return result


def multiply(x: Tensor, weight: Tensor) -> Tensor:
    """Return x W for dense features or for `torch.sparse_csr` ones, [N, d]."""
    return product(sparse(x), weight) if x.layout == torch.sparse_csr else x @ weight


def dense(x: Tensor) -> Tensor:
    """Return dense features or `torch.sparse_csr` ones as dense ones, [N, d]."""
    return x.to_dense() if x.layout == torch.sparse_csr else x


def edge_weights(graph: Data) -> Tensor:
    """Return the weight of each edge, [E]: 1 where the graph has no weights."""
    if graph.edge_weight is not None:
        weight: Tensor = graph.edge_weight
        return weight
    dtype = graph.x.dtype
    return torch.ones(graph.edge_index.size(1), dtype=dtype, device=graph.edge_index.device)


def _glorot(fan_in: int, fan_out: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(fan_in, fan_out)))

"""Layers over a graph, each for all nodes at once or for one block of nodes after another.

A layer has three parts. `structure` is what all layers of a network share of a graph; `project`
maps rows of nodes, each on its own; `combine` joins each row with those it is linked to. Calling
a layer does both for all nodes. `part` cuts the structure down to the rows of one block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from homogcl.nn.sparse import Pattern, Sparse, product, propagate, row_range, sparse, take_rows


class GCNLayer(nn.Module):
    """x -> Â x W + b with Â = D̃^-1/2 (A + I) D̃^-1/2, degrees counted at the target."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Normalized:
        """Return what all layers share of the graph."""
        return Normalized(graph)

    @staticmethod
    def part(adjacency: Normalized, start: int, stop: int) -> Normalized:
        """Return the rows `start` to `stop` of the operator."""
        return adjacency.part(start, stop)

    def project(self, x: Tensor) -> Tensor:
        """Return x W, [n, fan_out]."""
        return multiply(x, self.weight)

    def combine(self, x: Tensor, z: Tensor, adjacency: Normalized) -> Tensor:
        """Return the rows of Â z + b; `x` is not needed."""
        return adjacency(z, self.bias)

    def forward(self, x: Tensor, adjacency: Normalized) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return self.combine(x, self.project(x), adjacency)


class Normalized:
    """The operator Â of a graph; the self-loops are applied as a diagonal, not as edges."""

    def __init__(self, graph: Data) -> None:
        """Work out degrees and the sparse operator of `graph`."""
        n = int(graph.num_nodes or 0)
        source, target = graph.edge_index
        weight = edge_weights(graph)
        degree = weight.new_ones(n).index_add_(0, target, weight)
        scale = degree.rsqrt()
        # The pattern's rows are the sources, so its transpose aggregates at the targets.
        by_source = Pattern.of(graph.edge_index, n).with_values(
            scale[source] * weight * scale[target]
        )
        self.matrix = Sparse(by_source.transposed, by_source.csr)
        self.loops = degree.reciprocal()[:, None]
        self.rows = slice(0, n)

    def part(self, start: int, stop: int) -> Normalized:
        """Return the same operator for the rows `start` to `stop` of its result."""
        some = object.__new__(Normalized)
        some.matrix = row_range(self.matrix, start, stop)
        some.loops, some.rows = self.loops[start:stop], slice(start, stop)
        return some

    def __call__(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return the rows of Â x + b, [N, d] for all of them."""
        if self.loops.size(0) == x.size(0):
            return propagate(self.matrix, x, self.loops, bias)
        return torch.addcmul(product(self.matrix, x), x[self.rows], self.loops) + bias


class SAGELayer(nn.Module):
    """x -> W_root x + W_mean (mean of the neighbors) + b."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
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

    @staticmethod
    def part(adjacency: Sparse, start: int, stop: int) -> Sparse:
        """Return the rows `start` to `stop` of the adjacency."""
        return row_range(adjacency, start, stop)

    def project(self, x: Tensor) -> Tensor:
        """Return x W_mean, [n, fan_out]."""
        return multiply(x, self.weight)

    def combine(self, x: Tensor, z: Tensor, adjacency: Sparse) -> Tensor:
        """Return the rows of x W_root + (mean of the neighbors' z) + b."""
        return multiply(x, self.root) + product(adjacency, z) + self.bias

    def forward(self, x: Tensor, adjacency: Sparse) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return self.combine(x, self.project(x), adjacency)


class DenseLayer(nn.Module):
    """x -> x W + b, blind to the graph."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Make Glorot weights and a zero bias."""
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> None:
        """Return nothing: the layer uses no edge."""

    @staticmethod
    def part(nothing: None, start: int, stop: int) -> slice:
        """Return the rows that are asked for."""
        return slice(start, stop)

    def project(self, x: Tensor) -> Tensor:
        """Return x W + b, [n, fan_out]."""
        return multiply(x, self.weight) + self.bias

    def combine(self, x: Tensor, z: Tensor, rows: slice) -> Tensor:
        """Return the rows as they are."""
        return z[rows]

    def forward(self, x: Tensor, nothing: None) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        return self.project(x)


@dataclass(frozen=True)
class _EdgesInto:
    """The edges into one block of nodes, whose own numbers come first."""

    nodes: Tensor  # int64 [n], the block's nodes and then the others that edges come from
    edge_index: Tensor  # int64 [2, P], counted in `nodes`
    count: int  # nodes of the block


class GATLayer(nn.Module):
    """Graph attention by torch_geometric, heads concatenated; it takes no edge weights."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Split `fan_out` over the heads."""
        super().__init__()
        self.attention = GATConv(fan_in, fan_out // heads, heads=heads)

    @staticmethod
    def structure(graph: Data) -> Tensor:
        """Return the edges."""
        edges: Tensor = graph.edge_index
        return edges

    @staticmethod
    def part(edge_index: Tensor, start: int, stop: int) -> _EdgesInto:
        """Return the edges into the nodes `start` to `stop`."""
        source, target = edge_index
        source, target = (end[(target >= start) & (target < stop)] for end in (source, target))
        others = torch.unique(source)
        others = others[(others < start) | (others >= stop)]
        block = torch.arange(start, stop, device=source.device)
        place = torch.searchsorted(others, source) + block.numel()
        local = torch.where((source >= start) & (source < stop), source - start, place)
        return _EdgesInto(
            torch.cat([block, others]), torch.stack([local, target - start]), block.numel()
        )

    def project(self, x: Tensor) -> Tensor:
        """Return the rows, dense: the attention maps them itself."""
        return x.to_dense() if x.layout == torch.sparse_csr else x

    def combine(self, x: Tensor, z: Tensor, edges: _EdgesInto) -> Tensor:
        """Return the attention of one block's nodes to their neighbors among the rows `z`."""
        near = z[edges.nodes]
        result: Tensor = self.attention((near, near[: edges.count]), edges.edge_index)
        return result

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the layer's output, [N, fan_out]."""
        result: Tensor = self.attention(self.project(x), edge_index)
        return result


def in_blocks(layer: Any, tail: nn.Module, x: Tensor, structure: Any, block: int) -> Tensor:
    """Return `tail(layer(x, structure))`, [N, fan_out], for `block` nodes at a time.

    The tail must take each node for itself, as norms do in evaluation mode. Beside input and
    output only the projected rows of all nodes exist at once.
    """

    def projected(start: int, stop: int) -> Tensor:
        rows: Tensor = layer.project(_range(x, start, stop))
        return rows

    z = _filled(x.size(0), block, projected)

    def combined(start: int, stop: int) -> Tensor:
        part = layer.part(structure, start, stop)
        rows: Tensor = tail(layer.combine(_range(x, start, stop), z, part))
        return rows

    return _filled(x.size(0), block, combined)


def _filled(nodes: int, block: int, rows: Callable[[int, int], Tensor]) -> Tensor:
    """Return the rows of all blocks in one tensor, which exists from the first block on."""
    first = rows(0, min(block, nodes))
    whole = first.new_empty(nodes, first.size(1))
    whole[:block] = first
    for start in range(block, nodes, block):
        stop = min(start + block, nodes)
        whole[start:stop] = rows(start, stop)
    return whole


def _range(x: Tensor, start: int, stop: int) -> Tensor:
    return take_rows(x, torch.arange(start, stop, device=x.device))


def multiply(x: Tensor, weight: Tensor) -> Tensor:
    """Return x W for dense features or for `torch.sparse_csr` ones, [N, d]."""
    return product(sparse(x), weight) if x.layout == torch.sparse_csr else x @ weight


def edge_weights(graph: Data) -> Tensor:
    """Return the weight of each edge, [E]: all 1 where the graph states none."""
    if graph.edge_weight is not None:
        weight: Tensor = graph.edge_weight
        return weight
    dtype = graph.x.dtype
    return torch.ones(graph.edge_index.size(1), dtype=dtype, device=graph.edge_index.device)


def _glorot(fan_in: int, fan_out: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(fan_in, fan_out)))

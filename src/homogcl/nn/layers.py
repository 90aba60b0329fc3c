"""Layers over a graph, each of which can be computed for one block of nodes after another.

A layer has three parts. `structure` is what all layers of a network share of a graph; `project`
maps each node's row on its own; `combine` joins each row with those that it is linked to. A layer
that is called does the last two for all nodes. `part` of a structure is that of one block's rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from homogcl.nn.attention import attend, attention, pairs_into
from homogcl.nn.operators import Averages, Operator, normalized
from homogcl.nn.rows import multiply_rows
from homogcl.nn.sparse import Pattern, join_means, product, sparse

Projected: TypeAlias = tuple[Tensor, ...]  # rows mapped on their own, by each weight of a layer


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

    def project(self, x: Tensor) -> Projected:
        """Return each row of `x` mapped on its own: one matrix or more, each [n, fan_out]."""
        return products(x, self.input_weights())

    def input_weights(self) -> tuple[Tensor, ...]:
        """Return each W of a layer whose `project(x)` are x W and may be shared by views."""
        return ()

    def combine(self, z: Projected, structure: Any) -> Tensor:
        """Return the layer's output for the nodes of `structure`, [n, fan_out].

        `z` are the projected rows of all nodes, [N, fan_out].
        """
        raise NotImplementedError

    def forward(self, x: Tensor, structure: Any) -> Tensor:
        """Return the layer's output for all nodes, [N, fan_out]."""
        return self.combine(self.project(x), structure)


class GCNLayer(Layer):
    """x -> Â x W + b with Â = D̃^-1/2 (A + I) D̃^-1/2, degrees counted at the target."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        super().__init__()
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Operator:
        """Return the operator Â."""
        return normalized(graph)

    def input_weights(self) -> tuple[Tensor]:
        """Return W."""
        return (self.weight,)

    def combine(self, z: Projected, structure: Operator) -> Tensor:
        """Return the rows of Â x W + b."""
        [projected] = z
        return structure(projected, self.bias)


class SAGELayer(Layer):
    """x -> W_root x + W_mean (mean of the neighbors) + b."""

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        super().__init__()
        self.root = _glorot(fan_in, fan_out)
        self.weight = _glorot(fan_in, fan_out)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    @staticmethod
    def structure(graph: Data) -> Averages:
        """Return the means over neighbors."""
        return Averages.of(graph)

    def input_weights(self) -> tuple[Tensor, Tensor]:
        """Return W_root and W_mean."""
        return self.root, self.weight

    def combine(self, z: Projected, structure: Averages) -> Tensor:
        """Return the rows of x W_root + (mean of the neighbors' x W_mean) + b."""
        own, near = z
        return join_means(own[structure.rows], structure.matrix, near, self.bias)


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

    def project(self, x: Tensor) -> tuple[Tensor]:
        """Return x W + b, [n, fan_out]."""
        return (multiply(x, self.weight) + self.bias,)

    def combine(self, z: Projected, structure: Rows) -> Tensor:
        """Return the rows as they are."""
        [projected] = z
        return structure.take(projected)


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
    """Graph attention, heads concatenated; it takes no edge weights.

    torch_geometric's layer holds the parameters; sparse products compute what it would.
    """

    def __init__(self, fan_in: int, fan_out: int, heads: int = 1) -> None:
        """Split `fan_out` over the heads."""
        super().__init__()
        self.attention = GATConv(fan_in, fan_out // heads, heads=heads)

    @staticmethod
    def structure(graph: Data) -> Attention:
        """Return the pairs of nodes and those that they attend to."""
        return Attention(pairs_into(graph), slice(0, int(graph.num_nodes or 0)))

    def input_weights(self) -> tuple[Tensor]:
        """Return W of all heads."""
        weight: Tensor = self.attention.lin.weight
        return (weight.t(),)

    def combine(self, z: Projected, structure: Attention) -> Tensor:
        """Return the attention of nodes to their neighbors among the rows of `z`."""
        [projected] = z
        toward, away = (
            projected @ torch.block_diag(*vector[0].unsqueeze(2))  # type: ignore[no-untyped-call]
            for vector in (self.attention.att_dst, self.attention.att_src)
        )
        alpha = attention(toward[structure.rows], away, structure.pairs)
        bias: Tensor = self.attention.bias
        return attend(alpha, projected, structure.pairs) + bias


@dataclass(frozen=True)
class Attention:
    """Pairs of some nodes, by default all, and those that they attend to."""

    pairs: Pattern  # (target, source), [n, N]
    rows: slice  # which targets

    def part(self, start: int, stop: int) -> Attention:
        """Return the pairs of the nodes `start` to `stop`."""
        pairs = self.pairs
        inside = slice(int(pairs.crow[start]), int(pairs.crow[stop]))
        size = (stop - start, pairs.size[1])
        part = Pattern.at(pairs.row[inside] - start, pairs.col[inside], size)
        return Attention(part, slice(start, stop))


def multiply(x: Tensor, weight: Tensor) -> Tensor:
    """Return x W for dense features or for `torch.sparse_csr` ones, [N, d]."""
    [result] = products(x, (weight,))
    return result


def products(x: Tensor, weights: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return x W of each weight, as `multiply` does."""
    if x.layout != torch.sparse_csr:
        return tuple(multiply_rows(x, weight) for weight in weights)
    matrix = sparse(x)
    return tuple(product(matrix, weight) for weight in weights)


def dense(x: Tensor) -> Tensor:
    """Return dense features or `torch.sparse_csr` ones as dense ones, [N, d]."""
    return x.to_dense() if x.layout == torch.sparse_csr else x


def _glorot(fan_in: int, fan_out: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(fan_in, fan_out)))

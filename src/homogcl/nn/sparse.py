"""Sparse-dense products with exact gradients, which never gather a row per edge.

Indices are int32: the CPU kernels take them as they are, and convert int64 at every call.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.core.csr import counts_before, csr_tensor, places
from homogcl.core.errors import UserError
from homogcl.data.shared_rows import SharedRows
from homogcl.nn.rows import few_rows


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix beside its transpose, so that products have a fast backward pass."""

    csr: Tensor  # [n, m]
    transposed: Tensor  # [m, n]

    def part(self, start: int, stop: int) -> Sparse:
        """Return the rows `start` to `stop`, ready for `product`."""
        return sparse(take_rows(self.csr, torch.arange(start, stop, device=self.csr.device)))


@dataclass(frozen=True)
class Pattern:
    """The positions (row, col) of a matrix's entries, sorted by row and sorted by column."""

    row: Tensor  # int64 [P], sorted
    col: Tensor  # int64 [P]
    crow: Tensor  # int32 [n + 1]
    columns: Tensor  # int32 [P], `col` as the kernels take it
    to_transposed: Tensor  # int64 [P], the pairs in the order of (col, row)
    transposed_crow: Tensor  # int32 [m + 1]
    transposed_columns: Tensor  # int32 [P], `row` in that order
    size: tuple[int, int]

    @classmethod
    def of(cls, edge_index: Tensor, nodes: int) -> Pattern:
        """Return the pattern of the edges [2, P], sorted by source, of a graph of `nodes` nodes."""
        row, col = edge_index
        return cls.at(row, col, (nodes, nodes))

    @classmethod
    def of_graph(cls, graph: Data) -> Pattern:
        """Return the pattern of a graph's edges: the one it has by `with_pattern`, or a new one."""
        pattern: Pattern | None = graph.get("pattern")
        nodes = int(graph.num_nodes or 0)
        if pattern is not None and pattern.is_of(graph.edge_index, nodes):
            return pattern
        return cls.of(graph.edge_index, nodes)

    @classmethod
    def both_ways(cls, edges: Tensor | Pattern, nodes: int) -> Pattern:
        """Return the pattern of pairs [2, P] that are sorted, each once in both directions.

        Other pairs are refused: unsorted, one-way, repeated, or of a node with itself.
        """
        pattern = edges if isinstance(edges, Pattern) else cls.of(edges, nodes)
        if not pattern.goes_both_ways:
            raise UserError(_flaw(pattern.row, pattern.col, nodes))
        return pattern

    @cached_property
    def goes_both_ways(self) -> bool:
        """Whether each pair is there once in both directions, and none of a node with itself.

        All steps of a training ask it of one graph.
        """
        row, col = self.row, self.col
        # The sort that the transpose needs anyway also shows whether it is the matrix itself.
        mirrored = torch.equal(self.transposed_columns, self.columns)
        return not (
            not mirrored
            or not torch.equal(self.transposed_crow, self.crow)
            or bool((row == col).any())
            or bool(((row[1:] == row[:-1]) & (col[1:] == col[:-1])).any())
        )

    @cached_property
    def upper(self) -> tuple[Tensor, Tensor, Tensor]:
        """Row pointers and columns of the pairs (i, j), i <= j, and each pair's place among them.

        A pair with i > j has the place of its reverse, which must be there.
        """
        is_upper = self.row <= self.col
        before = counts_before(is_upper)
        place = torch.where(is_upper, before[:-1], before.index_select(0, self.to_transposed))
        return before.index_select(0, self.crow).to(torch.int32), self.columns[is_upper], place

    @classmethod
    def at(cls, row: Tensor, col: Tensor, size: tuple[int, int]) -> Pattern:
        """Return the pattern of pairs that are sorted by row; unsorted ones are refused."""
        if bool((row[1:] < row[:-1]).any()):
            raise UserError(
                "edge_index is not sorted by source: torch_geometric's coalesce() sorts it"
            )
        order = torch.argsort(col, stable=True)
        return cls(
            row,
            col,
            _pointers(row, size[0]),
            col.to(torch.int32),
            order,
            _pointers(col, size[1]),
            row.to(torch.int32)[order],
            size,
        )

    def is_of(self, edge_index: Tensor, nodes: int) -> bool:
        """Return whether this is the pattern of these very edges [2, P]."""
        same = self.row.data_ptr() == edge_index.data_ptr() and self.row.device == edge_index.device
        return same and self.row.numel() == edge_index.size(1) and self.size == (nodes, nodes)

    def part(self, survives: Tensor, edge_index: Tensor) -> Pattern:
        """Return the pattern of those pairs that survive, bool [P], without sorting them anew.

        `edge_index` are these pairs in the same order, [2, P'].
        """
        row, col = edge_index
        before = counts_before(survives)
        in_order = survives.index_select(0, self.to_transposed)
        place = places(in_order)
        order = self.to_transposed.index_select(0, place)
        return Pattern(
            row,
            col,
            before.index_select(0, self.crow).to(torch.int32),
            col.to(torch.int32),
            before.index_select(0, order),
            counts_before(in_order).index_select(0, self.transposed_crow).to(torch.int32),
            self.transposed_columns.index_select(0, place),
            self.size,
        )

    def matrix(self, value: Tensor) -> Tensor:
        """Return the CSR matrix with `value` [P] at the pairs, [n, m]."""
        return csr_tensor(self.crow, self.columns, value, self.size)

    def transposed_matrix(self, value: Tensor) -> Tensor:
        """Return the transpose of `matrix(value)`, also as CSR, [m, n]."""
        ordered = value.index_select(0, self.to_transposed)
        return csr_tensor(self.transposed_crow, self.transposed_columns, ordered, self.size[::-1])

    def with_values(self, value: Tensor) -> Sparse:
        """Return the matrix with `value` [P] at the pairs, ready for `product`."""
        return Sparse(self.matrix(value), self.transposed_matrix(value))


def with_pattern(graph: Data) -> Data:
    """Return the graph with the pattern of its edges, from which those of its views follow.

    A graph that has it, and one whose edges are not sorted, are returned as they are.
    """
    row = graph.edge_index[0]
    if "pattern" in graph or bool((row[1:] < row[:-1]).any()):
        return graph
    result = copy.copy(graph)
    result.pattern = Pattern.of_graph(graph)
    return result


def sparse(csr: Tensor) -> Sparse:
    """Return a `torch.sparse_csr` matrix ready for `product`."""
    crow = csr.crow_indices()
    row = torch.repeat_interleave(torch.arange(csr.size(0), device=csr.device), crow.diff())
    pattern = Pattern.at(row, csr.col_indices().long(), (csr.size(0), csr.size(1)))
    return pattern.with_values(csr.values())


def entries(crow: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positions of the entries of some rows of a CSR matrix with row pointers `crow`.

    These are the place of each entry in `rows` [m], ascending, and its position in the matrix, two
    of [P].
    """
    start = crow[rows].long()
    count = crow[rows + 1].long() - start
    place = torch.repeat_interleave(torch.arange(rows.numel(), device=rows.device), count)
    before = count.cumsum(0) - count
    return place, torch.arange(place.numel(), device=rows.device) + (start - before)[place]


def take_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Return some rows of a dense or of a `torch.sparse_csr` matrix in the same layout, [m, d]."""
    if isinstance(x, SharedRows):
        return x.rows(rows)
    if x.layout != torch.sparse_csr:
        return x[rows]
    crow = x.crow_indices()
    place, position = entries(crow, rows)
    pointers = _pointers(place, rows.numel()).to(crow.dtype)
    columns, values = x.col_indices()[position], x.values()[position]
    return csr_tensor(pointers, columns, values, (rows.numel(), x.size(1)))


def product(matrix: Sparse, dense: Tensor) -> Tensor:
    """Return `matrix @ dense`, [n, d], differentiable in `dense` [m, d]."""
    result: Tensor = _Product.apply(dense, matrix.csr, matrix.transposed)  # type: ignore[no-untyped-call]
    return result


def propagate(matrix: Sparse, x: Tensor, loops: Tensor, bias: Tensor) -> Tensor:
    """Return `matrix @ x + loops * x + bias`, differentiable in `x` [n, d] and `bias` [d]."""
    result: Tensor = _Propagate.apply(x, bias, matrix, loops)  # type: ignore[no-untyped-call]
    return result


def join_means(own: Tensor, matrix: Sparse, near: Tensor, bias: Tensor) -> Tensor:
    """Return `own + matrix @ near + bias`, [n, d], differentiable in all but the matrix."""
    result: Tensor = _JoinMeans.apply(own, near, bias, matrix)  # type: ignore[no-untyped-call]
    return result


def _flaw(row: Tensor, col: Tensor, nodes: int) -> str:
    """Return what is wrong with pairs that are sorted by row, at the first pair that is wrong."""
    same, step = row[1:] == row[:-1], col.diff()
    flaws = {
        "joins a node with itself": row == col,
        "is out of order": functional.pad(same & (step < 0), (1, 0)),
        "is there twice": functional.pad(same & (step == 0), (1, 0)),
        "lacks its reverse": ~torch.isin(col * nodes + row, row * nodes + col),
    }
    flaw, wrong = next((name, is_wrong) for name, is_wrong in flaws.items() if is_wrong.any())
    place = int(places(wrong)[0])
    return (
        f"pair {place} of edge_index, ({int(row[place])}, {int(col[place])}), {flaw}: "
        "torch_geometric's remove_self_loops() and to_undirected() mend that"
    )


def _pointers(index: Tensor, size: int) -> Tensor:
    counts = torch.bincount(index, minlength=size).cumsum(0)
    if counts.numel() > size:
        raise UserError(f"edge_index has node {counts.numel() - 1}, but there are {size} nodes")
    return torch.cat([counts.new_zeros(1), counts]).to(torch.int32)


def product_of(csr: Tensor, dense: Tensor) -> Tensor:
    """Return `csr @ dense` without the zeros that the operator makes and copies."""
    return dense.new_empty(csr.size(0), dense.size(1)).addmm_(csr, dense.contiguous(), beta=0)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, csr: Tensor, transposed: Tensor) -> Tensor:
        ctx.transposed = transposed
        return product_of(csr, dense)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return product_of(ctx.transposed, grad), None, None


class _Propagate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor, matrix: Sparse, loops: Tensor) -> Tensor:
        ctx.matrix, ctx.loops = matrix, loops
        return torch.addcmul(bias, x, loops).addmm_(matrix.csr, x.contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        grad = grad.contiguous()
        rows = few_rows(grad)
        if rows is None:
            to_x = (grad * ctx.loops).addmm_(ctx.matrix.transposed, grad)
            return to_x, grad.sum(0), None, None
        part = grad[rows]
        to_x = product_of(sparse(take_rows(ctx.matrix.csr, rows)).transposed, part)
        return to_x.index_add_(0, rows, part * ctx.loops[rows]), part.sum(0), None, None


class _JoinMeans(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, own: Tensor, near: Tensor, bias: Tensor, matrix: Sparse) -> Tensor:
        ctx.transposed = matrix.transposed
        return (own + bias).addmm_(matrix.csr, near.contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        return grad, product_of(ctx.transposed, grad), grad.sum(0), None

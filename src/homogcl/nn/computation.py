"""How an encoder computes its layers: at once, in blocks, or with a product that views share.

An encoder holds one of these objects, by default `AtOnce`. `encoders.in_blocks`,
`encoders.shared_inputs`, `encoders.dropped_inputs` and `encoders.hidden_outputs` give all encoders
of a network another one for a while.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.scratch import let_go, scratch
from homogcl.data.mapped import is_on_disk, release
from homogcl.nn.changed import ChangedView, source_features
from homogcl.nn.dropout import dropped
from homogcl.nn.layers import Layer, Projected, Structure
from homogcl.nn.sparse import take_rows


class Computation(Protocol):
    """A way to compute a layer and the norm and activation behind it."""

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))`, [N, fan_out]; the tail is a norm and an activation.

        `x` is the output of the layer before; without it the layer takes the features of `view`.
        """
        ...


class AtOnce:
    """All nodes at once, every view for itself."""

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))`, [N, fan_out]."""
        h: Tensor = tail(layer(_input(x, view), structure))
        return h


@dataclass(frozen=True)
class InBlocks:
    """One block of nodes after another, for networks in evaluation mode.

    Beside a layer's input and output only the projected rows of all nodes exist at once. The
    tail must take each node for itself, as norms do in evaluation mode.
    """

    block: int  # nodes at a time

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))`, [N, fan_out]."""
        rows = _input(x, view)
        z = self._filled(view, lambda start, stop: layer.project(_range(rows, start, stop)))

        def combined(start: int, stop: int) -> tuple[Tensor]:
            return (tail(layer.combine(z, structure.part(start, stop))),)

        [h] = self._filled(view, combined)
        return h

    def _filled(self, view: Data, rows: Callable[[int, int], Projected]) -> Projected:
        """Return the rows of all blocks, in tensors that exist from the first block on.

        Those of a graph on disk lie on disk too.
        """
        nodes = int(view.num_nodes or 0)
        first = rows(0, min(self.block, nodes))
        on_disk = is_on_disk(view) and not torch.is_grad_enabled()
        wholes = []
        for each in first:
            shape = (nodes, each.size(1))
            wholes.append(scratch(shape, each.dtype) if on_disk else each.new_empty(shape))
            wholes[-1][: self.block] = each
        for start in range(self.block, nodes, self.block):
            stop = min(start + self.block, nodes)
            for whole, each in zip(wholes, rows(start, stop), strict=True):
                whole[start:stop] = each
                let_go(whole)
        release(view)
        return tuple(wholes)


@dataclass(frozen=True)
class Collected:
    """Another computation, from which the outputs of hidden layers are collected."""

    usual: Computation
    last: Layer  # is not hidden
    outputs: list[Tensor]  # each [N, fan_out]

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))`, [N, fan_out]."""
        h = self.usual.output(layer, tail, x, structure, view)
        if layer is not self.last:
            self.outputs.append(h)
        return h


@dataclass(frozen=True)
class DroppedInput:
    """Another computation, with dropout before each layer."""

    usual: Computation
    rate: float
    rng: torch.Generator

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))` of what is left of `x`, [N, fan_out]."""
        left = dropped(_input(x, view), self.rate, self.rng)
        return self.usual.output(layer, tail, left, structure, view)


class SharedInput:
    """The first layer's product X W once for all views of a graph that share the features X.

    A view whose feature columns M are masked has the product X W - X_M W_M, where X_M are those
    few columns, and one whose nodes are shuffled has the product's rows in that order. All views
    and the clean graph then cost little more than one of them, forward and, since their gradients
    meet in the shared product, backward. The result is the same up to rounding. Features that are
    not dense, and layers without such a product, are not shared.

    An object serves one encoder in one step. Encoders of one step share the `parts` of views.
    """

    def __init__(self, parts: ViewParts) -> None:
        self._products: list[_Products] = []
        self._parts = parts

    def output(
        self, layer: Layer, tail: nn.Module, x: Tensor | None, structure: Structure, view: Data
    ) -> Tensor:
        """Return `tail(layer(x, structure))`, [N, fan_out]."""
        weights = layer.input_weights() if x is None else ()
        if not weights or source_features(view).layout != torch.strided:
            return AtOnce().output(layer, tail, x, structure, view)
        h: Tensor = tail(layer.combine(self._projected(layer, weights, view), structure))
        return h

    def _projected(self, layer: Layer, weights: tuple[Tensor, ...], view: Data) -> Projected:
        """Return `layer.project(view.x)` from the products of the features that it is made of."""
        features = source_features(view)
        products = self._products_of(layer, features)
        if not isinstance(view, ChangedView):
            return products
        if "masked" in view and view.masked.numel() > 0:
            columns = self._parts.columns(features, view.masked)
            products = tuple(
                torch.addmm(product, columns, weight.index_select(0, view.masked), alpha=-1.0)
                for product, weight in zip(products, weights, strict=True)
            )
        if "order" in view:
            products = tuple(product.index_select(0, view.order) for product in products)
        return products

    def _products_of(self, layer: Layer, features: Tensor) -> Projected:
        """Return each X W; one that was computed with a gradient also serves without."""
        versions = tuple(parameter._version for parameter in layer.parameters())
        for each in self._products:
            if each.features is features and each.versions == versions:
                break
        else:
            with torch.enable_grad():
                each = _Products(features, versions, layer.project(features))
            self._products.append(each)
        with_gradient = torch.is_grad_enabled()
        return tuple(z if with_gradient else z.detach() for z in each.products)


class ViewParts:
    """What encoders need of views, computed once for all encoders of a step."""

    def __init__(self) -> None:
        self._columns: list[tuple[Tensor, Tensor, Tensor]] = []
        self._structures: list[tuple[_Kind, _Edges, Structure]] = []

    def columns(self, features: Tensor, masked: Tensor) -> Tensor:
        """Return the columns `masked` [m] of `features` [N, d], [N, m]."""
        for x, numbers, columns in self._columns:
            if x is features and numbers is masked:
                return columns
        columns = features.index_select(1, masked)
        self._columns.append((features, masked, columns))
        return columns

    def structure(self, kind: _Kind, view: Data) -> Structure:
        """Return what `kind`, which layers have as `structure`, says of `view`."""
        edges = _Edges(view.edge_index, view.edge_weight, int(view.num_nodes or 0))
        for of_kind, of_edges, structure in self._structures:
            if of_kind is kind and of_edges.are(edges):
                return structure
        with torch.enable_grad():  # what serves a backward pass also serves without
            structure = kind(view)
        self._structures.append((kind, edges, structure))
        return structure


_Kind: TypeAlias = Callable[[Data], Structure]


@dataclass(frozen=True)
class _Edges:
    """The edges of a view, which are the same only as the same tensors."""

    index: Tensor
    weight: Tensor | None
    nodes: int

    def are(self, other: _Edges) -> bool:
        """Return whether these are the very edges of `other`."""
        same = self.index is other.index and self.weight is other.weight
        return same and self.nodes == other.nodes


@dataclass(frozen=True)
class _Products:
    """Products of features with the weights as they were."""

    features: Tensor  # X, [N, d]
    versions: tuple[int, ...]  # of the layer's parameters
    products: Projected  # X W of each weight, [N, fan_out]


def _input(x: Tensor | None, view: Data) -> Tensor:
    """Return what a layer takes: the output of the layer before, or the features of `view`."""
    rows: Tensor = view.x if x is None else x
    return rows


def _range(x: Tensor, start: int, stop: int) -> Tensor:
    return take_rows(x, torch.arange(start, stop, device=x.device))

"""The first layer's product X W, computed once for all views of a graph in a step.

A view whose feature columns M are masked has the product X W - X_M W_M, where X_M are those few
columns: two views and the clean graph then cost little more than one of them, forward and, since
their gradients meet in the shared product, backward. It is the same number up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.nn.layers import GCNLayer

_Kept = dict[tuple[int, int, int, bool], tuple[Tensor, Tensor]]
_kept: ContextVar[_Kept | None] = ContextVar("kept", default=None)


@contextmanager
def shared_products() -> Iterator[None]:
    """Let the views that are encoded inside share their products, each weight for itself."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def can_share(graph: Data) -> bool:
    """Return whether sharing is on, and the features of `graph` are dense."""
    return _kept.get() is not None and graph.x.layout == torch.strided


def shared_product(layer: GCNLayer, graph: Data) -> Tensor:
    """Return `layer.project(graph.x)`, [N, fan_out], by way of the unmasked features' product."""
    kept = _kept.get()
    assert kept is not None
    whole, weight = graph.get("unmasked", graph.x), layer.weight
    # The features are kept beside their product, so that no other tensor takes over their id.
    key = (id(whole), id(weight), weight._version, torch.is_grad_enabled())
    if key not in kept:
        kept[key] = (whole, layer.project(whole))
    product = kept[key][1]
    if "masked" not in graph or graph.masked.numel() == 0:
        return product
    return torch.addmm(product, whole[:, graph.masked], weight[graph.masked], alpha=-1.0)

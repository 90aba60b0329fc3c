"""Operations counted, not timed: what a piece of torch code computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten
_PRODUCTS = {_aten.mm, _aten.addmm, _aten.addmm_, _aten.bmm, _aten.sparse_sampled_addmm}


@dataclass(frozen=True)
class Operations:
    """How much was computed, by kinds that run at different speeds."""

    products: float = 0.0  # floating-point operations of dense matrix products
    sparse: float = 0.0  # the same of products with a sparse factor or a sparse result
    elements: float = 0.0  # numbers read or written by everything else

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.products + other.products,
            self.sparse + other.sparse,
            self.elements + other.elements,
        )


class Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts what torch computes inside a `with` block, backward passes included."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.counted = Operations()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.counted += _operations(func, args, result)
        return result


def counted(step: Callable[[], object]) -> Operations:
    """Return what `step` computes."""
    counter = Counter()
    with counter:
        step()
    return counter.counted


def through(points: Mapping[int, Operations]) -> Callable[[int], Operations]:
    """Return the operations of a step on n nodes, given those at three sizes.

    A step costs something for the parameters, something for each node and its edges and, where
    all pairs are compared, something for each pair: a parabola in n. Sparse products have the
    number of edges alone, which grows with n. Nothing is below 0.
    """
    first, second, third = sorted(points)
    largest = points[third]

    def at(n: int) -> Operations:
        weights = {
            first: (n - second) * (n - third) / ((first - second) * (first - third)),
            second: (n - first) * (n - third) / ((second - first) * (second - third)),
            third: (n - first) * (n - second) / ((third - first) * (third - second)),
        }
        return Operations(
            max(0.0, sum(weights[size] * points[size].products for size in points)),
            largest.sparse * n / third,
            max(0.0, sum(weights[size] * points[size].elements for size in points)),
        )

    return at


def _operations(func: Any, args: tuple[Any, ...], result: Any) -> Operations:
    packet = func.overloadpacket
    tensors = [x for x in (*args, result) if isinstance(x, Tensor)]
    if packet in _PRODUCTS:
        left, right = [x for x in args if isinstance(x, Tensor)][-2:]
        if left.layout != torch.strided:
            return Operations(sparse=2.0 * _filled(left) * right.size(-1))
        if isinstance(result, Tensor) and result.layout != torch.strided:
            return Operations(sparse=2.0 * _filled(result) * left.size(-1))
        return Operations(products=2.0 * left.numel() * right.size(-1))
    if func.is_view or not tensors:
        return Operations()
    return Operations(elements=float(max(_filled(x) for x in tensors)))


def _filled(x: Tensor) -> int:
    return x.numel() if x.layout == torch.strided else int(x._nnz())

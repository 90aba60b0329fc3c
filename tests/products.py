"""Floating-point operations of dense and of sparse matrix products, counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten
_PRODUCTS = {_aten.mm, _aten.addmm, _aten.addmm_, _aten.bmm, _aten.sparse_sampled_addmm}


class Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the products inside a `with` block, backward passes included."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.dense = self.sparse = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket in _PRODUCTS:
            left, right = [x for x in args if isinstance(x, Tensor)][-2:]
            if left.layout != torch.strided:
                self.sparse += 2 * left._nnz() * right.size(-1)
            elif result.layout != torch.strided:
                self.sparse += 2 * result._nnz() * left.size(-1)
            else:
                self.dense += 2 * left.numel() * right.size(-1)
        return result


def counted(step: Callable[[], object]) -> tuple[int, int]:
    """Return the operations of `step`: of dense products, and of those with a sparse part."""
    with Counter() as counter:
        step()
    return counter.dense, counter.sparse

"""Dense float32 products of processors by their instructions for bfloat16.

torch's switch for that, `torch.backends.mkldnn.matmul.fp32_precision`, does nothing on processors
without AMX. Here torch's own kernels are replaced for a while, so that whatever multiplies two
matrices, forward or backward, is served, and no other operation is slowed down.
"""

from __future__ import annotations

import threading
import warnings
from typing import Final

import torch
from torch import Tensor
from torch.library import Library

NARROW: Final = 64  # products with a side below it stay in float32: they take next to no time


class Replacement:
    """torch's kernels for dense products, replaced as long as somebody is inside the block.

    As torch's own switch, it holds for all threads of the process.
    """

    def __init__(self) -> None:
        """Replace nothing yet."""
        self._lock = threading.Lock()
        self._users = 0
        self._library: Library | None = None

    def __enter__(self) -> None:
        """Replace the kernels, unless they are replaced already."""
        with self._lock:
            self._users += 1
            if self._library is None:
                self._library = _registered()

    def __exit__(self, *error: object) -> None:
        """Put torch's own kernels back when the last block ends."""
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._library is not None:
                self._library._destroy()  # type: ignore[no-untyped-call]
                self._library = None


REPLACEMENT: Final = Replacement()  # one for the process, as torch's kernels are


def _registered() -> Library:
    library = Library("aten", "IMPL", "CPU")  # type: ignore[no-untyped-call]
    kernels = {"mm": _mm, "mm.out": _mm_out, "addmm": _addmm, "addmm_": _addmm_in_place}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that a kernel of its own is replaced
        for name, kernel in kernels.items():
            library.impl(name, kernel)  # type: ignore[no-untyped-call]
    return library


def _mm(a: Tensor, b: Tensor) -> Tensor:
    return _rounded(a, b).float() if _applies(a, b) else _exact(a, b)


def _mm_out(a: Tensor, b: Tensor, *, out: Tensor) -> Tensor:
    if not _applies(a, b):
        return torch.addmm(out, a, b, beta=0, out=out)
    product = _rounded(a, b)
    if not out.numel():  # torch gives an empty result the size that it needs
        out.resize_(product.shape)
    return out.copy_(product)


def _addmm(c: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    if not _applies(a, b):
        return torch.addmm(c, a, b, beta=beta, alpha=alpha, out=_room(a, b))
    product = _rounded(a, b).float()
    if alpha != 1:
        product *= alpha
    return product.add_(c, alpha=beta) if beta != 0 else product


def _addmm_in_place(
    c: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    if not _applies(a, b):
        return torch.addmm(c, a, b, beta=beta, alpha=alpha, out=c)
    if beta == 0:
        c.zero_()  # a product with 0 would leave NaN
    elif beta != 1:
        c.mul_(beta)
    return c.add_(_rounded(a, b).float(), alpha=alpha)


def _applies(a: Tensor, b: Tensor) -> bool:
    """Return whether the product of `a` [n, m] and `b` [m, d] is taken in bfloat16."""
    return a.dtype == b.dtype == torch.float32 and min(*a.shape, b.size(1)) >= NARROW


def _rounded(a: Tensor, b: Tensor) -> Tensor:
    """Return the product of the rounded factors, in bfloat16, [n, d]."""
    return _exact(a.bfloat16(), b.bfloat16())


def _exact(a: Tensor, b: Tensor) -> Tensor:
    """Return a b in the factors' own dtype, [n, d]."""
    out = _room(a, b)
    return torch.addmm(out, a, b, beta=0, out=out)  # a kernel that is not replaced


def _room(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(a.size(0), b.size(1))

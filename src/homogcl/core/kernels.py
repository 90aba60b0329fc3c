"""Kernels for dense float32 products that are faster than torch's choice on some processors.

torch's own switch for products in bfloat16, `torch.backends.mkldnn.matmul.fp32_precision`, does
nothing on processors without AMX, and the library that it multiplies float32 with keeps its widest
instructions for Intel's processors. Here torch's own kernels are replaced for a while, so that
whatever multiplies two matrices, forward or backward, is served, and no other operation is slowed
down.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Final, TypeAlias

import torch
from torch import Tensor
from torch.library import Library

NARROW: Final = 64  # products with a side below it keep torch's kernel: they take next to no time
Product: TypeAlias = Callable[[Tensor, Tensor], Tensor]  # a [n, m], b [m, d] -> a b [n, d]
Affine: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]  # a, b, c [d] -> a b + c [n, d]


class Replacement:
    """A product that takes the place of torch's in the thread that is inside the block."""

    def __init__(self, product: Product, affine: Affine | None = None) -> None:
        """Replace nothing yet.

        Args:
            product: Of two float32 matrices, in float32 or narrower.
            affine: The same with a row added, if that takes no pass of its own.
        """
        self.product, self.affine = product, affine

    def __enter__(self) -> None:
        """Replace the product of this thread, until the block ends."""
        _KERNELS.hold()
        _replacements_of_thread().append(self)

    def __exit__(self, *error: object) -> None:
        """Let the thread multiply as before."""
        _replacements_of_thread().pop()
        _KERNELS.release()


class _Kernels:
    """torch's kernels for dense products, replaced as long as any thread is inside a block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._library: Library | None = None

    def hold(self) -> None:
        """Replace the kernels, unless they are replaced already."""
        with self._lock:
            self._users += 1
            if self._library is None:
                self._library = _registered()

    def release(self) -> None:
        """Put torch's own kernels back when the last user is done."""
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._library is not None:
                self._library._destroy()  # type: ignore[no-untyped-call]
                self._library = None


_KERNELS: Final = _Kernels()  # one for the process, as torch's kernels are
_THREAD: Final = threading.local()


def _replacements_of_thread() -> list[Replacement]:
    """Return the replacements that this thread is inside of, the innermost last."""
    replacements: list[Replacement] = _THREAD.__dict__.setdefault("replacements", [])
    return replacements


def _registered() -> Library:
    library = Library("aten", "IMPL", "CPU")  # type: ignore[no-untyped-call]
    kernels = {"mm": _mm, "mm.out": _mm_out, "addmm": _addmm, "addmm_": _addmm_in_place}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that a kernel of its own is replaced
        for name, kernel in kernels.items():
            library.impl(name, kernel)  # type: ignore[no-untyped-call]
    return library


def _mm(a: Tensor, b: Tensor) -> Tensor:
    kernel = _replacement_for(a, b)
    return kernel.product(a, b).float() if kernel else _usual(a, b)


def _mm_out(a: Tensor, b: Tensor, *, out: Tensor) -> Tensor:
    kernel = _replacement_for(a, b)
    if kernel is None:
        return torch.addmm(out, a, b, beta=0, out=out)
    result = kernel.product(a, b)
    if not out.numel():  # torch gives an empty result the size that it needs
        out.resize_(result.shape)
    return out.copy_(result)


def _addmm(c: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    kernel = _replacement_for(a, b)
    if kernel is None:
        return torch.addmm(c, a, b, beta=beta, alpha=alpha, out=_room(a, b))
    if kernel.affine and c.shape == b.shape[1:] and alpha == beta == 1:
        return kernel.affine(a, b, c)
    result = kernel.product(a, b).float()
    if beta == 1:  # in one pass over the result
        return torch.add(c, result, alpha=alpha, out=result)
    if alpha != 1:
        result *= alpha
    return result.add_(c, alpha=beta) if beta != 0 else result


def _addmm_in_place(
    c: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    kernel = _replacement_for(a, b)
    if kernel is None:
        return torch.addmm(c, a, b, beta=beta, alpha=alpha, out=c)
    if beta == 0:
        c.zero_()  # a product with 0 would leave NaN
    elif beta != 1:
        c.mul_(beta)
    return c.add_(kernel.product(a, b), alpha=alpha)


def _replacement_for(a: Tensor, b: Tensor) -> Replacement | None:
    """Return this thread's kernel if the product of `a` [n, m] and `b` [m, d] is worth it."""
    replacements = _replacements_of_thread()
    is_float32 = a.dtype == b.dtype == torch.float32
    is_wide = is_float32 and min(*a.shape, b.size(1)) >= NARROW
    return replacements[-1] if replacements and is_wide else None


def by_onednn(a: Tensor, b: Tensor) -> Tensor:
    """Return a b in float32 by oneDNN, which takes the processor's widest instructions, [n, d]."""
    a, b = _without_gaps(a), _without_gaps(b)
    is_column_major = a.stride(0) == 1 and a.stride(1) != 1
    if is_column_major and b.size(1) < a.size(0):  # it copies a left factor that lies so
        return _linear(b.t(), a).t().contiguous()
    return _linear(a, b.t())


def affine_by_onednn(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Return a b + c in float32 by oneDNN, which adds the row `c` [d] as it writes, [n, d]."""
    return _linear(_without_gaps(a), _without_gaps(b).t(), _without_gaps(c))


def in_bfloat16(a: Tensor, b: Tensor) -> Tensor:
    """Return the product of the factors rounded to bfloat16, in bfloat16, [n, d]."""
    return _usual(a.bfloat16(), b.bfloat16())


# Blocks of one may be nested, and many threads may enter them.
ONEDNN: Final = Replacement(by_onednn, affine_by_onednn)
BFLOAT16: Final = Replacement(in_bfloat16)


def _linear(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return a bᵀ, and `bias` [d], of `a` [n, m] and `b` [d, m], [n, d]."""
    result: Tensor = torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")
    return result


def _without_gaps(x: Tensor) -> Tensor:
    """Return `x` or a copy: oneDNN multiplies part of a wider matrix a thousand times slower."""
    return x if x.is_contiguous() or x.t().is_contiguous() else x.contiguous()


def _usual(a: Tensor, b: Tensor) -> Tensor:
    """Return a b by torch's kernel in the factors' own dtype, [n, d]."""
    out = _room(a, b)
    return torch.addmm(out, a, b, beta=0, out=out)  # a kernel that is not replaced


def _room(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(a.size(0), b.size(1))

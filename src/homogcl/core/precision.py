"""The arithmetic of dense products: float32, or bfloat16 inside where the machine has it.

Float32 is that of torch, by the library that has the processor's widest instructions. In bfloat16
factors are rounded to bfloat16, their products are summed in float32, and the sums are rounded to
bfloat16; all that products do not compute stays in float32. On CUDA the rounding of the factors is
that of tf32, and sums are not rounded.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

from homogcl.core.errors import UserError
from homogcl.core.kernels import BFLOAT16, ONEDNN

Precision = Literal["float32", "bfloat16", "auto"]  # what a user asks for
Arithmetic = Literal["float32", "bfloat16", "tf32"]  # what is done

_CPUINFO = Path("/proc/cpuinfo")
_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}  # as Linux names them, on x86 and on ARM
_WIDE = {"avx512f"}  # vectors of 512 bits, which torch's library for products uses on Intel's only
# Products whose results tell whether factors were rounded, in a process that may die of them.
_TRIAL = """
import torch
from homogcl.core.precision import products_in
x = torch.full((256, 256), 1 + 2**-10)
with products_in("bfloat16"):
    results = [x @ x, x.t() @ x, x @ x.t()]
raise SystemExit(not all(torch.equal(each, torch.full_like(x, 256)) for each in results))
"""


def arithmetic(precision: Precision, device: torch.device) -> Arithmetic:
    """Return the arithmetic for products on `device`; refuse what the machine does not have.

    `auto` takes float32 where there is nothing faster.
    """
    if precision == "float32":
        return "float32"
    if device.type == "cuda":
        return "tf32"
    if device.type == "cpu" and has_bfloat16():
        return "bfloat16"
    if precision == "auto":
        return "float32"
    raise UserError(
        "precision=bfloat16: this processor has no bfloat16 instructions; "
        "take precision=float32, or auto"
    )


@contextmanager
def products_in(kind: Arithmetic) -> Iterator[None]:
    """Compute dense products inside the block in this arithmetic, and as before after it."""
    if kind == "float32":
        with ONEDNN if has_wider_products() else nullcontext():
            yield
    elif kind == "bfloat16":
        with BFLOAT16:
            yield
    else:
        backend: Any = torch.backends.cuda.matmul
        before = backend.fp32_precision
        backend.fp32_precision = "tf32"
        try:
            yield
        finally:
            backend.fp32_precision = before


@cache
def has_bfloat16() -> bool:
    """Return whether the processor says that it has bfloat16, and survives products in it."""
    return _says_bfloat16() and _survives()


@cache
def has_wider_products(cpuinfo: Path = _CPUINFO) -> bool:
    """Return whether oneDNN multiplies float32 by wider instructions than torch's usual library.

    The processor tells, so that all runs on one machine have the same bits.
    """
    is_intel = "GenuineIntel" in _entries(cpuinfo, "vendor_id")
    has_onednn = hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return not is_intel and bool(_WIDE & _entries(cpuinfo, "flags")) and has_onednn


def _says_bfloat16(cpuinfo: Path = _CPUINFO) -> bool:
    """Return whether Linux lists instructions for bfloat16; no other system is asked."""
    return bool(_BFLOAT16 & (_entries(cpuinfo, "flags") | _entries(cpuinfo, "Features")))


def _entries(cpuinfo: Path, key: str) -> set[str]:
    """Return the words that Linux has behind `key` for any processor, none on other systems."""
    try:
        lines = cpuinfo.read_text("utf-8").splitlines()
    except OSError:
        return set()
    listed = (line.partition(":") for line in lines)
    return {word for name, _, text in listed if name.strip() == key for word in text.split()}


def _survives(trial: str = _TRIAL) -> bool:
    """Return whether products in bfloat16 end well in a process of its own."""
    call = [sys.executable, "-c", trial]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(call, capture_output=True, timeout=120, check=False, env=variables)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

"""The arithmetic of dense products: float32, or bfloat16 inside where the machine has it.

Inputs are rounded to bfloat16, products are summed in float32, and all that products do not compute
stays in float32. On CUDA the rounding is that of tf32.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

from homogcl.core.errors import UserError

Precision = Literal["float32", "bfloat16", "auto"]  # what a user asks for
Arithmetic = Literal["float32", "bfloat16", "tf32"]  # what is done

_FLAGS = {"avx512_bf16", "amx_bf16", "bf16"}  # as Linux names them, on x86 and on ARM
# One product whose exact result is known, in a process that may die of it.
_TRIAL = """
import torch
torch.backends.mkldnn.matmul.fp32_precision = "bf16"
ones = torch.ones(256, 256)
raise SystemExit(not torch.equal(ones @ ones, 256 * ones))
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
        yield
        return
    library: Any = torch.backends.cuda if kind == "tf32" else torch.backends.mkldnn
    backend = library.matmul
    before = backend.fp32_precision
    backend.fp32_precision = "tf32" if kind == "tf32" else "bf16"
    try:
        yield
    finally:
        backend.fp32_precision = before


@cache
def has_bfloat16() -> bool:
    """Return whether the processor says that it has bfloat16, and survives a product in it."""
    return _says_bfloat16() and _survives()


def _says_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Return whether Linux lists instructions for bfloat16; no other system is asked."""
    try:
        lines = cpuinfo.read_text("utf-8").splitlines()
    except OSError:
        return False
    listed = (line.partition(":")[2] for line in lines if line.startswith(("flags", "Features")))
    return any(_FLAGS & set(each.split()) for each in listed)


def _survives(trial: str = _TRIAL) -> bool:
    """Return whether a product in bfloat16 ends well in a process of its own."""
    call = [sys.executable, "-c", trial]
    try:
        done = subprocess.run(call, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0

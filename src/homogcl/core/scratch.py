"""Matrices in temporary files: used like others, while few of their pages are in memory.

They lie where `$TMPDIR` says, in a file without a name that is gone with the matrix.
"""

from __future__ import annotations

import math
import mmap
import tempfile

import torch
from torch import Tensor

_PAGES = "scratch_pages"  # attribute of a tensor that lies in a file


def scratch(shape: tuple[int, ...], kind: torch.dtype) -> Tensor:
    """Return a tensor of zeros that lies in a temporary file."""
    size = math.prod(shape)
    if size == 0:
        return torch.zeros(shape, dtype=kind)
    with tempfile.TemporaryFile(prefix="homogcl-") as file:
        file.truncate(size * kind.itemsize)
        pages = mmap.mmap(file.fileno(), 0)
    tensor = torch.frombuffer(pages, dtype=kind).view(shape)
    setattr(tensor, _PAGES, pages)
    return tensor


def let_go(tensor: Tensor) -> None:
    """Give back the memory of a scratch tensor's pages; its numbers stay. Others are left alone."""
    pages = getattr(tensor, _PAGES, None)
    if pages is not None:
        drop_pages(pages)


def drop_pages(pages: mmap.mmap) -> None:
    """Drop the pages of a file from this process's memory, where the system can."""
    if hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)


def flat_rows(tensor: Tensor) -> Tensor:
    """Return a tensor [N, a, b] as [N, a b]; a scratch tensor stays one."""
    return _same_pages(tensor, tensor.flatten(1))


def column_view(tensor: Tensor, some: slice) -> Tensor:
    """Return some columns of a tensor [N, d] without a copy; a scratch tensor stays one."""
    return _same_pages(tensor, tensor[:, some])


def _same_pages(tensor: Tensor, view: Tensor) -> Tensor:
    pages = getattr(tensor, _PAGES, None)
    if pages is not None:
        setattr(view, _PAGES, pages)
    return view

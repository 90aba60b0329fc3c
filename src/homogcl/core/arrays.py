"""Arrays that are written block by block: no more than a block of them is ever in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from homogcl.core.files import open_atomically

_HEADER: Final = 128  # bytes, of which the last is the end of a line
_MAGIC: Final = b"\x93NUMPY\x01\x00"


class ArrayFile:
    """The rows of a .npy file, appended in order; `array_file` opens one."""

    def __init__(self, file: BinaryIO, kind: npt.DTypeLike) -> None:
        self._file = file
        self._kind = np.dtype(kind)
        self.size = 0  # numbers so far
        self.shape: tuple[int, ...] | None = None  # as rows of numbers, unless it is set

    def append(self, block: npt.NDArray[Any]) -> None:
        """Write further numbers behind those that are there."""
        self._file.write(np.ascontiguousarray(block, dtype=self._kind).data)
        self.size += block.size

    def append_file(self, path: Path, block: int = 2**22) -> None:
        """Write the bytes of a file that holds nothing but numbers of the same kind."""
        with path.open("rb") as file:
            while content := file.read(block * self._kind.itemsize):
                self.append(np.frombuffer(content, dtype=self._kind))


@contextmanager
def array_file(path: Path, kind: npt.DTypeLike, width: int | None = None) -> Iterator[ArrayFile]:
    """Give an array to append to; at the end of the block it is a .npy file, whole or not at all.

    Args:
        path: Where it will lie.
        kind: Of its numbers.
        width: Numbers of a row; without it, the array has one axis.
    """
    with open_atomically(path) as file:
        file.write(bytes(_HEADER))
        array = ArrayFile(file, kind)
        yield array
        rows = (array.size,) if width is None else (array.size // max(1, width), width)
        file.seek(0)
        file.write(_header(np.dtype(kind), rows if array.shape is None else array.shape))


def _header(kind: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    text = f"{{'descr': {kind.str!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    length = _HEADER - len(_MAGIC) - 2
    return _MAGIC + length.to_bytes(2, "little") + text.ljust(length - 1) + b"\n"

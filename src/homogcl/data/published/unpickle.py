"""A reader of the pickles of Planetoid that runs nothing from them.

These files hold arrays, CSR matrices and one dictionary of lists, written by old versions of
Python, numpy and scipy. Each name that they mention stands here for a plain holder of what was
stored; any other name is refused, and the code behind it is never imported.
"""

from __future__ import annotations

import io
import pickle
from collections import defaultdict
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse

from homogcl.core.errors import UserError
from homogcl.data.published.archives import checked
from homogcl.data.published.root import RawFile

_UNKNOWN = (
    pickle.BYTEARRAY8,
    pickle.NEXT_BUFFER,
    pickle.READONLY_BUFFER,
    pickle.EXT1,
    pickle.EXT2,
    pickle.EXT4,
)
_ITEM_TYPES = frozenset({"f4", "f8", "i4", "i8", "u1", "b1"})


class _Refused(Exception):
    """The pickle names something that these files never hold."""


class _ItemType:
    """A stored numpy dtype of plain numbers."""

    __slots__ = ("dtype",)

    def __init__(self, code: str, *_: object) -> None:
        if code not in _ITEM_TYPES:
            raise _Refused(f"arrays of type {code!r}")
        self.dtype = np.dtype(code)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        order = state[1]
        if order in {"<", ">"}:
            self.dtype = self.dtype.newbyteorder(order)


class _Array:
    """A stored numpy array."""

    # Of the class, since a pickle may make an object without a call to `__init__`.
    array: npt.NDArray[Any] | None = None

    def __init__(self, *_: object) -> None:
        """Take what numpy's own function of this name takes."""

    def __setstate__(self, state: tuple[int, tuple[int, ...], _ItemType, bool, str]) -> None:
        _, shape, item_type, column_major, characters = state
        flat = np.frombuffer(characters.encode("latin1"), dtype=item_type.dtype)
        self.array = flat.reshape(shape, order="F" if column_major else "C")


class _CSR:
    """A stored scipy CSR matrix."""

    matrix: scipy.sparse.csr_matrix | None = None  # of the class, as above

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = (state["data"].array, state["indices"].array, state["indptr"].array)
        self.matrix = checked(scipy.sparse.csr_matrix(parts, shape=state["_shape"]))


_ADMITTED: dict[tuple[str, str], object] = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): "ndarray",
    ("numpy", "dtype"): _ItemType,
    ("scipy.sparse.csr", "csr_matrix"): _CSR,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


class _Unpickler(pickle._Unpickler):
    """The unpickler that is written in Python: the one in C reserves what a damaged file claims.

    Also for memory that is claimed before it is there, buffers and extensions are unknown to it.
    """

    dispatch: ClassVar[Any] = {
        opcode: handler
        for opcode, handler in pickle._Unpickler.dispatch.items()
        if opcode not in b"".join(_UNKNOWN)
    }

    def find_class(self, module: str, name: str) -> object:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise _Refused(repr(f"{module}.{name}")) from None


def array(file: RawFile) -> npt.NDArray[Any]:
    """Return the array [rows, columns] that the pickle holds."""
    content = _load(file)
    if not isinstance(content, _Array) or content.array is None or content.array.ndim != 2:
        raise UserError(f"{file.path}: holds no array with rows and columns")
    return content.array


def matrix(file: RawFile) -> scipy.sparse.csr_matrix:
    """Return the scipy CSR matrix [rows, columns] that the pickle holds."""
    content = _load(file)
    if not isinstance(content, _CSR) or content.matrix is None:
        raise UserError(f"{file.path}: holds no CSR matrix")
    return content.matrix


def neighbor_lists(file: RawFile) -> dict[int, list[int]]:
    """Return the dictionary from node to neighbors that the pickle holds."""
    content = _load(file)
    if not isinstance(content, dict) or not all(
        isinstance(node, int)
        and isinstance(neighbors, list)
        and all(isinstance(neighbor, int) for neighbor in neighbors)
        for node, neighbors in content.items()
    ):
        raise UserError(f"{file.path}: holds no dictionary from node to list of neighbors")
    return content


def _load(file: RawFile) -> object:
    try:
        return _Unpickler(io.BytesIO(file.content), encoding="latin1").load()
    except _Refused as refused:
        raise UserError(
            f"{file.path}: refused, since this pickle asks for {refused}, which no Planetoid file "
            "holds; replace it by the original file"
        ) from None
    except Exception as error:
        # A damaged pickle may raise anything, depending on the byte that is damaged.
        raise UserError(
            f"{file.path}: truncated or damaged; replace it by the original file"
        ) from error

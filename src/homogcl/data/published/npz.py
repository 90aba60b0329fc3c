"""Graphs as `.npz` of two CSR matrices: Amazon, Coauthor and CitationFull."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from numpy.lib.npyio import NpzFile
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.features import sparse_features
from homogcl.data.published.archives import checked, refuse_bomb
from homogcl.data.published.root import RawFile


def read(files: Sequence[RawFile]) -> Data:
    """Return the graph in the only file: `x` CSR [N, d] of 0 and 1, `edge_index` as listed, `y`.

    Positive attributes become 1, as in PyG. Arrays that need a pickle are refused.
    """
    (file,) = files
    with _opened(file) as archive:
        attributes = _matrix(archive, "attr", file)
        adjacency = _matrix(archive, "adj", file).tocoo()
        labels = _member(archive, "labels", file)
    attributes.data[attributes.data > 0] = 1
    return Data(
        x=sparse_features(attributes),
        edge_index=torch.from_numpy(np.stack([adjacency.row, adjacency.col]).astype(np.int64)),
        y=torch.from_numpy(labels.astype(np.int64)),
    )


def _opened(file: RawFile) -> NpzFile:
    try:
        archive = np.load(io.BytesIO(file.content), allow_pickle=False)
    except Exception as error:
        # zipfile and numpy may raise anything, depending on the byte that is damaged.
        raise _not_an_archive(file) from error
    if not isinstance(archive, NpzFile):
        raise _not_an_archive(file)
    refuse_bomb(archive, file.path, len(file.content))
    return archive


def _not_an_archive(file: RawFile) -> UserError:
    return UserError(f"{file.path}: truncated, or no npz archive; replace it by the original file")


def _matrix(archive: NpzFile, prefix: str, file: RawFile) -> scipy.sparse.csr_matrix:
    data, indices, starts, shape = (
        _member(archive, f"{prefix}_{part}", file)
        for part in ("data", "indices", "indptr", "shape")
    )
    try:
        return checked(scipy.sparse.csr_matrix((data, indices, starts), shape=tuple(shape)))
    except (ValueError, TypeError) as error:
        raise UserError(f"{file.path}: {prefix}_* is no CSR matrix ({error})") from error


def _member(archive: NpzFile, key: str, file: RawFile) -> npt.NDArray[Any]:
    try:
        member: npt.NDArray[Any] = archive[key]
    except KeyError:
        raise UserError(f"{file.path}: has no array {key!r}") from None
    except Exception as error:
        # As above.
        raise UserError(
            f"{file.path}: array {key!r} is damaged or needs a pickle, which is never loaded"
        ) from error
    if member.dtype.kind not in "biuf":
        raise UserError(f"{file.path}: array {key!r} holds {member.dtype}, not numbers")
    return member

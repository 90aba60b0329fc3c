"""Embeddings as files that other tools read."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homogcl.errors import UserError, nearest
from homogcl.files import write_atomically

FORMATS = (".npy", ".csv", ".parquet")


def write_embeddings(path: Path, ids: Sequence[object], z: npt.NDArray[np.floating]) -> list[Path]:
    """Write the vectors `z` [N, d] beside the nodes' ids and return the files written.

    The ending of `path` decides: `.csv` and `.parquet` have the ids as their first column,
    `.npy` is followed by a text file with one id a line.
    """
    if path.suffix == ".npy":
        buffer = io.BytesIO()
        np.save(buffer, z, allow_pickle=False)
        names = "".join(f"{each}\n" for each in ids).encode()
        beside = path.with_suffix(".ids.txt")
        return [write_atomically(path, buffer.getvalue()), write_atomically(beside, names)]
    if path.suffix not in FORMATS:
        raise UserError(f"cannot write {path.name}: unknown ending{nearest(path.suffix, FORMATS)}")
    return [write_atomically(path, _table(path.suffix, ids, z))]


def _table(suffix: str, ids: Sequence[object], z: npt.NDArray[np.floating]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import csv, parquet
    except ModuleNotFoundError:
        raise UserError(f"{suffix} needs pyarrow: pip install 'homogcl[tables]'") from None
    columns = {"id": pa.array(list(ids))} | {f"z{j}": pa.array(z[:, j]) for j in range(z.shape[1])}
    sink = pa.BufferOutputStream()
    if suffix == ".csv":
        csv.write_csv(pa.table(columns), sink)
    else:
        parquet.write_table(pa.table(columns), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content

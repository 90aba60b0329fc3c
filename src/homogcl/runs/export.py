"""Embeddings and tables as files that other tools read."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError, nearest
from homogcl.core.files import write_atomically

TABLES = (".csv", ".parquet")
FORMATS = (".npy", *TABLES)


def write_embeddings(path: Path, ids: Sequence[object], z: npt.NDArray[np.floating]) -> list[Path]:
    """Write the vectors `z` [N, d] beside the nodes' ids and return the files written.

    The ending of `path` decides: `.csv` and `.parquet` have the ids as their first column,
    beside `.npy` there is a text file with one id per line.
    """
    check_ending(path, FORMATS)
    if path.suffix in TABLES:
        return [write_table(path, {"id": ids} | {f"z{j}": z[:, j] for j in range(z.shape[1])})]
    names = [str(each) for each in ids]
    broken = next((name for name in names if len(name.splitlines()) != 1), None)
    if broken is not None:
        raise UserError(
            f"cannot write {path.name}: the id {broken!r} is not one line; use .csv or .parquet"
        )
    buffer = io.BytesIO()
    np.save(buffer, z, allow_pickle=False)
    lines = "".join(f"{name}\n" for name in names).encode()
    beside = path.with_suffix(".ids.txt")
    return [write_atomically(path, buffer.getvalue()), write_atomically(beside, lines)]


def write_table(path: Path, columns: Mapping[str, Sequence[object] | npt.NDArray[Any]]) -> Path:
    """Write named columns of one length to a `.csv` or `.parquet` file and return its path."""
    check_ending(path, TABLES)
    try:
        import pyarrow as pa
        from pyarrow import csv, parquet
    except ModuleNotFoundError:
        raise UserError(f"{path.suffix} needs pyarrow: pip install 'homogcl[tables]'") from None
    arrays = {
        name: pa.array(each if isinstance(each, np.ndarray) else list(each))
        for name, each in columns.items()
    }
    sink = pa.BufferOutputStream()
    write = csv.write_csv if path.suffix == ".csv" else parquet.write_table
    write(pa.table(arrays), sink)
    return write_atomically(path, sink.getvalue().to_pybytes())


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Refuse a file whose ending is not among those that can be written."""
    if path.suffix not in endings:
        raise UserError(f"cannot write {path.name}: unknown ending{nearest(path.suffix, endings)}")

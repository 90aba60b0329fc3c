"""Embeddings and tables as files that other tools read, written a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from homogcl.core.arrays import array_file
from homogcl.core.errors import UserError, nearest
from homogcl.core.files import open_atomically, remove_lastingly
from homogcl.core.scratch import let_go
from homogcl.data.catalog import own_path
from homogcl.runs.run import Run

TABLES = (".csv", ".parquet")
FORMATS = (".npy", *TABLES)
_NUMBERS: Final = 2**23  # of a block

NamedColumns = Mapping[str, Sequence[object] | npt.NDArray[Any]]


def write_embeddings(
    path: Path, ids: Sequence[object], z: npt.NDArray[np.floating] | Tensor, form: str | None = None
) -> list[Path]:
    """Write the vectors `z` [N, d] beside the nodes' ids and return the files written.

    The ending of `path` decides: `.csv` and `.parquet` have the ids as their first column,
    beside `.npy` there is a text file with one id per line. Where the vectors have a `form`,
    another text file says which.
    """
    check_ending(path, FORMATS)
    vectors = z if isinstance(z, Tensor) else torch.from_numpy(z)
    if path.suffix in TABLES:
        blocks = (
            {"id": ids[rows]} | {f"z{j}": block[:, j] for j in range(block.shape[1])}
            for rows, block in _blocks(vectors)
        )
        return [_write_blocks(path, blocks), *_write_form(path, form)]
    names = [str(each) for each in ids]
    broken = next((name for name in names if len(name.splitlines()) != 1), None)
    if broken is not None:
        raise UserError(
            f"cannot write {path.name}: the id {broken!r} is not one line; use .csv or .parquet"
        )
    beside = path.with_suffix(".ids.txt")
    # Ids of former vectors never stand beside new ones, also after a loss of power.
    remove_lastingly(beside)
    write_array(path, vectors)
    with open_atomically(beside) as file:
        file.writelines(f"{name}\n".encode() for name in names)
    return [path, beside, *_write_form(path, form)]


def write_array(path: Path, z: Tensor) -> Path:
    """Write a matrix [N, d] as a .npy file, a block at a time, and return its path."""
    kind = z[:0].numpy().dtype
    with array_file(path, kind, z.size(1)) as file:
        for _, block in _blocks(z):
            file.append(block)
        file.shape = (z.size(0), z.size(1))
    return path


def write_table(path: Path, columns: NamedColumns) -> Path:
    """Write named columns of one length to a `.csv` or `.parquet` file and return its path."""
    check_ending(path, TABLES)
    return _write_blocks(path, iter([columns]))


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Refuse a file whose ending is not among those that can be written."""
    if path.suffix not in endings:
        raise UserError(f"cannot write {path.name}: unknown ending{nearest(path.suffix, endings)}")


def check_no_source(path: Path, run: Run) -> None:
    """Refuse to write over a file that the graph of `run` was read from."""
    place = own_path(run.data)
    folder = Path() if place is None else place if place.is_dir() else place.parent
    read = () if place is None else run.graph.files
    named = [run.files[key] for key in ("nodes", "features") if isinstance(run.files.get(key), str)]
    sources = {(folder / str(each)).resolve() for each in (*read, *named)}
    if path.resolve() in sources:
        raise UserError(f"-o {path.name} would write over {path}, which the graph is read from")


def _write_form(path: Path, form: str | None) -> list[Path]:
    """Write the form of the vectors at `path` beside them and return the file, if there is one."""
    if form is None:
        return []
    beside = path.with_suffix(".form.txt")
    with open_atomically(beside) as file:
        file.write(f"{form}\n".encode())
    return [beside]


def _blocks(z: Tensor) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
    """Yield all rows, a block at a time; of none, one block that is empty."""
    step = max(1, _NUMBERS // max(1, z.size(1)))
    for start in range(0, max(1, len(z)), step):
        rows = slice(start, start + step)
        yield rows, z[rows].numpy()
        let_go(z)


def _write_blocks(path: Path, blocks: Iterator[NamedColumns]) -> Path:
    """Write blocks of the same columns one after the other, each as a group of rows."""
    try:
        import pyarrow as pa
        from pyarrow import csv, parquet
    except ModuleNotFoundError:
        raise UserError(f"{path.suffix} needs pyarrow: pip install 'homogcl[tables]'") from None
    writer = None
    with open_atomically(path) as file:
        for columns in blocks:
            arrays = {
                name: pa.array(each if isinstance(each, np.ndarray) else list(each))
                for name, each in columns.items()
            }
            table = pa.table(arrays)
            if writer is None:
                kind = csv.CSVWriter if path.suffix == ".csv" else parquet.ParquetWriter
                writer = kind(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
    return path

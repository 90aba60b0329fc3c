"""Checks of foreign files: archives that unpack to far too much, matrices that do not fit."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

from homogcl.core.errors import UserError

# A file that unpacks to less than this does no harm.
HARMLESS = 256 << 20  # bytes
# Tables of numbers shrink to a tenth, sparse ones to a fiftieth; bombs to a thousandth.
MOST_TIMES = 200


def refuse_bomb(archive: NpzFile, path: Path, size: int) -> None:
    """Raise `UserError` if an npz archive of `size` bytes says that it unpacks to far more.

    The sizes that it states hold: no member is read beyond its own. Nothing is ever unpacked to
    a file, so that the names in an archive lead nowhere.
    """
    members = archive.zip.infolist() if archive.zip else []
    _refuse(path, size, sum(member.file_size for member in members))


def refuse_gzip_bomb(path: Path) -> None:
    """Raise `UserError` if the beginning of a gzip file unpacks to far more than it is."""
    try:
        with path.open("rb") as raw, gzip.open(raw) as file:
            unpacked = 0
            while unpacked <= HARMLESS and (chunk := file.read(1 << 20)):
                unpacked += len(chunk)
            _refuse(path, raw.tell(), unpacked)
    except (EOFError, OSError, zlib.error):
        return  # whoever reads the file says what is wrong with it


def gunzipped(path: Path, content: bytes) -> bytes:
    """Return the unpacked bytes of the gzip file at `path`, whose packed bytes are `content`."""
    parts: list[bytes] = []
    unpacked = 0
    try:
        with gzip.open(io.BytesIO(content)) as file:
            while chunk := file.read(1 << 24):
                unpacked += len(chunk)
                _refuse(path, len(content), unpacked)
                parts.append(chunk)
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(
            f"{path}: truncated, or no gzip file; replace it by the original file"
        ) from error
    return b"".join(parts)


def member(archive: bytes, name: str, origin: str) -> bytes:
    """Return the file `name` out of the only folder in a zip archive that came from `origin`."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            packed = {each.filename.partition("/")[2]: each for each in opened.infolist()}
            if name not in packed:
                raise UserError(f"{origin}: holds no {name}; not used, try again later")
            _refuse(Path(name), len(archive), packed[name].file_size)
            return opened.read(packed[name])
    except (EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{origin}: served no zip archive; not used, try again later") from error


def checked(matrix: Any) -> Any:
    """Return a scipy CSR, CSC or BSR matrix whose parts fit together; ValueError otherwise.

    Compiled code trusts them, and reads or writes elsewhere if they do not. scipy's own check
    looks at the order of the pointers only where the last of them says that there are entries.
    """
    matrix.check_format(full_check=True)
    if len(matrix.indptr) > 1 and np.diff(matrix.indptr).min() < 0:
        raise ValueError("index pointers must not decrease")
    return matrix


def _refuse(path: Path, size: int, unpacked: int) -> None:
    if unpacked > HARMLESS and unpacked > MOST_TIMES * size:
        raise UserError(
            f"{path}: holds {unpacked // max(size, 1):,} times as much as its size; unpack it "
            "yourself if you trust it"
        )

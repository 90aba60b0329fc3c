"""Files that are written whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from homogcl.core import faults
from homogcl.core.errors import UserError

_PARTIAL = ".partial"


def write_atomically(path: Path, data: bytes) -> Path:
    """Write `data` so that `path` holds all of it or what it held before, and return `path`."""
    with open_atomically(path) as file:
        file.write(data)
    return path


def write_json(path: Path, value: object, indent: int | None = 2) -> Path:
    """Write `value` as JSON, whole or not at all, and return `path`."""
    return write_atomically(path, (json.dumps(value, indent=indent) + "\n").encode())


@contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that becomes `path` at the end of the block, or never."""
    try:
        _make_folder(path.parent)
        handle, name = tempfile.mkstemp(_PARTIAL, f".{path.name}.", path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                faults.maybe("file-opened")
                yield file
                file.flush()
                faults.maybe("file-written")
                os.fsync(file.fileno())
            faults.maybe("file-synced")
            # Temporary files are private; what a user asked for follows the user's umask.
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        faults.maybe("file-replaced")
        sync_folder(path.parent)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error


def remove_lastingly(*paths: Path) -> None:
    """Remove files of one folder that may be there, in a way that lasts through a loss of power."""
    there = [path for path in paths if path.exists()]
    try:
        for path in there:
            path.unlink()
        if there:
            sync_folder(there[0].parent)
    except OSError as error:
        raise UserError(f"cannot remove {there[0]}: {error.strerror}") from error


def remove_partial(folder: Path) -> None:
    """Remove what a killed process left of files that it was writing in `folder`."""
    for path in folder.glob(f".*{_PARTIAL}"):
        path.unlink(missing_ok=True)


@contextmanager
def only_process_in(folder: Path, inner: Sequence[Path] = ()) -> Iterator[None]:
    """Keep other processes out of `folder`; the system lets them in when this one dies.

    What a process that was killed here left half-written, also in the `inner` folders, is removed.
    """
    path = folder / ".lock"
    try:
        _make_folder(folder)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise UserError(
            f"{folder} is in use by another process; wait for it or give another folder"
        ) from None
    try:
        for each in (folder, *inner):
            remove_partial(each)
        yield
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last through a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each of which lasts through a loss of power."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

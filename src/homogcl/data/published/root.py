"""The data root and its raw files: where they lie, how they are read, fetched and placed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from homogcl.core.errors import UserError

_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class RawFile:
    """A file's path and its bytes, read once, so that what is hashed is what is parsed."""

    path: Path
    content: bytes


def data_root(root: str | Path | None = None) -> Path:
    """Return the folder of all data sets: `root`, else `$HOMOGCL_DATA`, else the XDG cache."""
    folder = root or os.environ.get("HOMOGCL_DATA")
    return Path(folder).expanduser() if folder else cache_root()


def cache_root() -> Path:
    """Return the user's folder for what can be made or fetched again: the XDG cache."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "homogcl"


def is_offline() -> bool:
    """Return whether the environment forbids downloads (`HOMOGCL_OFFLINE` set, and not to 0)."""
    return os.environ.get("HOMOGCL_OFFLINE", "0") not in {"", "0"}


def read(path: Path) -> RawFile:
    """Return the file at `path` with its bytes."""
    try:
        return RawFile(path, path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error


def fetch(url: str) -> bytes:
    """Return what `url` serves; raise `OSError` where that fails for any reason."""
    import http.client
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
            content: bytes = response.read()
    except (urllib.error.URLError, http.client.HTTPException) as error:
        raise OSError(str(getattr(error, "reason", error))) from error
    return content


def sha256(files: Iterable[RawFile]) -> str:
    """Return the hexadecimal sha256 over the files' bytes, taken in the order of their names."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path.name):
        digest.update(file.content)
    return digest.hexdigest()

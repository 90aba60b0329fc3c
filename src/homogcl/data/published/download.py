"""Raw files of the published data sets, downloaded where they are missing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.data.check import validate
from homogcl.data.edges import undirected
from homogcl.data.published.archives import member
from homogcl.data.published.checksums import PLANETOID_SHA256
from homogcl.data.published.root import RawFile, fetch, is_offline, read
from homogcl.data.published.sources import PublishedCounts, Source, lacks_features, missing_files


def raw_files(source: Source, root: Path) -> list[RawFile]:
    """Return the source's files with their bytes, downloading those that are missing.

    Downloads are placed only after all of them have come and have been verified.
    """
    names = source.files if lacks_features(source, root) else source.all_files
    downloads = _downloads(source, root, names) if missing_files(source, root) else {}
    paths = [root / source.folder / name for name in names]
    files = [downloads[path] if path in downloads else read(path) for path in paths]
    if downloads:
        _verify(source, files)
    for file in downloads.values():
        write_atomically(file.path, file.content)
    return files


def _downloads(source: Source, root: Path, names: Sequence[str]) -> dict[Path, RawFile]:
    """Return the missing ones of the files called `names`, by their paths."""
    places = {name: root / source.folder / name for name in names}
    absent = {name: path for name, path in places.items() if not path.is_file()}
    if source.url.endswith(".zip"):
        packed = _download(source, next(iter(absent.values())), source.url)
        contents = {path: member(packed, name, source.url) for name, path in absent.items()}
    else:
        urls = {path: f"{source.url}/{path.name}" for path in absent.values()}
        contents = {path: _download(source, path, url) for path, url in urls.items()}
    return {path: RawFile(path, content) for path, content in contents.items()}


def _download(source: Source, path: Path, url: str) -> bytes:
    what = f"unpack {url}" if url.endswith(".zip") else f"put {url}"
    advice = f"{what} there, or point --root or HOMOGCL_DATA at a folder with {source.folder}"
    if is_offline():
        raise UserError(f"{path}: missing, and HOMOGCL_OFFLINE forbids downloads; {advice}")
    try:
        return fetch(url)
    except OSError as error:
        raise UserError(f"{path}: missing, and the download failed ({error}); {advice}") from error


def _verify(source: Source, files: Sequence[RawFile]) -> None:
    """Raise `UserError` unless the files are the published ones.

    Planetoid's files are compared byte by byte, through their checksums. The npz files are in use
    in more than one byte form, so they are compared by what they hold.
    """
    for file in files:
        expected = PLANETOID_SHA256.get(file.path.name)
        actual = hashlib.sha256(file.content).hexdigest()
        if expected not in {None, actual}:
            raise UserError(
                f"{source.url}/{file.path.name}: has sha256 {actual[:12]}… instead of "
                f"{expected[:12]}…; not used, try again later"
            )
    graph = source.parse(files)
    validate(graph, source.url)
    edge_index, _ = undirected(graph.edge_index, graph.x.size(0))
    counts = PublishedCounts(
        graph.x.size(0), edge_index.size(1), graph.x.size(1), int(graph.y.max()) + 1
    )
    if counts != source.counts:
        raise UserError(
            f"{source.url}: served {counts} instead of {source.counts}; not used, try again later"
        )

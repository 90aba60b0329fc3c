"""The published data sets: their files, where those come from, and what they must hold."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from homogcl.core.errors import UserError
from homogcl.data.published.checksums import PLANETOID_SHA256
from homogcl.data.published.root import RawFile, fetch, is_offline, place, read

# The names of data sets are asked for without a graph, where torch would only cost time.
if TYPE_CHECKING:
    from torch_geometric.data import Data

# `x` repeats the first rows of `allx`; it is listed so that the folder is complete for PyG too.
_PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
_OGB_FILES = (
    *("raw/edge.csv.gz", "raw/node-label.csv.gz"),
    *(f"split/time/{part}.csv.gz" for part in ("train", "valid", "test")),
)


@dataclass(frozen=True)
class Counts:
    """Sizes of a data set; `edges` counts both directions, without self-loops."""

    nodes: int
    edges: int
    features: int
    classes: int


@dataclass(frozen=True)
class Source:
    """A data set in raw files below the data root, in the layout of PyG.

    Attributes:
        title: What people call it.
        folder: Where its files lie below the root.
        files: Those that there is no graph without, by their paths in the folder.
        url: Where the files lie, or a zip archive of them.
        reader: The function that makes a graph of the files, as `module:name`.
        counts: What the published files hold.
        features: A file of features that some copies of the data set lack.
    """

    title: str
    folder: str
    files: tuple[str, ...]
    url: str
    reader: str
    counts: Counts
    features: str | None = None

    @property
    def all_files(self) -> tuple[str, ...]:
        """Every file of the published data set."""
        return self.files if self.features is None else (*self.files, self.features)

    def parse(self, files: Sequence[RawFile]) -> Data:
        """Return the graph in `files`; `x` may be missing where a file of features is."""
        read: Callable[[Sequence[RawFile]], Data] = resolve_name(self.reader)
        return read(files)


def missing_files(source: Source, root: Path) -> list[Path]:
    """Return where the source's files belong that are not there."""
    paths = [root / source.folder / name for name in source.files]
    return [path for path in paths if not path.is_file()]


def lacks_features(source: Source, root: Path) -> bool:
    """Return whether the source's files are there, and nothing but those of features is missing.

    Where more is missing, all of it is downloaded.
    """
    if source.features is None or missing_files(source, root):
        return False
    return not (root / source.folder / source.features).is_file()


def raw_files(source: Source, root: Path) -> list[RawFile]:
    """Return the source's files with their bytes, downloading those that are missing.

    Downloads are placed only after all of them have come and were found to be the right ones.
    """
    names = source.files if lacks_features(source, root) else source.all_files
    fetched = _downloads(source, root, names) if missing_files(source, root) else {}
    paths = [root / source.folder / name for name in names]
    files = [fetched[path] if path in fetched else read(path) for path in paths]
    if fetched:
        _verify(source, files)
    for file in fetched.values():
        place(file)
    return files


def _downloads(source: Source, root: Path, names: Sequence[str]) -> dict[Path, RawFile]:
    """Return those of the files called `names` that are not there, as their origin has them."""
    from homogcl.data.published.archives import member

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
    from homogcl.data.check import validate
    from homogcl.data.edges import undirected

    for file in files:
        expected = PLANETOID_SHA256.get(file.path.name)
        found = hashlib.sha256(file.content).hexdigest()
        if expected not in {None, found}:
            raise UserError(
                f"{source.url}/{file.path.name}: has sha256 {found[:12]}… instead of "
                f"{expected[:12]}…; not used, try again later"
            )
    graph = source.parse(files)
    validate(graph, source.url)
    edge_index, _ = undirected(graph.edge_index, graph.x.size(0))
    found_counts = Counts(
        graph.x.size(0), edge_index.size(1), graph.x.size(1), int(graph.y.max()) + 1
    )
    if found_counts != source.counts:
        raise UserError(
            f"{source.url}: served {found_counts} instead of {source.counts}; not used, try again "
            "later"
        )


def _planetoid(title: str, counts: Counts) -> Source:
    return Source(
        title=title,
        folder=f"planetoid/{title}/raw",
        files=tuple(f"ind.{title.lower()}.{part}" for part in _PLANETOID_PARTS),
        url="https://github.com/kimiyoung/planetoid/raw/master/data",
        reader="homogcl.data.published.planetoid:read",
        counts=counts,
    )


def _pitfalls(title: str, folder: str, stem: str, counts: Counts) -> Source:
    return Source(
        title=title,
        folder=f"{folder}/{title}/raw",
        files=(f"{stem}.npz",),
        url="https://github.com/shchur/gnn-benchmark/raw/master/data/npz",
        reader="homogcl.data.published.npz:read",
        counts=counts,
    )


def _citation_full(title: str, stem: str, counts: Counts) -> Source:
    return Source(
        title=title,
        folder=f"citationfull/{stem}/raw",
        files=(f"{stem}.npz",),
        url="https://github.com/abojchevski/graph2gauss/raw/master/data",
        reader="homogcl.data.published.npz:read",
        counts=counts,
    )


# Counts as PyG documents them for the same files.
SOURCES: dict[str, Source] = {
    "cora": _planetoid("Cora", Counts(2_708, 10_556, 1_433, 7)),
    "citeseer": _planetoid("CiteSeer", Counts(3_327, 9_104, 3_703, 6)),
    "pubmed": _planetoid("PubMed", Counts(19_717, 88_648, 500, 3)),
    "photo": _pitfalls(
        "Photo", "amazon", "amazon_electronics_photo", Counts(7_650, 238_162, 745, 8)
    ),
    "computers": _pitfalls(
        "Computers", "amazon", "amazon_electronics_computers", Counts(13_752, 491_722, 767, 10)
    ),
    "cs": _pitfalls("CS", "coauthor", "ms_academic_cs", Counts(18_333, 163_788, 6_805, 15)),
    "physics": _pitfalls(
        "Physics", "coauthor", "ms_academic_phy", Counts(34_493, 495_924, 8_415, 5)
    ),
    "dblp": _citation_full("DBLP", "dblp", Counts(17_716, 105_734, 1_639, 4)),
    "coraml": _citation_full("Cora-ML", "cora_ml", Counts(2_995, 16_316, 2_879, 7)),
    "arxiv": Source(
        title="ogbn-arxiv",
        folder="ogbn_arxiv",
        files=_OGB_FILES,
        url="https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip",
        reader="homogcl.data.published.ogb:read",
        counts=Counts(169_343, 2_315_598, 128, 40),
        features="raw/node-feat.csv.gz",
    ),
}

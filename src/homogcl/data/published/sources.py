"""The published data sets: their files, where those come from, and what they must hold."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from homogcl.data.published.root import RawFile

if TYPE_CHECKING:  # so that the names of data sets can be listed without loading torch
    from torch_geometric.data import Data


@dataclass(frozen=True)
class PublishedCounts:
    """Sizes of a data set as they are published."""

    nodes: int
    directed_edges: int  # each edge counts in both directions; self-loops do not
    features: int
    classes: int

    def __str__(self) -> str:
        return (
            f"{self.nodes} nodes, {self.directed_edges} directed edges, {self.features} features "
            f"and {self.classes} classes"
        )


@dataclass(frozen=True)
class Source:
    """A data set in raw files below the data root, in the layout of PyG."""

    title: str  # what people call it
    folder: str  # where its files lie below the root
    files: tuple[str, ...]  # without which there is no graph, by their paths in the folder
    url: str  # where the files lie, or a zip archive of them
    reader: Literal["planetoid", "npz", "ogb"]  # the module whose `read` makes the graph
    counts: PublishedCounts  # what the published files hold
    features: str | None = None  # a file of features that some copies of the data set lack

    @property
    def all_files(self) -> tuple[str, ...]:
        """Every file of the published data set."""
        return self.files if self.features is None else (*self.files, self.features)

    def parse(self, files: Sequence[RawFile]) -> Data:
        """Return the graph in the files; `x` has no columns where the file of features lacks."""
        reader = importlib.import_module(f"homogcl.data.published.{self.reader}")
        graph: Data = reader.read(files)
        return graph


def missing_files(source: Source, root: Path) -> list[Path]:
    """Return the paths of the source's files that are not there."""
    paths = [root / source.folder / name for name in source.files]
    return [path for path in paths if not path.is_file()]


def lacks_features(source: Source, root: Path) -> bool:
    """Return whether the source's file of features is missing, and no other file.

    Where another one is missing too, all of them are downloaded.
    """
    if source.features is None or missing_files(source, root):
        return False
    return not (root / source.folder / source.features).is_file()


# `x` repeats the first rows of `allx`; it is listed so that the folder is complete for PyG too.
_PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
_PITFALLS = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz"
_FULL = "https://github.com/abojchevski/graph2gauss/raw/master/data"
_ARXIV_FILES = (
    *("raw/edge.csv.gz", "raw/node-label.csv.gz"),
    *(f"split/time/{part}.csv.gz" for part in ("train", "valid", "test")),
)


def _planetoid(title: str, counts: PublishedCounts) -> Source:
    return Source(
        title=title,
        folder=f"planetoid/{title}/raw",
        files=tuple(f"ind.{title.lower()}.{part}" for part in _PLANETOID_PARTS),
        url="https://github.com/kimiyoung/planetoid/raw/master/data",
        reader="planetoid",
        counts=counts,
    )


def _npz(
    title: str, folder: str, stem: str, counts: PublishedCounts, url: str = _PITFALLS
) -> Source:
    return Source(title, f"{folder}/raw", (f"{stem}.npz",), url, "npz", counts)


# Counts as PyG documents them for the same files.
SOURCES: dict[str, Source] = {
    "cora": _planetoid("Cora", PublishedCounts(2_708, 10_556, 1_433, 7)),
    "citeseer": _planetoid("CiteSeer", PublishedCounts(3_327, 9_104, 3_703, 6)),
    "pubmed": _planetoid("PubMed", PublishedCounts(19_717, 88_648, 500, 3)),
    "photo": _npz(
        "Photo",
        "amazon/Photo",
        "amazon_electronics_photo",
        PublishedCounts(7_650, 238_162, 745, 8),
    ),
    "computers": _npz(
        "Computers",
        "amazon/Computers",
        "amazon_electronics_computers",
        PublishedCounts(13_752, 491_722, 767, 10),
    ),
    "cs": _npz("CS", "coauthor/CS", "ms_academic_cs", PublishedCounts(18_333, 163_788, 6_805, 15)),
    "physics": _npz(
        "Physics", "coauthor/Physics", "ms_academic_phy", PublishedCounts(34_493, 495_924, 8_415, 5)
    ),
    "dblp": _npz(
        "DBLP", "citationfull/dblp", "dblp", PublishedCounts(17_716, 105_734, 1_639, 4), _FULL
    ),
    "coraml": _npz(
        "Cora-ML",
        "citationfull/cora_ml",
        "cora_ml",
        PublishedCounts(2_995, 16_316, 2_879, 7),
        _FULL,
    ),
    "arxiv": Source(
        title="ogbn-arxiv",
        folder="ogbn_arxiv",
        files=_ARXIV_FILES,
        url="https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip",
        reader="ogb",
        counts=PublishedCounts(169_343, 2_315_598, 128, 40),
        features="raw/node-feat.csv.gz",
    ),
}

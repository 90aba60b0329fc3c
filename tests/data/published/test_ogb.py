"""ogbn-arxiv's raw form: a small copy with and without features, downloads, and damage."""

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from homogcl.advice import doctor
from homogcl.core.errors import UserError
from homogcl.data import structural
from homogcl.data.catalog import lacks_features
from homogcl.data.edges import undirected
from homogcl.data.load import load
from homogcl.data.published import download, sources
from homogcl.data.published.root import read
from homogcl.data.published.sources import SOURCES, PublishedCounts
from homogcl.data.structural import structural_features
from homogcl.runs.request import Request

ARXIV = SOURCES["arxiv"]
EDGES = "0,1\n1,2\n2,0\n3,4\n4,5\n5,3\n2,3\n1,0\n6,6\n"
TABLES = {
    "raw/edge.csv.gz": EDGES,
    "raw/node-label.csv.gz": "0\n0\n0\n1\n1\n1\n1\n",
    "split/time/train.csv.gz": "0\n3\n",
    "split/time/valid.csv.gz": "1\n4\n",
    "split/time/test.csv.gz": "2\n5\n6\n",
}
FEATURES = "".join(f"{i}.5,-{i}\n" for i in range(7))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root with a graph of 7 nodes in place of arXiv, without features."""
    for name, text in TABLES.items():
        write(tmp_path, name, text)
    return tmp_path


def write(root: Path, name: str, text: str) -> Path:
    path = root / ARXIV.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_graph_labels_and_split_are_those_of_the_files(root: Path) -> None:
    graph = load("ogbn-arxiv", root)
    assert graph.name == "arxiv"
    assert graph.y.tolist() == [0, 0, 0, 1, 1, 1, 1]
    pairs = set(map(tuple, graph.edge_index.t().tolist()))
    ends = [tuple(map(int, line.split(","))) for line in EDGES.split()]
    assert pairs == {pair for a, b in ends if a != b for pair in ((a, b), (b, a))}
    assert graph.split_name == "public"
    parts = [graph[f"{part}_mask"].nonzero().flatten().tolist() for part in ("train", "val")]
    assert parts == [[0, 3], [1, 4]]
    assert graph.test_mask.nonzero().flatten().tolist() == [2, 5, 6]


def test_features_are_those_of_the_file_where_it_is_there(root: Path) -> None:
    assert lacks_features("ogbn_arxiv", root)
    states = {finding.name: finding.state for finding in doctor.data(root)}
    assert "made of the edges" in states["arxiv"]
    bare = load("arxiv", root, features="raw")
    write(root, "raw/node-feat.csv.gz", FEATURES)
    assert not lacks_features("ogbn_arxiv", root)
    graph = load("arxiv", root, features="raw")
    assert graph.x.tolist() == [[i + 0.5, -i] for i in range(7)]
    assert not graph.get("structural")
    assert graph.sha256 != bare.sha256


@pytest.mark.parametrize("features", ["row", "raw", "structural"])
def test_without_their_file_features_are_made_of_the_edges(root: Path, features: str) -> None:
    graph = load("arxiv", root, features=features, seed=5)  # type: ignore[arg-type]
    assert graph.structural
    assert "made of the edges" in graph.report
    assert torch.equal(graph.x, structural_features(graph.edge_index, 7, seed=0))


def test_records_say_what_was_learned_from(root: Path) -> None:
    spec = Request("random", "ogbn-arxiv", root=root, overrides={"features": "row"})
    assert spec.settings().data.features == "structural"
    assert spec.resolve(by_size=False).recorded_settings["data"] == {"features": "structural"}
    write(root, "raw/node-feat.csv.gz", FEATURES)
    assert spec.settings().data.features == "row"


def test_any_graph_can_have_structural_features(tmp_path: Path) -> None:
    graph, other = (load("demo", features="structural", seed=seed) for seed in (0, 1))
    assert graph.x.shape == (2500, 128)
    assert torch.equal(graph.x, other.x)
    assert graph.sha256 == load("demo").sha256
    edges = tmp_path / "own.csv"
    edges.write_text("a,b,c\n0,1,1\n1,2,1\n2,0,1\n")
    own = load(edges, features="structural", seed=3, files={"weight": "c"})
    assert torch.equal(own.x, structural_features(own.edge_index, 3, seed=3))


def test_features_of_a_large_data_set_are_computed_once(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(structural, "LARGE", 6)
    monkeypatch.setattr(structural, "DIM", 4)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    computed = []
    whole = structural.structural_features

    def counted(
        edge_index: torch.Tensor, nodes: int, *, edge_weight: torch.Tensor | None
    ) -> torch.Tensor:
        computed.append(1)
        return whole(edge_index, nodes, 4, edge_weight=edge_weight)

    monkeypatch.setattr(structural, "structural_features", counted)
    first = load("arxiv", root).x
    assert torch.equal(load("arxiv", root).x, first)
    assert len(computed) == 1
    [file] = (tmp_path / "cache" / "homogcl" / "structural").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    assert torch.equal(load("arxiv", root).x, first)
    assert len(computed) == 2
    write(root, "raw/edge.csv.gz", "0,1\n5,6\n")
    assert not torch.equal(load("arxiv", root).x, first)
    # A cache that cannot be written costs time and nothing else.
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load("arxiv", root).x.shape == (7, 4)


def packed(tables: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in tables.items():
            archive.writestr(f"arxiv/{name}", gzip.compress(text.encode()))
    return buffer.getvalue()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the origin, which serves the small copy with features."""
    asked: list[str] = []

    def serve(url: str) -> bytes:
        asked.append(url)
        return packed({**TABLES, ARXIV.features or "": FEATURES})

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(download, "fetch", serve)
    return asked


def count(monkeypatch: pytest.MonkeyPatch, counts: PublishedCounts) -> None:
    small = sources.Source(**{**vars(ARXIV), "counts": counts})
    monkeypatch.setitem(SOURCES, "arxiv", small)


def test_what_is_missing_is_taken_out_of_the_archive(
    tmp_path: Path, served: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count(monkeypatch, PublishedCounts(7, 14, 2, 2))
    graph = load("arxiv", tmp_path, features="raw")
    assert graph.x.size(1) == 2
    placed = {
        str(path.relative_to(tmp_path / ARXIV.folder))
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert placed == {*TABLES, ARXIV.features}
    load("arxiv", tmp_path)
    assert served == [ARXIV.url]


def test_an_archive_of_something_else_is_refused_and_nothing_placed(
    tmp_path: Path, served: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"arxiv\.zip: served 7 nodes, 14 directed edges"):
        load("arxiv", tmp_path)
    monkeypatch.setattr(download, "fetch", lambda url: packed({"raw/edge.csv.gz": EDGES}))
    with pytest.raises(UserError, match=r"arxiv\.zip: holds no raw/node-label\.csv\.gz"):
        load("arxiv", tmp_path)
    monkeypatch.setattr(download, "fetch", lambda url: b"<html>")
    with pytest.raises(UserError, match=r"arxiv\.zip: served no zip archive"):
        load("arxiv", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_without_features_is_left_as_it_is(root: Path, served: list[str]) -> None:
    load("arxiv", root)
    assert served == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("raw/edge.csv.gz", gzip.compress(b"0,1\n0,x\n", mtime=0), "no table of numbers"),
        ("raw/edge.csv.gz", gzip.compress(b"0,1,2\n", mtime=0), "3 columns instead of 2"),
        ("raw/edge.csv.gz", gzip.compress(b"0,9\n", mtime=0), "node 9"),
        ("raw/edge.csv.gz", b"0,1\n", "no gzip file"),
        ("raw/node-label.csv.gz", gzip.compress(EDGES.encode(), mtime=0)[:20], "truncated"),
        ("split/time/test.csv.gz", gzip.compress(b"2\n7\n", mtime=0), "line 2: names node 7"),
        ("raw/node-feat.csv.gz", gzip.compress(b"1,2\n1,nan\n", mtime=0), "column 1"),
    ],
)
def test_damage_is_named_in_one_line(root: Path, name: str, content: bytes, said: str) -> None:
    (root / ARXIV.folder / name).write_bytes(content)
    with pytest.raises(UserError, match=said) as caught:
        load("arxiv", root)
    assert "\n" not in str(caught.value)


def test_the_published_files_hold_what_they_are_said_to(data_root: Path) -> None:
    """Without the features, which are not everywhere and would take a minute to make."""
    files = [read(data_root / ARXIV.folder / name) for name in ARXIV.files]
    graph = ARXIV.parse(files)
    edges, _ = undirected(graph.edge_index, len(graph.y))
    counts = (len(graph.y), edges.size(1), int(graph.y.max()) + 1)
    assert counts == (ARXIV.counts.nodes, ARXIV.counts.directed_edges, ARXIV.counts.classes)
    assert np.array_equal(
        [int(graph[f"{part}_mask"].sum()) for part in ("train", "val", "test")],
        [90_941, 29_799, 48_603],
    )

"""`load`: names, statistics of the real data, hashes, downloads, registered data sets."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pydantic import ValidationError
from torch_geometric.data import Data
from torch_geometric.utils import contains_self_loops, is_undirected

import homogcl.data.datasets
from homogcl.core.errors import UnknownName, UserError
from homogcl.data.load import DataConfig, Statistics, data_names, load, source, statistics
from homogcl.data.published import sources
from homogcl.data.published.root import RawFile, data_root, fetch, place

REAL = {
    "cora": (Statistics(2_708, 10_556, 1_433, 7, 0.8100, 0), True),
    "citeseer": (Statistics(3_327, 9_104, 3_703, 6, 0.7355, 48), True),
    "pubmed": (Statistics(19_717, 88_648, 500, 3, 0.8024, 0), False),
    "photo": (Statistics(7_650, 238_162, 745, 8, 0.8272, 115), False),
    "computers": (Statistics(13_752, 491_722, 767, 10, 0.7772, 281), False),
}


@pytest.mark.parametrize("name", REAL)
def test_real_data_have_the_published_statistics(data_root: Path, name: str) -> None:
    graph = load(name, data_root)
    expected, sparse = REAL[name]
    found = statistics(graph)
    assert round(found.homophily, 4) == expected.homophily
    assert found == Statistics(**{**vars(expected), "homophily": found.homophily})
    assert (graph.x.layout == torch.sparse_csr) == sparse
    assert is_undirected(graph.edge_index)
    assert not contains_self_loops(graph.edge_index)
    key = graph.edge_index[0] * found.nodes + graph.edge_index[1]
    assert bool((key.diff() > 0).all())
    rows = graph.x.to_dense().sum(dim=1)
    torch.testing.assert_close(rows, (rows > 0).float())


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("cora", (140, 500, 1000)), ("citeseer", (120, 500, 1000)), ("pubmed", (60, 500, 1000))],
)
def test_public_splits_have_the_published_sizes(
    data_root: Path, name: str, sizes: tuple[int, int, int]
) -> None:
    graph = load(name, data_root)
    assert graph.split_name == "public"
    masks = graph.train_mask, graph.val_mask, graph.test_mask
    assert tuple(int(mask.sum()) for mask in masks) == sizes
    assert int(torch.stack(masks).sum(dim=0).max()) == 1
    assert set(torch.bincount(graph.y[graph.train_mask]).tolist()) == {20}


def test_hash_is_over_the_files_in_the_order_of_their_names(
    planetoid_root: Callable[[dict[str, bytes]], Path], tiny_parts: dict[str, bytes]
) -> None:
    graph = load("citeseer", planetoid_root({}))
    expected = hashlib.sha256(b"".join(tiny_parts[part] for part in sorted(tiny_parts)))
    assert graph.sha256 == expected.hexdigest()
    assert graph.name == "citeseer"


def test_names_are_listed_and_forgiving_about_case() -> None:
    names = ["demo", "cora", "citeseer", "pubmed", "photo", "computers"]
    assert data_names()[:10] == [*names, "cs", "physics", "dblp", "coraml"]
    coraml = source("Cora_ML")
    assert coraml is not None
    assert coraml.title == "Cora-ML"
    assert source("demo") is None


def test_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown data set 'coar' \(did you mean: cora"):
        load("coar")


def test_layout_is_that_of_pyg() -> None:
    paths = {f"{entry.folder}/{entry.files[0]}" for entry in sources.SOURCES.values()}
    assert {
        "planetoid/Cora/raw/ind.cora.x",
        "amazon/Photo/raw/amazon_electronics_photo.npz",
        "coauthor/CS/raw/ms_academic_cs.npz",
        "coauthor/Physics/raw/ms_academic_phy.npz",
        "citationfull/dblp/raw/dblp.npz",
        "citationfull/cora_ml/raw/cora_ml.npz",
    } <= paths


def test_config_refuses_unknown_settings() -> None:
    assert DataConfig() == DataConfig(features="row", split=None)
    with pytest.raises(ValidationError, match="fetures"):
        DataConfig.model_validate({"fetures": "row"})
    with pytest.raises(ValidationError, match="features"):
        DataConfig.model_validate({"features": "l2"})


def test_root_is_the_argument_then_the_variable_then_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path / "variable"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_root(tmp_path) == tmp_path
    assert data_root() == tmp_path / "variable"
    monkeypatch.delenv("HOMOGCL_DATA")
    assert data_root() == tmp_path / "cache" / "homogcl"


def test_missing_file_offline_names_path_and_origin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    path = tmp_path / "planetoid/Cora/raw/ind.cora.x"
    with pytest.raises(UserError) as caught:
        load("cora", tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{path}: missing")
    assert "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.x" in message
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []


def test_failed_download_names_path_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(url: str) -> bytes:
        raise OSError("no route to host")

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(sources, "fetch", fail)
    with pytest.raises(UserError, match=r"photo\.npz: missing, and the download failed \(no rou"):
        load("photo", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cora", "photo"])
def test_missing_files_are_downloaded_checked_and_placed(
    monkeypatch: pytest.MonkeyPatch, data_root: Path, tmp_path: Path, name: str
) -> None:
    entry = sources.SOURCES[name]
    asked = []

    def serve(url: str) -> bytes:
        asked.append(url)
        return (data_root / entry.folder / url.rsplit("/", 1)[1]).read_bytes()

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(sources, "fetch", serve)
    graph = load(name, tmp_path)
    assert graph.sha256 == load(name, data_root).sha256
    assert asked == [f"{entry.url}/{file}" for file in entry.files]
    placed = {path.name for path in (tmp_path / entry.folder).iterdir()}
    assert placed == set(entry.files)
    load(name, tmp_path)
    assert len(asked) == len(entry.files)


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        ("cora", "ind.cora.ty", r"ind\.cora\.ty: has sha256"),
        ("photo", "amazon_electronics_photo.npz", r"data/npz: served Counts\(nodes=13752"),
    ],
)
def test_wrong_download_is_refused_and_nothing_is_placed(
    monkeypatch: pytest.MonkeyPatch,
    data_root: Path,
    tmp_path: Path,
    name: str,
    file: str,
    message: str,
) -> None:
    wrong = {
        "ind.cora.ty": "planetoid/Cora/raw/ind.cora.y",
        "amazon_electronics_photo.npz": "amazon/Computers/raw/amazon_electronics_computers.npz",
    }

    def serve(url: str) -> bytes:
        asked = url.rsplit("/", 1)[1]
        folder = sources.SOURCES[name].folder
        return (data_root / (wrong[asked] if asked == file else f"{folder}/{asked}")).read_bytes()

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(sources, "fetch", serve)
    with pytest.raises(UserError, match=message):
        load(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_fetch_gives_the_bytes_or_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"\x00\x01")
    assert fetch((tmp_path / "there").as_uri()) == b"\x00\x01"
    with pytest.raises(OSError, match="No such file"):
        fetch((tmp_path / "absent").as_uri())


def test_file_that_cannot_be_placed_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write .*file/x\.npz"):
        place(RawFile(tmp_path / "file" / "x.npz", b""))
    (tmp_path / "folder" / "x.npz").mkdir(parents=True)
    with pytest.raises(UserError, match=r"cannot write .*folder/x\.npz"):
        place(RawFile(tmp_path / "folder" / "x.npz", b""))
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["x.npz"]


def test_demo_needs_no_file_and_keeps_its_graph_over_seeds(tmp_path: Path) -> None:
    first, second = load("demo", tmp_path), load("demo", tmp_path, seed=1)
    assert list(tmp_path.iterdir()) == []
    assert first.split_name == "random"
    assert first.sha256 == second.sha256
    assert torch.equal(first.edge_index, second.edge_index)
    assert not torch.equal(first.test_mask, second.test_mask)
    assert torch.equal(load("demo", seed=1).test_mask, second.test_mask)


def test_random_split_replaces_the_public_one_where_asked(
    planetoid_root: Callable[[dict[str, bytes]], Path],
) -> None:
    graph = load("citeseer", planetoid_root({}), split="random", seed=3)
    assert graph.split_name == "random"
    assert [int(graph[f"{part}_mask"].sum()) for part in ("train", "val", "test")] == [1, 1, 8]


def test_public_split_is_refused_where_there_is_none() -> None:
    with pytest.raises(UserError, match="demo has no public split"):
        load("demo", split="public")


def register(monkeypatch: pytest.MonkeyPatch, name: str, read: Callable[[Path], object]) -> None:
    entry = SimpleNamespace(name=name, load=lambda: read)
    monkeypatch.setattr(homogcl.data.datasets, "entry_points", lambda group: [entry])


def test_data_set_of_another_package_is_completed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    x = torch.tensor([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
    edge_index = torch.tensor([[1, 0, 2, 2], [0, 1, 2, 1]])
    weight = torch.tensor([1.0, 3.0, 9.0, 5.0])
    seen = []

    def read(root: Path) -> Data:
        seen.append(root)
        return Data(x=x, edge_index=edge_index, edge_weight=weight)

    register(monkeypatch, "my-graph", read)
    assert data_names()[-1] == "my-graph"
    graph = load("my-graph", tmp_path)
    assert seen == [tmp_path]
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graph.edge_weight.tolist() == [2.0, 2.0, 5.0, 5.0]
    assert graph.x.tolist() == [[0.25, 0.75], [0.0, 0.0], [0.5, 0.5]]
    assert x.tolist() == [[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]]
    assert "y" not in graph
    weight[0] = 2.0
    assert load("my-graph", tmp_path).sha256 != graph.sha256


def test_registered_name_cannot_replace_a_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "demo", lambda root: Data())
    assert data_names().count("demo") == 1
    assert load("demo").x.size(0) == 2500


def test_registered_reader_must_give_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "mine", lambda root: {"x": 1})
    with pytest.raises(UserError, match="mine: its package gave a dict"):
        load("mine")

"""`load`: names, statistics of the real data, hashes, downloads, registered data sets."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pydantic import ValidationError
from torch_geometric.data import Data
from torch_geometric.utils import contains_self_loops, is_undirected

import homogcl.data.catalog
from homogcl.core.errors import UnknownName, UserError
from homogcl.data.catalog import data_names, graph_name, own_path, source
from homogcl.data.load import DataConfig, load
from homogcl.data.names import node_ids, original_ids
from homogcl.data.summary import summarize

# Nodes, edges, features, classes, edge homophily, nodes without edges, whether features are sparse.
REAL = {
    "cora": (2_708, 5_278, 1_433, 7, 0.8100, 0, True),
    "citeseer": (3_327, 4_552, 3_703, 6, 0.7355, 48, True),
    "pubmed": (19_717, 44_324, 500, 3, 0.8024, 0, False),
    "photo": (7_650, 119_081, 745, 8, 0.8272, 115, False),
    "computers": (13_752, 245_861, 767, 10, 0.7772, 281, False),
}


@pytest.mark.parametrize("name", REAL)
def test_real_data_have_the_published_sizes(data_root: Path, name: str) -> None:
    graph = load(name, data_root)
    *sizes, share, isolated, sparse = REAL[name]
    summary = summarize(graph)
    assert [summary.nodes, summary.edges, summary.features, summary.classes] == sizes
    assert round(summary.homophily or 0.0, 4) == share
    assert summary.isolated == isolated
    entry = source(name)
    assert entry is not None
    assert entry.counts.directed_edges == 2 * summary.edges
    assert (graph.x.layout == torch.sparse_csr) == sparse
    assert is_undirected(graph.edge_index)
    assert not contains_self_loops(graph.edge_index)
    key = graph.edge_index[0] * summary.nodes + graph.edge_index[1]
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


def test_config_refuses_unknown_settings() -> None:
    assert DataConfig() == DataConfig(features="row", split=None)
    with pytest.raises(ValidationError, match="fetures"):
        DataConfig.model_validate({"fetures": "row"})
    with pytest.raises(ValidationError, match="features"):
        DataConfig.model_validate({"features": "l2"})


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
    monkeypatch.setattr(homogcl.data.catalog, "third_party", lambda group: {entry.name: entry})


def test_data_set_of_another_package_is_completed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    x = torch.tensor([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
    edge_index = torch.tensor([[1, 0, 2, 2], [0, 1, 2, 1]])
    weight = torch.tensor([1.0, 3.0, 9.0, 5.0])
    roots = []

    def read(root: Path) -> Data:
        roots.append(root)
        return Data(x=x, edge_index=edge_index, edge_weight=weight)

    register(monkeypatch, "my-graph", read)
    assert data_names()[-1] == "my-graph"
    graph = load("my-graph", tmp_path)
    assert roots == [tmp_path]
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


def test_graph_carries_what_its_files_say(friends: Path) -> None:
    graph = load(friends, features="raw")
    assert graph.name == "friends"
    assert original_ids(graph)[:2] == ["n00", "n01"]
    assert graph.class_names == ["even", "odd"]
    assert graph.feature_names == ["size"]
    assert graph.x[:3, 0].tolist() == [0, 1, 2]
    assert not graph.structural
    assert graph.report.startswith("40 nodes, 40 edges")
    assert set(graph.files) == {"graph.toml", "edges.csv", "nodes.csv"}


def test_split_is_random_over_labeled_nodes(friends: Path) -> None:
    graph = load(friends)
    masks = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(masks.sum(dim=0), (graph.y >= 0).long())
    assert masks.sum(dim=1).tolist() == [3, 3, 24]
    assert graph.split_name == "random"
    assert not torch.equal(load(friends, seed=1).train_mask, graph.train_mask)


def test_split_of_the_file_leaves_out_unlabeled_nodes(friends: Path) -> None:
    parts = ("train", "val", "test", "test")
    rows = "".join(f"n{i:02},{'x' if i % 8 else ''},{parts[i % 4]}\n" for i in range(40))
    (friends / "nodes.csv").write_text("id,kind,part\n" + rows)
    graph = load(
        friends / "edges.csv", files={"nodes": "nodes.csv", "label": "kind", "split": "part"}
    )
    assert graph.split_name == "public"
    assert int(graph.train_mask.sum()) == 5
    assert not bool((graph.train_mask & (graph.y < 0)).any())


def test_graph_without_labels_has_empty_masks(friends: Path) -> None:
    graph = load(friends / "edges.csv")
    assert "y" not in graph
    assert graph.split_name == "none"
    assert not bool((graph.train_mask | graph.val_mask | graph.test_mask).any())
    assert graph.structural
    assert node_ids(graph)[0] == "n00"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("x/edges.csv", "edges"),
        ("x/edges.csv.gz", "edges"),
        ("x/friends/graph.toml", "friends"),
        ("my.graph.parquet", "my.graph"),
        ("x/.hidden.csv", "hidden"),
        ("./cora.csv", "cora-own"),
        ("Cora", "cora"),
    ],
)
def test_a_path_gives_a_graph_its_name(path: str, name: str) -> None:
    assert graph_name(path) == name


def test_a_data_set_s_name_prevails_over_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cora").mkdir()
    (tmp_path / "other").mkdir()
    assert own_path("cora") is None
    assert own_path("./cora") == Path("cora")
    assert own_path("other") == Path("other")
    assert own_path("coraa") is None


def test_mistakes_with_own_files_are_named(friends: Path) -> None:
    with pytest.raises(UserError, match="did you mean: cora"):
        load("coraa")
    with pytest.raises(UserError, match=r"nowhere\.csv: there is no such file"):
        load("nowhere.csv")
    with pytest.raises(UserError, match="belongs to files of your own"):
        load("demo", files={"source": "a"})
    with pytest.raises(UserError, match="no public split"):
        load(friends, split="public")
    (friends / "edges.csv").write_text("n00,n01\nn01,n02\n")
    with pytest.raises(UserError, match="line 1: 'n01' is also a node"):
        load(friends / "edges.csv")

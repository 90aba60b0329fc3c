"""A path where a data set's name could stand: names, hashes, masks on labeled nodes only."""

from pathlib import Path

import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.data.load import graph_name, load, node_ids, original_ids, own_path
from homogcl.data.summary import summarize

NODES = 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ring of nodes, every fourth of them without a label."""
    graph = tmp_path / "friends"
    graph.mkdir()
    ring = "".join(f"n{i:02},n{(i + 1) % NODES:02}\n" for i in range(NODES))
    (graph / "edges.csv").write_text("a,b\n" + ring)
    rows = "".join(
        f"n{i:02},{'' if i % 4 == 0 else 'odd' if i % 2 else 'even'},{i}\n" for i in range(NODES)
    )
    (graph / "nodes.csv").write_text("id,kind,size\n" + rows)
    (graph / "graph.toml").write_text(
        'edges = "edges.csv"\nnodes = "nodes.csv"\nlabel = "kind"\nfeatures = ["size"]\n'
    )
    return graph


def test_graph_carries_what_its_files_say(folder: Path) -> None:
    graph = load(folder, features="raw")
    assert graph.name == "friends"
    assert original_ids(graph)[:2] == ["n00", "n01"]
    assert graph.class_names == ["even", "odd"]
    assert graph.feature_names == ["size"]
    assert graph.x[:3, 0].tolist() == [0, 1, 2]
    assert not graph.structural
    assert graph.report.startswith("40 nodes, 40 edges")
    assert set(graph.files) == {"graph.toml", "edges.csv", "nodes.csv"}


def test_split_is_random_over_labeled_nodes(folder: Path) -> None:
    graph = load(folder)
    masks = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(masks.sum(dim=0), (graph.y >= 0).long())
    assert masks.sum(dim=1).tolist() == [3, 3, 24]
    assert graph.split_name == "random"
    assert not torch.equal(load(folder, seed=1).train_mask, graph.train_mask)


def test_split_of_the_file_leaves_out_unlabeled_nodes(folder: Path) -> None:
    parts = ("train", "val", "test", "test")
    rows = "".join(f"n{i:02},{'x' if i % 8 else ''},{parts[i % 4]}\n" for i in range(NODES))
    (folder / "nodes.csv").write_text("id,kind,part\n" + rows)
    graph = load(
        folder / "edges.csv", files={"nodes": "nodes.csv", "label": "kind", "split": "part"}
    )
    assert graph.split_name == "public"
    assert int(graph.train_mask.sum()) == 5
    assert not bool((graph.train_mask & (graph.y < 0)).any())


def test_graph_without_labels_has_empty_masks(folder: Path) -> None:
    graph = load(folder / "edges.csv")
    assert "y" not in graph
    assert graph.split_name == "none"
    assert not bool((graph.train_mask | graph.val_mask | graph.test_mask).any())
    assert graph.structural
    assert node_ids(graph)[0] == "n00"


def test_homophily_counts_edges_with_two_labels(folder: Path) -> None:
    graph = load(folder)
    assert summarize(graph).homophily == 0.0
    y = graph.y[graph.edge_index]
    known = (y >= 0).all(dim=0)
    assert float((y[0] == y[1])[known].double().mean()) == 0.0
    assert float((y[0] == y[1]).double().mean()) == 0.0
    graph.y[:] = -1
    assert summarize(graph).homophily is None
    graph.y[:2] = 1
    assert summarize(graph).homophily == 1.0


def test_hash_follows_content_and_columns_but_not_the_place(folder: Path, tmp_path: Path) -> None:
    first = load(folder).sha256
    moved = folder.rename(tmp_path / "moved")
    assert load(moved).sha256 == first
    assert load(moved, files={"source": "b", "target": "a"}).sha256 != first
    (moved / "edges.csv").write_text("a,b\nn00,n01\n")
    assert load(moved).sha256 != first


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
def test_names(path: str, name: str) -> None:
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


def test_mistakes_are_named(folder: Path) -> None:
    with pytest.raises(UserError, match="did you mean: cora"):
        load("coraa")
    with pytest.raises(UserError, match=r"nowhere\.csv: there is no such file"):
        load("nowhere.csv")
    with pytest.raises(UserError, match="belongs to files of your own"):
        load("demo", files={"source": "a"})
    with pytest.raises(UserError, match="no public split"):
        load(folder, split="public")
    (folder / "edges.csv").write_text("n00,n01\nn01,n02\n")
    with pytest.raises(UserError, match="line 1: 'n01' is also a node"):
        load(folder / "edges.csv")

"""The command line with a user's own files: labels, some labels, no labels, and all mistakes."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.load import citation_graph
from homogcl.runs.folder import RunFolder
from tests.shell import Shell

FAST = ("--set", "epochs=2", "--set", "hidden_dim=8", "--set", "out_dim=4")
NODES = 90


@pytest.fixture
def homogcl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shell:
    monkeypatch.chdir(tmp_path)
    write_graph(tmp_path / "papers", NODES)
    return Shell(monkeypatch, capsys)


def write_graph(folder: Path, nodes: int, columns: tuple[int, ...] = (0, 1, 2)) -> None:
    """Edges and nodes of a generated graph; every third node has no label."""
    graph = citation_graph(num_nodes=nodes, num_words=30, num_classes=3, seed=0)
    folder.mkdir()
    pairs = [(s, t) for s, t in graph.edge_index.t().tolist() if s < t]
    (folder / "edges.csv").write_text(
        "paper,cites,times\n" + "".join(f"p{s},p{t},1\n" for s, t in pairs)
    )
    x = 1 + graph.x.to_dense().numpy()
    lines = [",".join(["key", "field", *(f"w{c}" for c in columns)])]
    for i in range(nodes):
        label = "" if i % 3 == 0 else f"c{int(graph.y[i])}"
        lines.append(",".join([f"p{i}", label, *(f"{x[i, c]:.4f}" for c in columns)]))
    (folder / "nodes.csv").write_text("\n".join(lines) + "\n")
    (folder / "graph.toml").write_text(
        'edges = "edges.csv"\nnodes = "nodes.csv"\nlabel = "field"\n'
        f"features = {json.dumps([f'w{c}' for c in columns])}\n"
    )


def test_a_folder_from_training_to_every_answer(homogcl: Shell, tmp_path: Path) -> None:
    told = homogcl("train", "grace+homogcl", "papers", *FAST)
    assert "papers: 90 nodes, " in told
    assert "edge homophily" in told
    run = Path("runs/papers-grace+homogcl-s0")
    config = json.loads((run / "config.json").read_text())
    assert config["data"] == str(tmp_path / "papers")
    assert set(config["files_sha256"]) == {"graph.toml", "edges.csv", "nodes.csv"}

    keys = {
        "probe": {"test_accuracy", "val_accuracy"},
        "cluster": {"nmi", "ari"},
        "knn": {"knn_test_accuracy", "knn_val_accuracy", "knn_k"},
        "links": {"link_auc", "link_ap"},
        "saliency": {"edge_homophily", "saliency_auc"},
    }
    for task, expected in keys.items():
        scored = json.loads(homogcl("evaluate", run, "--task", task, "--json"))
        assert scored.pop("task") == task
        assert expected <= set(scored)
        assert all(0 <= scored[key] <= 1 for key in expected - {"knn_k", "ari"})

    ids = [f"p{i}" for i in range(NODES)]
    for form in ("npy", "csv", "parquet"):
        homogcl("embed", run, "-o", f"z.{form}")
    assert Path("z.ids.txt").read_text().split() == ids
    z = np.load("z.npy", allow_pickle=False)
    table = pyarrow.parquet.read_table("z.parquet")
    assert table.column("id").to_pylist() == ids
    np.testing.assert_array_equal(table.column("z1").to_numpy(), z[:, 1])
    assert Path("z.csv").read_text().splitlines()[1].startswith('"p0",')

    near = json.loads(homogcl("neighbors", run, "p7", "p3", "-k", 4, "--json"))
    assert [row["id"] for row in near] == ["p7"] * 4 + ["p3"] * 4
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosines = unit @ unit[7]
    cosines[7] = -2
    assert near[0]["neighbor"] == f"p{cosines.argmax()}"
    assert "p7" in homogcl("neighbors", run, "p7")
    homogcl("neighbors", run, "-k", 2, "-o", "near.parquet")
    assert pyarrow.parquet.read_table("near.parquet").num_rows == 2 * NODES

    summary = json.loads(homogcl("saliency", run, "-o", "edges.parquet", "--json"))
    edges = pyarrow.parquet.read_table("edges.parquet")
    assert edges.column_names == ["source", "target", "saliency", "same_label"]
    assert edges.num_rows == summary["edges"]
    assert summary["mean"] == pytest.approx(np.mean(edges.column("saliency").to_numpy()), abs=1e-6)
    assert edges.column("same_label").null_count == summary["edges"] - summary["labeled_edges"] > 0
    assert "saliency" in homogcl("saliency", run, "--set", "num_clusters=2")
    assert "did you mean: num_clusters" in homogcl.refuses(
        "saliency", run, "--set", "num_cluster=2"
    )


def test_bare_edges_need_no_labels(homogcl: Shell) -> None:
    edges = "papers/edges.csv"
    columns = ("--source", "cites", "--target", "paper", "--weight", "times")
    told = homogcl("train", "grace", edges, *columns, "--out", "run", *FAST)
    assert "features made of the edges" in told
    homogcl("embed", "run", "-o", "z.npy")
    for task in ("probe", "cluster", "knn"):
        assert "edges has no labels" in homogcl.refuses("evaluate", "run", "--task", task)
    assert "link_auc" in json.loads(homogcl("evaluate", "run", "--task", "links", "--json"))
    assert json.loads(homogcl("saliency", "run", "--json"))["auc"] is None
    assert "no labels" in homogcl.refuses("run", "grace", "--data", edges, "--seeds", 1, *FAST)
    homogcl("train", "grace", edges, *columns, "--out", "run", "--resume", *FAST)
    line = homogcl.refuses("train", "grace", edges, "--out", "run", "--resume", *FAST)
    assert "is of another run" in line


def test_columns_of_nodes_on_the_command_line(homogcl: Shell) -> None:
    more = ("--nodes", "papers/nodes.csv", "--label", "field", "--features", "w0,w2")
    homogcl("train", "grace", "papers/edges.csv", *more, "--out", "run", *FAST)
    assert "test_accuracy" in json.loads(homogcl("evaluate", "run", "--json"))
    assert RunFolder(Path("run")).model().graph.feature_names == ("w0", "w2")
    line = homogcl.refuses("train", "grace", "papers/edges.csv", *more, "--id", "kay", *FAST)
    assert "no column 'kay' for id (did you mean: key?)" in line


def test_grid_over_a_path(homogcl: Shell, tmp_path: Path) -> None:
    grid = ("run", "grace", "--data", "papers", "--seeds", 1, *FAST)
    homogcl(*grid)
    [path] = tmp_path.glob("results/papers/grace/*.json")
    record = json.loads(path.read_text())
    assert record["data"] == "papers"
    assert {"test_accuracy", "nmi"} <= set(record["metrics"])
    assert not {"knn_test_accuracy", "link_auc"} & set(record["metrics"])
    homogcl(*grid)
    assert "done before" in homogcl.err
    homogcl(*grid, "--task", "knn", "--task", "links")
    assert {"knn_test_accuracy", "link_auc"} <= set(json.loads(path.read_text())["metrics"])
    (tmp_path / "papers/edges.csv").write_text("paper,cites\np1,p2\np2,p3\n")
    homogcl(*grid, code=2)
    assert "is the record of another graph that is called papers" in homogcl.err


def test_new_graphs_are_embedded_or_refused_with_a_reason(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "papers", "--out", "run", *FAST)
    write_graph(tmp_path / "more", 120)
    homogcl("embed", "run", "--data", "more", "-o", "z.npy")
    assert len(np.load("z.npy", allow_pickle=False)) == 120
    write_graph(tmp_path / "turned", 120, columns=(2, 0, 1))
    homogcl("embed", "run", "--data", "turned", "-o", "y.npy")
    turned, straight = (np.load(f"{name}.npy", allow_pickle=False) for name in "yz")
    np.testing.assert_allclose(turned, straight, atol=1e-6)
    write_graph(tmp_path / "strange", 120, columns=(0, 1, 5))
    assert "lacks 'w2'" in homogcl.refuses("embed", "run", "--data", "strange", "-o", "x.npy")
    line = homogcl.refuses("embed", "run", "--data", "more/edges.csv", "-o", "x.npy")
    assert "features made of the edges" in line
    assert not Path("x.npy").exists()


def test_transductive_method_embeds_its_own_graph_only(homogcl: Shell, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    few = ("--set", "walks_per_node=1", "--set", "walk_length=4", "--set", "out_dim=4")
    homogcl("train", "deepwalk", "papers", "--out", "run", *few)
    write_graph(tmp_path / "more", 120)
    line = homogcl.refuses("embed", "run", "--data", "more", "-o", "z.npy")
    assert "DeepWalk knows only the graph it was trained on" in line
    (tmp_path / "papers").rename(tmp_path / "moved")
    homogcl("embed", "run", "--data", "moved", "-o", "z.npy")
    assert np.array_equal(np.load("z.npy"), np.load("run/embeddings.npy"))


def test_data_that_is_gone_or_changed_is_named(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "papers", "--out", "run", *FAST)
    papers = (tmp_path / "papers").rename(tmp_path / "elsewhere")
    assert "papers is gone; say with --data" in homogcl.refuses("evaluate", "run")
    assert "p3" in homogcl("neighbors", "run", "p3")
    homogcl("evaluate", "run", "--data", "elsewhere", "--task", "cluster")
    homogcl("train", "grace", "elsewhere", "--out", "run", "--resume", *FAST)
    papers.rename(tmp_path / "papers")
    nodes = tmp_path / "papers/nodes.csv"
    nodes.write_text(nodes.read_text().replace(",c1,", ",c2,"))
    for command in (("evaluate", "run"), ("embed", "run", "-o", "z.npy"), ("saliency", "run")):
        assert "nodes.csv is not what the run run was trained on" in homogcl.refuses(*command)
    line = homogcl.refuses("train", "grace", "papers", "--out", "run", "--resume", *FAST)
    assert "nodes.csv is not what the run run was trained on" in line
    homogcl("evaluate", "run", "--data", "papers", "--task", "cluster")


def test_a_saved_graph_is_data_too(homogcl: Shell, tmp_path: Path) -> None:
    graph = citation_graph(num_nodes=60, num_words=20, seed=1)
    made = Data(x=graph.x.to_dense(), edge_index=graph.edge_index, y=graph.y)
    torch.save(made, tmp_path / "mine.pt")
    homogcl("train", "grace", "mine.pt", "--out", "run", *FAST)
    assert "test_accuracy" in json.loads(homogcl("evaluate", "run", "--json"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "grace", "none.csv"), "none.csv: there is no such file"),
        (("train", "grace", "papers", "--source", "papr"), "did you mean: paper?"),
        (("train", "grace", "demo", "--label", "x"), "belongs to files of your own"),
        (("train", "grace", "papers", "--preset", "official"), "official"),
        (("neighbors", "nowhere", "a"), "nowhere"),
        (("saliency", "nowhere"), "nowhere"),
        (("saliency", "nowhere", "-o", "t.txt"), "t.txt: unknown ending"),
    ],
)
def test_mistakes_are_one_line(homogcl: Shell, arguments: tuple[str, ...], said: str) -> None:
    assert said in homogcl.refuses(*arguments)
    assert [path.name for path in Path().iterdir()] == ["papers"]


def test_unknown_nodes_are_named(homogcl: Shell) -> None:
    homogcl("train", "raw", "papers", "--out", "run")
    assert "no node 'q' in the run's graph of 90 nodes" in homogcl.refuses("neighbors", "run", "q")
    assert "did you mean: p8" in homogcl.refuses("neighbors", "run", "p8x")
    assert "name at least one node" in homogcl.refuses("neighbors", "run")


def test_a_graph_on_disk_trains_as_in_memory(homogcl: Shell) -> None:
    assert "wrote 90 nodes" in homogcl("to-disk", "papers", "on-disk")
    batch = ("--batch", "parts:30", *FAST)
    homogcl("train", "grace+homogcl", "papers", *batch, "--out", "a")
    assert "on-disk: 90 nodes" in homogcl("train", "grace+homogcl", "on-disk", *batch, "--out", "b")
    first, second = (np.load(Path(run) / "embeddings.npy") for run in "ab")
    np.testing.assert_array_equal(first, second)
    homogcl("embed", "b", "-o", "z.npy")
    assert Path("z.ids.txt").read_text().split()[:2] == ["p0", "p1"]
    assert "holds a graph already" in homogcl.refuses("to-disk", "papers", "on-disk")
    said = homogcl.refuses("train", "grace", "on-disk", "--source", "paper")
    assert "on-disk is a mapped graph; source belongs to files" in said

"""From a run folder to its page: what is gathered is what the graph and the run hold."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl import cli
from homogcl.core.errors import UserError
from homogcl.data import load as loading
from homogcl.data.load import citation_graph
from homogcl.pages.explore import (
    cluster,
    explore,
    node_labels,
    ranked_edges,
    saliency_histogram,
    write_explorer,
)
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.train import train_run

EDGES = np.array([[0, 0, 0, 1, 1, 2, 2, 3], [1, 2, 3, 0, 2, 0, 1, 0]])
S = np.array([0.2, 0.9, 0.5, 0.2, 0.7, 0.9, 0.7, 0.5])


def small(nodes: int = 80) -> Data:
    return citation_graph(num_nodes=nodes, num_classes=3, num_words=40, seed=1)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Data], None]:
    """Make a graph the one that is called demo."""

    def put(graph: Data) -> None:
        monkeypatch.setattr(loading, "citation_graph", lambda **_: graph)

    return put


@pytest.fixture
def trained(tmp_path: Path, serve: Callable[[Data], None]) -> Callable[[str], RunFolder]:
    """Train a method for a few epochs on a small graph called demo."""

    def make(method: str) -> RunFolder:
        serve(small())
        request = Request(method, "demo", 0, {"epochs": 3, "hidden_dim": 16, "out_dim": 8})
        folder = RunFolder(tmp_path / method)
        train_run(request.resolve(), folder)
        return folder

    return make


def test_page_shows_the_run(trained: Callable[[str], RunFolder]) -> None:
    folder = trained("grace+homogcl")
    shown, graph = explore(folder, "pca"), folder.request().resolve().graph
    assert shown.title == "grace+homogcl on demo, seed 0"
    assert shown.nodes.labels is not None
    assert np.array_equal(shown.nodes.labels, graph.y)
    assert list(shown.nodes.class_names) == ["0", "1", "2"]
    assert shown.nodes.clusters.max() == 2
    assert shown.nodes.degrees.sum() == graph.edge_index.size(1) == len(shown.edges.targets)
    assert shown.histogram.total.sum() * 2 == graph.edge_index.size(1)
    assert len(shown.curves["homophily"]) == 3
    assert shown.settings["method.hidden_dim"] == "16"
    assert shown.facts["Nodes"] == "80"
    assert "The 3 clusters are those of k-means" in shown.notes[1]


def test_saliency_is_that_of_the_trained_plug_in(trained: Callable[[str], RunFolder]) -> None:
    folder = trained("grace+homogcl")
    shown, graph, method = (
        explore(folder, "pca"),
        folder.request().resolve().graph,
        folder.model().method,
    )
    scores = method.edge_scores(graph)
    assert scores is not None
    s = scores.detach().numpy()
    source, target = graph.edge_index.numpy()
    for node in range(80):
        mine = slice(*shown.edges.offsets[node : node + 2])
        wanted = dict(zip(target[source == node].tolist(), s[source == node], strict=True))
        shown_of = dict(
            zip(shown.edges.targets[mine].tolist(), shown.edges.saliency[mine], strict=True)
        )
        assert shown_of.keys() == wanted.keys()
        assert [shown_of[other] for other in wanted] == pytest.approx([*wanted.values()], abs=1e-5)
    assert f"trained {method.name}: " in shown.notes[2]


def test_method_without_clusters_gets_saliency_from_its_embeddings(
    trained: Callable[[str], RunFolder],
) -> None:
    shown = explore(trained("grace"), "pca")
    assert "scores no edges" in shown.notes[2]
    assert ((shown.edges.saliency >= 0) & (shown.edges.saliency <= 1)).all()


def test_graph_without_labels_has_clusters_of_the_plug_in(
    trained: Callable[[str], RunFolder], serve: Callable[[Data], None]
) -> None:
    folder, bare = trained("grace+homogcl"), small()
    del bare.y
    serve(bare)
    shown = explore(folder, "pca")
    assert shown.nodes.labels is None
    assert shown.nodes.clusters.max() == 9
    assert shown.histogram.labeled.sum() == 0
    assert shown.histogram.unknown.sum() > 0
    assert "Classes" not in shown.facts


def test_another_graph_than_the_trained_one_is_refused(
    trained: Callable[[str], RunFolder], serve: Callable[[Data], None]
) -> None:
    folder = trained("grace")
    serve(small(90))
    with pytest.raises(UserError, match="demo has 90 nodes, the run has 80"):
        explore(folder, "pca")


def test_command_writes_the_page_beside_the_run(
    trained: Callable[[str], RunFolder],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = trained("grace+homogcl")
    command = ["homogcl", "explore", str(folder.path), "--map", "pca", "--json"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 0
    told = json.loads(capsys.readouterr().out)
    page = folder.path / "explore.html"
    assert told["page"] == str(page)
    assert told["nodes"] == 80
    assert told["bytes"] == page.stat().st_size
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_page_is_written_where_it_is_wanted(
    trained: Callable[[str], RunFolder], tmp_path: Path
) -> None:
    write_explorer(trained("grace"), tmp_path / "new" / "page.html", "pca")
    assert "grace on demo" in (tmp_path / "new" / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (None, "embeddings.npy is missing"),
        (b"no array", "does not hold embeddings"),
        (np.array([[np.nan, 1.0]]), "finite vector"),
        (np.array([1.0, 2.0]), "finite vector"),
        (np.array([["a"]]), "finite vector"),
    ],
)
def test_run_without_proper_embeddings_is_refused(
    tmp_path: Path, content: bytes | np.ndarray | None, names: str
) -> None:
    if isinstance(content, bytes):
        (tmp_path / "embeddings.npy").write_bytes(content)
    elif content is not None:
        np.save(tmp_path / "embeddings.npy", content)
    with pytest.raises(UserError, match=names):
        RunFolder(tmp_path).embeddings()


def test_curves_are_those_of_the_log(tmp_path: Path) -> None:
    lines = ['{"epoch": 1, "loss": 3.0, "seconds": 1}', '{"epoch": 2, "loss": 2.0, "late": 5.0}']
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines))
    curves = RunFolder(tmp_path).curves()
    assert curves["loss"] == [3.0, 2.0]
    assert curves["late"] == pytest.approx([np.nan, 5.0], nan_ok=True)
    assert list(curves) == ["loss", "late"]
    (tmp_path / "metrics.jsonl").write_text("{}\n{")
    with pytest.raises(UserError, match="line 2"):
        RunFolder(tmp_path).curves()
    (tmp_path / "metrics.jsonl").unlink()
    assert RunFolder(tmp_path).curves() == {}


def test_edges_are_ranked_within_each_node() -> None:
    edges = ranked_edges(EDGES, S, nodes=5)
    assert edges.offsets.tolist() == [0, 3, 5, 7, 8, 8]
    assert edges.targets.tolist() == [2, 3, 1, 2, 0, 0, 1, 0]
    assert edges.saliency.tolist() == [0.9, 0.5, 0.2, 0.7, 0.2, 0.9, 0.7, 0.5]


def test_of_many_neighbors_the_extremes_are_kept() -> None:
    edges = ranked_edges(EDGES, S, nodes=5, most=2)
    assert edges.offsets.tolist() == [0, 2, 4, 6, 7, 7]
    assert edges.targets.tolist() == [2, 1, 2, 0, 0, 1, 0]
    star = np.array([[0] * 9, range(1, 10)])
    edges = ranked_edges(star, np.linspace(0.1, 0.9, 9), nodes=10, most=5)
    assert edges.targets.tolist() == [9, 8, 7, 2, 1]


def test_histogram_counts_each_edge_once_by_its_labels() -> None:
    bins = saliency_histogram(EDGES, S, np.array([0, 0, 1, -1]), bins=2)
    assert bins.same.tolist() == [1, 0]  # 0-1 at 0.2
    assert bins.different.tolist() == [0, 2]  # 0-2 at 0.9, 1-2 at 0.7
    assert bins.unknown.tolist() == [0, 1]  # 0-3 at 0.5
    assert saliency_histogram(EDGES, S, None, bins=2).unknown.tolist() == [1, 3]


def test_histogram_without_edges_is_empty() -> None:
    none = np.zeros((2, 0), dtype=np.int64)
    assert saliency_histogram(none, np.zeros(0), None).total.sum() == 0


def test_labels_that_say_nothing_are_none() -> None:
    assert node_labels(Data()) is None
    assert node_labels(Data(y=torch.tensor([-1, -1]))) is None
    labels = node_labels(Data(y=torch.tensor([-1, 2, -5])))
    assert labels is not None
    assert labels.tolist() == [-1, 2, -1]


def test_clusters_are_numbered_by_size() -> None:
    z = np.repeat(np.eye(3), [2, 9, 5], axis=0)
    assert np.bincount(cluster(z, 3, seed=0)).tolist() == [9, 5, 2]
    assert cluster(z, 50, seed=0).max() == 2  # no more clusters than different rows

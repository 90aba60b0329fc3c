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
from homogcl.data.mapped import write_mapped
from homogcl.data.summary import summarize
from homogcl.homophily.edges import saliencies
from homogcl.methods.base import Method
from homogcl.pages.explore import cluster, explore, graph_facts, node_labels, sample
from homogcl.pages.explore_page import write_page
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.train import train_run


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


@pytest.mark.parametrize("name", ["grace", "grace+homogcl"])
def test_edges_have_the_scores_that_are_fitted_without_labels(
    trained: Callable[[str], RunFolder], name: str
) -> None:
    folder = trained(name)
    shown, graph = explore(folder, "pca"), folder.request().resolve().graph
    s = saliencies(folder.model().method, graph, seed=folder.request().seed).numpy()
    source, target = graph.edge_index.numpy()
    for node in range(80):
        mine = slice(*shown.edges.offsets[node : node + 2])
        wanted = dict(zip(target[source == node].tolist(), s[source == node], strict=True))
        shown_of = dict(
            zip(shown.edges.targets[mine].tolist(), shown.edges.saliency[mine], strict=True)
        )
        assert shown_of.keys() == wanted.keys()
        assert [shown_of[other] for other in wanted] == pytest.approx([*wanted.values()], abs=1e-5)
    assert "fitted without labels" in shown.notes[2]


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
    write_page(tmp_path / "new" / "page.html", explore(trained("grace"), "pca"))
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


def test_of_a_graph_on_disk_nothing_but_a_part_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_mapped(small(), tmp_path / "graph")
    request = Request("grace", str(place), 0, {"epochs": 1, "hidden_dim": 16, "out_dim": 8})
    folder = RunFolder(tmp_path / "run")
    train_run(request.resolve(), folder)
    sizes: list[int] = []

    def watched(method: Method, graph: Data, seed: int) -> torch.Tensor:
        sizes.append(int(graph.num_nodes or 0))
        return saliencies(method, graph, seed=seed)

    monkeypatch.setattr("homogcl.pages.explore.saliencies", watched)
    shown = explore(folder, "pca", most_nodes=40)
    assert sizes == [len(shown.nodes.ids)]
    assert len(shown.nodes.ids) <= 40
    assert shown.notes[0].startswith("The graph has 80 nodes and ")
    assert shown.facts["Nodes"] == f"{len(shown.nodes.ids)}"
    whole = explore(folder, "pca", most_nodes=80)
    assert len(whole.nodes.ids) == 80


def test_of_a_large_graph_a_sample_is_shown_that_holds_the_lowest_edges(
    trained: Callable[[str], RunFolder],
) -> None:
    folder = trained("grace")
    whole, part = explore(folder, "pca"), explore(folder, "pca", most_nodes=70)
    assert len(part.nodes.ids) == 70
    assert "80 nodes; this page shows 70 of them" in part.notes[0]
    ids = list(part.nodes.ids)
    ends = [(ids[a], ids[b]) for a, b in zip(part.lowest.source, part.lowest.target, strict=True)]
    everywhere = zip(whole.lowest.source, whole.lowest.target, strict=True)
    assert ends == [(str(a), str(b)) for a, b in everywhere if {str(a), str(b)} <= {*ids}]
    assert len(ends) > 10
    assert part.facts == whole.facts
    assert part.histogram.total.sum() == whole.histogram.total.sum()
    for node in range(70):
        number = int(ids[node])
        mine, all_of_it = (
            {
                shown.nodes.ids[other]: s
                for other, s in zip(
                    shown.edges.targets[slice(*shown.edges.offsets[i : i + 2])],
                    shown.edges.saliency[slice(*shown.edges.offsets[i : i + 2])],
                    strict=True,
                )
            }
            for shown, i in ((part, node), (whole, number))
        )
        assert mine == {other: s for other, s in all_of_it.items() if other in ids}
        assert part.nodes.degrees[node] == whole.nodes.degrees[number]


def test_sample_is_of_the_size_that_is_asked_for_and_holds_what_is_wanted() -> None:
    assert sample(5, 5, [], seed=0).tolist() == [0, 1, 2, 3, 4]
    drawn = sample(1000, 20, [np.array([3, 999]), np.array([3, 500])], seed=0)
    assert len(np.unique(drawn)) == 20
    assert {3, 500, 999} <= {*drawn.tolist()}
    assert np.array_equal(drawn, np.sort(drawn))
    assert np.array_equal(drawn, sample(1000, 20, [np.array([3, 999]), np.array([500])], seed=0))
    assert sample(1000, 2, [np.array([3, 999]), np.array([500])], seed=0).tolist() == [3, 500]


def test_stages_are_told_as_they_begin(trained: Callable[[str], RunFolder]) -> None:
    stages: list[str] = []
    explore(trained("grace"), "pca", follow=stages.append)
    assert stages[0].startswith("scoring ")
    assert "laying out 80 nodes, mapped by pca" in stages
    assert stages[-1] == "writing the page"


def test_page_has_scores_and_advice(trained: Callable[[str], RunFolder]) -> None:
    shown = explore(trained("grace"), "pca")
    assert shown.scores["Accuracy of a linear probe on test nodes"].endswith(" %")
    assert float(shown.scores["Modularity of the clusters"]) > -0.5
    assert shown.advice


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


def test_facts_count_each_edge_once_and_only_labeled_ends_by_class() -> None:
    pairs = torch.tensor([[0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]])
    y = torch.tensor([0, 0, 0, 1, 1, -1, -1])
    both = torch.cat([pairs, pairs.flip(0)], dim=1)
    graph = Data(x=torch.ones(7, 3), edge_index=both, y=y)
    facts = graph_facts(summarize(graph), y.numpy())
    assert facts == {
        "Nodes": "7",
        "Edges": "7",
        "Mean degree": "2.0",
        "Without edges": "1",
        "Features": "3",
        "Classes": "2",
        "Labeled nodes": "5",
        "Edges within a class": "80.0 %",
    }
    graph.y = torch.tensor([0, -1, -1, -1, -1, -1, -1])
    assert graph_facts(summarize(graph), graph.y.numpy())["Edges within a class"] == "–"
    assert "Classes" not in graph_facts(summarize(graph), None)

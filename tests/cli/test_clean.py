"""The edges that look wrong, and the graph without them, as a user meets them."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from sklearn.metrics import roc_auc_score

from homogcl.data.load import citation_graph
from homogcl.methods.registry import Sizes, build
from homogcl.runs.request import Request
from homogcl.training.loop import TrainConfig, fit
from tests.shell import Shell


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pairs(path: Path | str) -> set[frozenset[str]]:
    """The edges of a file by its first two columns."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        next(lines)
        return {frozenset(line[:2]) for line in lines}


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    """A file of edges with weights, and one of nodes beside it."""
    graph = citation_graph(num_nodes=60, num_words=20, num_classes=3, seed=1)
    x = graph.x.to_dense()
    edges = [(s, t) for s, t in graph.edge_index.t().tolist() if s < t]
    lines = [f"{10 + s},{10 + t},{(s + t) % 5 + 0.5}" for s, t in edges]
    (tmp_path / "links.csv").write_text("\n".join(["a,b,strength", *lines]) + "\n")
    nodes = [",".join([str(10 + i), *(f"{v:g}" for v in x[i])]) for i in range(60)]
    header = ",".join(["id", *(f"w{c}" for c in range(x.size(1)))])
    (tmp_path / "nodes.csv").write_text("\n".join([header, *nodes]) + "\n")
    return tmp_path / "links.csv"


def test_every_edge_stands_once_and_the_lowest_first(homogcl: Shell, papers: Path) -> None:
    summary = json.loads(homogcl("clean", papers, "-o", "edges.parquet", "--json"))
    edges = pyarrow.parquet.read_table("edges.parquet")
    assert edges.column_names == ["source", "target", "saliency", "same_label"]
    source, target = (edges.column(name).to_pylist() for name in ("source", "target"))
    ends = {frozenset(each) for each in zip(source, target, strict=True)}
    assert ends == pairs(papers / "edges.csv")
    assert len(ends) == edges.num_rows == summary["edges"]
    assert (np.diff(edges.column("saliency").to_numpy()) >= 0).all()
    assert summary["files"] == ["edges.parquet"]
    assert summary["dropped"] == 0


def test_scores_are_those_of_the_method_and_the_summary_counts_labels(
    homogcl: Shell, papers: Path
) -> None:
    homogcl("clean", papers, "-o", "edges.csv", "--seed", 3)
    summary = json.loads(homogcl("clean", papers, "--seed", 3, "--json"))
    graph = Request("homogcl", str(papers), 3).resolve().graph
    method = build("homogcl", {}, Sizes.of(graph), 3)
    fit(method, graph, TrainConfig(epochs=0), seed=3)
    scores = method.edge_scores(graph, seed=3)
    assert scores is not None
    ends = [tuple(f"p{i}" for i in edge) for edge in graph.edge_index.t().tolist()]
    expected = dict(zip(ends, scores.tolist(), strict=True))
    listed = rows("edges.csv")
    values = [float(row["saliency"]) for row in listed]
    own = [expected[row["source"], row["target"]] for row in listed]
    np.testing.assert_allclose(values, own, atol=1e-5)
    labeled = [row for row in listed if row["same_label"]]
    same = [row["same_label"] == "true" for row in labeled]
    assert 0 < len(labeled) < len(listed)
    auc = roc_auc_score(same, [float(row["saliency"]) for row in labeled])
    assert summary["auc"] == pytest.approx(auc, abs=1e-6)
    assert summary["across_labels"] == pytest.approx(1 - np.mean(same))
    first = [row["same_label"] for row in listed[:100] if row["same_label"]]
    lowest = summary["across_labels_of_lowest_100"]
    assert lowest == pytest.approx(first.count("false") / len(first))


def test_what_remains_is_trained_on_again(homogcl: Shell, papers: Path) -> None:
    shown = homogcl("clean", papers, "-o", "out/edges.csv", "--drop", 0.25)
    listed = rows("out/edges.csv")
    dropped = {frozenset((row["source"], row["target"])) for row in listed[: len(listed) // 4]}
    rest = pairs("out/edges.rest.csv")
    assert abs(len(listed) / 4 - (len(listed) - len(rest))) <= 0.5
    assert rest.isdisjoint(dropped)
    assert rest < pairs(papers / "edges.csv")
    assert Path("out/edges.rest.csv").read_text("utf-8").startswith('"source","target"\n')
    assert "wrote out/edges.rest.csv" in shown
    options = ("--nodes", papers / "nodes.csv", "--features", "w0,w1,w2", "--label", "field")
    homogcl("train", "homogcl", "out/edges.rest.csv", *options, "--out", "run")
    assert np.load("run/embeddings.npy").shape[0] == 90


def test_weights_and_numbers_stay_as_they_are(homogcl: Shell, weighted: Path) -> None:
    own = ("--nodes", "nodes.csv", "--weight", "strength")
    homogcl("clean", weighted.name, *own, "-o", "edges.csv", "--drop", 0.1)
    before = {frozenset((r["a"], r["b"])): float(r["strength"]) for r in rows("links.csv")}
    rest = rows("edges.rest.csv")
    after = {frozenset((r["source"], r["target"])): float(r["weight"]) for r in rest}
    assert after.items() < before.items()
    assert [(int(r["source"]), int(r["target"])) for r in rest] == sorted(
        (int(r["source"]), int(r["target"])) for r in rest
    )
    homogcl("clean", "edges.rest.csv", "--nodes", "nodes.csv", "--weight", "weight")


def test_the_terminal_shows_ten_edges_and_what_was_read(homogcl: Shell, papers: Path) -> None:
    shown = homogcl("clean", papers).splitlines()
    assert shown[0].startswith("read: 90 nodes")
    start = next(i for i, line in enumerate(shown) if line.startswith("source"))
    assert [line.startswith("p") for line in shown[start + 1 : start + 12]] == [True] * 10 + [False]
    assert any(line.startswith("across_labels_of_lowest_100") for line in shown)
    assert [path.name for path in Path().iterdir()] == ["papers"]


def test_any_method_and_data_set_will_do(homogcl: Shell) -> None:
    summary = json.loads(homogcl("clean", "demo", "--json"))
    other = json.loads(homogcl("clean", "demo", "--method", "raw", "--json"))
    assert summary["edges"] == other["edges"]
    assert summary["auc"] != other["auc"]
    assert summary["across_labels_of_lowest_100"] > 2 * summary["across_labels"]


def bytes_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    return ((str(p), p.read_bytes()) for p in sorted(folder.rglob("*")) if p.is_file())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.csv",), "none.csv: there is no such file"),
        (("papers", "-o", "edges.txt"), "edges.txt: unknown ending"),
        (("papers", "--drop", "0.1"), "--drop writes NAME.rest.csv beside the output"),
        (("papers", "--drop", "1", "-o", "e.csv"), "--drop 1 is no share"),
        (("papers", "--drop", "-0.1", "-o", "e.csv"), "--drop -0.1 is no share"),
        (("papers", "--drop", "nan", "-o", "e.csv"), "--drop nan is no share"),
        (("papers", "--drop", "0.9999", "-o", "e.csv"), "--drop 0.9999 leaves none of "),
        (("papers", "-o", "papers/edges.csv"), "would write over papers/edges.csv"),
        (
            ("papers/edges.csv", "--nodes", "papers/nodes.csv", "-o", "papers/nodes.csv"),
            "would write over papers/nodes.csv",
        ),
        (("papers", "--method", "homgcl"), "homogcl"),
        (("demo", "--label", "x"), "belongs to files of your own"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    homogcl: Shell, papers: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = list(bytes_below(papers.parent))
    assert said in homogcl.refuses("clean", *arguments)
    assert list(bytes_below(papers.parent)) == before


def test_a_second_round_does_not_write_over_its_input(homogcl: Shell, papers: Path) -> None:
    homogcl("clean", papers, "-o", "e.csv", "--drop", 0.1)
    line = homogcl.refuses("clean", "e.rest.csv", "-o", "e.csv", "--drop", 0.1)
    assert "would write over e.rest.csv" in line

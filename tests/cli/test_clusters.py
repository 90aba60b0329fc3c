"""`homogcl clusters`, as a user meets it."""

import csv
import json
from pathlib import Path

import pytest

from tests.papers import NODES, write_graph
from tests.shell import Shell


@pytest.fixture
def run(homogcl: Shell, papers: Path) -> Path:
    homogcl("train", "propagation", papers, "--out", "run")
    return papers.parent / "run"


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_node_has_a_cluster_beside_its_id(homogcl: Shell, run: Path) -> None:
    told = json.loads(homogcl("clusters", run, "-o", "clusters.csv", "--json"))
    nodes = rows("clusters.csv")
    assert [each["id"] for each in nodes] == [f"p{i}" for i in range(NODES)]
    counts = [sum(each["cluster"] == str(k) for each in nodes) for k in range(told["clusters"])]
    assert told["sizes"] == counts
    assert 2 <= told["clusters"] <= 30
    text = homogcl("clusters", run, "-k", "4", "-o", "four.csv")
    assert "wrote four.csv" in text
    assert {each["cluster"] for each in rows("four.csv")} == {"0", "1", "2", "3"}


def test_another_graph_is_embedded_by_the_run(homogcl: Shell, run: Path, tmp_path: Path) -> None:
    write_graph(tmp_path / "other", 40)
    homogcl("clusters", run, "--data", "other", "-k", "2", "-o", "other.csv")
    assert len(rows("other.csv")) == 40


def test_mistakes_are_one_line(homogcl: Shell, run: Path) -> None:
    assert "unknown ending" in homogcl.refuses("clusters", run, "-o", "clusters.txt")
    assert "91 clusters of 90 nodes" in homogcl.refuses("clusters", run, "-k", "91")
    assert "nowhere" in homogcl.refuses("clusters", "nowhere")

"""The nearest nodes and the most suspicious edges, as a user meets them."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from tests.papers import NODES, write_graph
from tests.shell import FAST, Shell


@pytest.fixture
def run(homogcl: Shell, papers: Path) -> str:
    """The folder of a training on the papers."""
    homogcl("train", "grace+homogcl", papers, "--out", "run", *FAST)
    return "run"


def test_neighbors_are_those_of_the_largest_cosines(homogcl: Shell, run: str) -> None:
    z = np.load("run/embeddings.npy", allow_pickle=False)
    near = json.loads(homogcl("neighbors", run, "p7", "p3", "-k", 4, "--json"))
    assert [row["id"] for row in near] == ["p7"] * 4 + ["p3"] * 4
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosines = unit @ unit[7]
    cosines[7] = -2
    assert near[0]["neighbor"] == f"p{cosines.argmax()}"
    assert "p7" in homogcl("neighbors", run, "p7")
    homogcl("neighbors", run, "-k", 2, "-o", "near.parquet")
    assert pyarrow.parquet.read_table("near.parquet").num_rows == 2 * NODES


def test_edges_are_listed_by_saliency_beside_the_labels(homogcl: Shell, run: str) -> None:
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


@pytest.mark.parametrize(
    "setting", ["homophily_weight=3", "neighbor_weight=3", "saliency=hard", "epochs=3"]
)
def test_settings_that_change_no_saliency_are_refused(
    homogcl: Shell, run: str, setting: str
) -> None:
    message = homogcl.refuses("saliency", run, "--set", setting)
    assert f"clusters have no setting '{setting.partition('=')[0]}'" in message
    assert "num_clusters, two_sigma_sq, width" in message


@pytest.mark.usefixtures("papers")
def test_unknown_nodes_are_named(homogcl: Shell) -> None:
    homogcl("train", "raw", "papers", "--out", "run")
    assert "the graph of 90 nodes has no node 'q'" in homogcl.refuses("neighbors", "run", "q")
    assert "did you mean: p8" in homogcl.refuses("neighbors", "run", "p8x")
    assert "name at least one node" in homogcl.refuses("neighbors", "run")


@pytest.mark.usefixtures("papers")
def test_neighbors_in_another_graph_are_those_of_its_own_vectors(
    homogcl: Shell, tmp_path: Path
) -> None:
    write_graph(tmp_path / "other", 40)
    homogcl("train", "raw", "papers", "--out", "run")
    homogcl("embed", "run", "--data", "other", "-o", "z.npy")
    z = np.load("z.npy")
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    cosines = unit[7] @ unit.T
    cosines[7] = -1
    arguments = ("neighbors", "run", "p7", "-k", "1", "--data", "other", "--json")
    (nearest,) = json.loads(homogcl(*arguments))
    assert nearest["cosine"] == pytest.approx(cosines.max(), abs=1e-6)
    assert "the graph of 40 nodes has no node" in homogcl.refuses(
        "neighbors", "run", "zz", "--data", "other"
    )

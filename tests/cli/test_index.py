"""`homogcl index`, and `neighbors` with what it makes."""

import json
from pathlib import Path

import numpy as np
import pytest

from homogcl.runs.folder import RunFolder
from homogcl.runs.index import index_of
from tests.shell import FAST, Shell


@pytest.mark.usefixtures("papers")
def test_neighbors_by_an_index_are_those_of_exact_search(homogcl: Shell) -> None:
    homogcl("train", "grace", "papers", "--out", "run", *FAST)
    before = homogcl("neighbors", "run", "p3", "--json")
    report = json.loads(homogcl("index", "run", "-k", 5, "--json"))
    assert report["nodes"] == report["asked"] == 90
    assert report["recall"] == 1.0
    assert report["bytes"] == Path("run/index.faiss").stat().st_size
    after = homogcl("neighbors", "run", "p3", "--json")
    assert [row["neighbor"] for row in json.loads(after)] == [
        row["neighbor"] for row in json.loads(before)
    ]
    assert homogcl("neighbors", "run", "p3", "--json", "--exact") == before
    assert "recall" in homogcl("index", "run")


@pytest.mark.usefixtures("papers")
def test_an_index_of_other_embeddings_is_not_used(homogcl: Shell) -> None:
    homogcl("train", "raw", "papers", "--out", "run")
    homogcl("index", "run")
    folder = RunFolder(Path("run"))
    assert index_of(folder) is not None
    np.save("run/embeddings.npy", 2 + np.load("run/embeddings.npy"))
    assert index_of(folder) is None


@pytest.mark.usefixtures("papers")
def test_wrong_input_is_one_line(homogcl: Shell) -> None:
    assert "nowhere" in homogcl.refuses("index", "nowhere")
    homogcl("train", "raw", "papers", "--out", "run")
    homogcl("index", "run")
    Path("run/index.json").write_text("{")
    assert "index.json: is damaged" in homogcl.refuses("neighbors", "run", "p3")
    homogcl("index", "run")
    Path("run/index.faiss").write_text("{")
    assert "index.faiss: holds no index" in homogcl.refuses("neighbors", "run", "p3")

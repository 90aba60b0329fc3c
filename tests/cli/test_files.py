"""The options that say what is what in a user's own files."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from homogcl.cli.files import with_files
from homogcl.runs.folder import RunFolder
from tests.shell import FAST, Shell


@pytest.mark.usefixtures("papers")
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


@pytest.mark.usefixtures("papers")
def test_columns_of_nodes_on_the_command_line(homogcl: Shell) -> None:
    more = ("--nodes", "papers/nodes.csv", "--label", "field", "--features", "w0,w2")
    homogcl("train", "grace", "papers/edges.csv", *more, "--out", "run", *FAST)
    assert "test_accuracy" in json.loads(homogcl("evaluate", "run", "--json"))
    assert RunFolder(Path("run")).model().graph.feature_names == ("w0", "w2")
    line = homogcl.refuses("train", "grace", "papers/edges.csv", *more, "--id", "kay", *FAST)
    assert "no column 'kay' for id (did you mean: key?)" in line


def files_of(*arguments: str) -> Mapping[str, object]:
    """Return what a command with the options of own files gets as `files`."""
    received: list[Mapping[str, object]] = []
    app = typer.Typer()

    @app.command()
    @with_files
    def probe(files: Mapping[str, object], other: str = "") -> None:
        received.append(files)

    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    [files] = received
    return files


def test_options_that_were_not_used_are_not_passed_on() -> None:
    assert files_of() == {}
    assert files_of("--other", "x", "--source", "a", "--weight", "w") == {
        "source": "a",
        "weight": "w",
    }


def test_features_are_columns_unless_they_end_as_a_file_does() -> None:
    assert files_of("--features", "age, size")["features"] == ["age", "size"]
    assert files_of("--features", "age")["features"] == ["age"]
    for name in ("x.npy", "x.npz", "x.csv", "x.tsv.gz", "x.parquet", "X.NPY"):
        assert files_of("--features", name)["features"] == name


def test_files_that_lie_where_the_user_is_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.npy", "nodes.csv"):
        (tmp_path / name).touch()
    assert files_of("--nodes", "nodes.csv", "--features", "x.npy") == {
        "nodes": str(tmp_path / "nodes.csv"),
        "features": str(tmp_path / "x.npy"),
    }
    # A column may be called as a file is.
    assert files_of("--label", "nodes.csv") == {"label": "nodes.csv"}

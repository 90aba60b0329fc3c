"""The options that say what is what in a user's own files."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from homogcl.cli.files import as_words, with_files
from homogcl.data.load import citation_graph
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


def write_users(gap: str) -> None:
    """Write edges and users of three teams; one of them has a gap for an age."""
    edges = [(i, (i + step) % 60) for i in range(60) for step in (1, 3)]
    Path("e.csv").write_text("a,b\n" + "".join(f"ü{a},ü{b}\n" for a, b in edges))
    rows = [f"ü{i},{['red', 'green', 'blue'][i % 3]},{gap if i == 7 else i}\n" for i in range(60)]
    Path("n.csv").write_text("id,team,age\n" + "".join(rows))


USERS = ("--nodes", "n.csv", "--features", "team,age")


def test_missing_cells_are_refused_dropped_or_filled(homogcl: Shell) -> None:
    write_users(gap="")
    line = homogcl.refuses("train", "raw", "e.csv", *USERS, "--out", "run")
    assert "n.csv line 9, column 'age': a value is missing; 1 is missing there in all" in line
    assert "missing = 'ignore'" in homogcl.refuses(
        "train", "raw", "e.csv", *USERS, "--missing", "ignore", "--out", "run"
    )
    assert not Path("run").exists()
    told = homogcl("train", "raw", "e.csv", *USERS, "--missing", "drop", "--out", "drop")
    assert "59 nodes" in told
    assert "column 'age': 1 missing dropped (nodes 'ü7'); 4 edges" in told
    told = homogcl("train", "raw", "e.csv", *USERS, "--missing", "fill", "--out", "fill")
    assert "features: team: category in 3 columns; age: number, standard" in told


def test_recipe_of_a_run_is_applied_to_new_nodes(homogcl: Shell) -> None:
    write_users(gap="7")
    homogcl("train", "raw", "e.csv", *USERS, "--out", "run")
    homogcl("embed", "run", "-o", "all.csv")
    Path("few.csv").write_text("a,b\nü0,ü1\n")
    Path("n.csv").write_text("id,age,team\nü1,1,green\nü0,0,red\n")
    more = ("--nodes", "n.csv", "--features", "age,team")
    homogcl("embed", "run", "--data", "few.csv", *more, "-o", "few.csv")
    every, few = (Path(name).read_text().splitlines() for name in ("all.csv", "few.csv"))
    assert len(few) == 3
    assert set(few) <= set(every)


def test_kinds_are_written_as_pairs(homogcl: Shell) -> None:
    assert files_of("--kinds", "zip=category, a=b=text") == {
        "kinds": {"zip": "category", "a=b": "text"}
    }
    write_users(gap="7")
    told = homogcl("train", "raw", "e.csv", *USERS, "--kinds", "age=text", "--out", "run")
    assert "age: text" in told
    for kinds, says in (("age", "write it as column=kind"), ("age=size", "kinds = 'size'")):
        assert says in homogcl.refuses("train", "raw", "e.csv", *USERS, "--kinds", kinds)


def test_inspect_lists_what_was_done_to_columns(homogcl: Shell) -> None:
    write_users(gap="7")
    report = json.loads(homogcl("inspect", "e.csv", *USERS, "--json"))
    assert report["columns"] == [
        {"column": "team", "kind": "category", "features": 3, "scale": "as it is"},
        {"column": "age", "kind": "number", "features": 1, "scale": "standard"},
    ]
    assert "age     number    1         standard" in homogcl("inspect", "e.csv", *USERS)


def test_graph_on_disk_keeps_its_recipe(homogcl: Shell) -> None:
    write_users(gap="7")
    homogcl("to-disk", "e.csv", "disk", *USERS)
    homogcl("train", "grace", "disk", "--out", "run", *FAST)
    recipe = RunFolder(Path("run")).model().graph.recipe
    assert str(recipe) == "team: category in 3 columns; age: number, standard"


def test_options_are_said_again_in_words_that_mean_the_same() -> None:
    received: list[Mapping[str, object]] = []

    @with_files
    def command(files: Mapping[str, object]) -> None:
        received.append(files)

    words = ["--source", "from", "--features", "age,zip", "--kinds", "zip=category,bio=text"]
    words += ["--missing", "fill"]
    app = typer.Typer()
    app.command()(command)
    for said in (words, None):
        arguments = as_words(received[0]) if said is None else said
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert received[0] == received[1]
    assert as_words(received[0]) == words
    assert as_words({}) == []


def test_a_data_set_takes_another_file_of_features_in_every_command(homogcl: Shell) -> None:
    rows = np.random.default_rng(0).normal(size=(citation_graph().num_nodes, 4))
    np.save("titles.npy", rows)
    other = ("--features", "titles.npy")
    report = json.loads(homogcl("inspect", "demo", *other, "--json"))
    assert report["features"] == 4
    homogcl("train", "grace", "demo", *other, "--out", "run", *FAST)
    homogcl("train", "grace", "demo", *other, "--out", "run", "--resume", *FAST)
    assert "test_accuracy" in json.loads(homogcl("evaluate", "run", "--json"))
    homogcl("embed", "run", "-o", "z.npy")
    np.save("others.npy", rows[::-1])
    homogcl("embed", "run", "--data", "demo", "--features", "others.npy", "-o", "other.npy")
    assert not np.allclose(np.load("z.npy"), np.load("other.npy"))
    for name in ("demo", "Demo"):
        homogcl("embed", "run", "--data", name, "-o", "same.npy")
        np.testing.assert_array_equal(np.load("z.npy"), np.load("same.npy"))
    for features in (other, ()):
        homogcl("run", "raw", "--data", "demo", *features, "--seeds", 1, "--results", "results")
    names = {path.parent.parent.name for path in Path("results").rglob("*.json")}
    assert names == {"demo", "demo+titles"}
    table = homogcl("table", "results")
    assert "demo+titles" in table
    np.save("titles.npy", rows + 1)
    assert "titles.npy is not what the run run was trained on" in homogcl.refuses("evaluate", "run")
    np.save("titles.npy", rows[1:])
    line = homogcl.refuses("inspect", "demo", *other)
    assert f"titles.npy: has {len(rows) - 1} rows for {len(rows)} nodes" in line

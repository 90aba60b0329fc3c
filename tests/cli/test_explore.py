"""The page of a run, as a user asks for it."""

import json
from pathlib import Path

import pytest

from tests.papers import NODES, write_graph
from tests.shell import Shell


@pytest.fixture
def run(homogcl: Shell, papers: Path) -> Path:
    """The folder of a run without training."""
    homogcl("train", "raw", papers, "--out", "run")
    return Path("run")


def test_page_lies_in_the_run_folder_unless_another_place_is_named(
    homogcl: Shell, run: Path
) -> None:
    before = {path.name for path in run.iterdir()}
    assert f"wrote {run / 'explore.html'}" in homogcl("explore", run, "--map", "pca")
    assert {path.name for path in run.iterdir()} - before == {"explore.html"}
    told = json.loads(homogcl("explore", run, "--map", "pca", "-o", "page.html", "--json"))
    page = Path("page.html")
    assert told["page"] == "page.html"
    assert told["nodes"] == NODES
    assert told["bytes"] == page.stat().st_size
    assert "p89" in page.read_text("utf-8")


def test_graph_that_is_gone_is_named_and_can_be_said_anew(
    homogcl: Shell, run: Path, papers: Path
) -> None:
    papers.rename(papers.parent / "elsewhere")
    assert "papers is gone; say with --data" in homogcl.refuses("explore", run, "--map", "pca")
    assert not (run / "explore.html").exists()
    homogcl("explore", run, "--map", "pca", "--data", "elsewhere")
    assert (run / "explore-elsewhere.html").exists()


def test_another_graph_is_embedded_by_the_run_and_shown(
    homogcl: Shell, run: Path, papers: Path
) -> None:
    other = papers.parent / "other"
    write_graph(other, 40)
    homogcl("explore", run, "--map", "pca")
    told = json.loads(homogcl("explore", run, "--map", "pca", "--data", other, "--json"))
    assert told["nodes"] == 40
    assert told["page"] == str(run / "explore-other.html")
    page = Path(told["page"]).read_text("utf-8")
    assert "p39" in page
    assert "p89" not in page
    assert "p89" in (run / "explore.html").read_text("utf-8")


def test_stages_are_said_beside_the_output(homogcl: Shell, run: Path) -> None:
    json.loads(homogcl("explore", run, "--map", "pca", "--json"))
    assert f"laying out {NODES} nodes, mapped by pca" in homogcl.err.splitlines()
    assert homogcl.err.splitlines()[-1] == "writing the page"


def test_of_many_nodes_some_are_shown(homogcl: Shell, run: Path) -> None:
    told = json.loads(homogcl("explore", run, "--map", "pca", "--most-nodes", 50, "--json"))
    assert told["nodes"] == 50
    page = (run / "explore.html").read_text("utf-8")
    assert f"The graph has {NODES} nodes; this page shows 50 of them" in page
    homogcl("explore", run, "--most-nodes", 0, code=2)
    assert "--most-nodes" in homogcl.err


def test_run_that_is_none_is_one_line(homogcl: Shell) -> None:
    assert "nowhere" in homogcl.refuses("explore", "nowhere")

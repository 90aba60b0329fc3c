"""Grids of runs, as a user meets them."""

import json
from pathlib import Path

import pytest

from tests.shell import FAST, Shell


def test_run_skips_finished_cells(homogcl: Shell, tmp_path: Path) -> None:
    grid = ("run", "grace", "--data", "demo", "--seeds", 2, "--task", "probe", *FAST)
    homogcl(*grid, "--milestones", "1")
    written = sorted(tmp_path.glob("results/demo/grace/*.json"))
    assert len(written) == 2
    before = [path.stat().st_mtime_ns for path in written]
    homogcl(*grid)
    assert "done before" in homogcl.err
    assert [path.stat().st_mtime_ns for path in written] == before
    record = json.loads(written[0].read_text())
    assert set(record["milestones"]) == {"1"}
    assert record["resolved"]["train"]["epochs"] == 2


def test_a_grid_of_another_form_has_records_of_its_own(homogcl: Shell, tmp_path: Path) -> None:
    grid = ("run", "grace", "--data", "demo", "--seeds", 1, "--task", "probe", *FAST)
    homogcl(*grid)
    homogcl(*grid, "--form", "layers+ax")
    texts = [path.read_text() for path in tmp_path.glob("results/demo/grace/*.json")]
    forms = {json.loads(text)["resolved"]["data"]["form"] for text in texts}
    assert forms == {"last", "layers+ax"}


@pytest.mark.usefixtures("papers")
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

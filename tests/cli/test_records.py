"""Grids of runs and tables of records, as a user meets them."""

import json
from pathlib import Path

import pytest

from homogcl.runs.record import write_record
from tests.records import make_record
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


@pytest.fixture
def two_folders(tmp_path: Path) -> tuple[Path, Path]:
    """Folders with three seeds of GRACE and of HomoGCL on it."""
    accuracies = {"grace": (0.80, 0.82, 0.81), "grace+homogcl": (0.83, 0.82, 0.84)}
    folders = tmp_path / "one", tmp_path / "two"
    for folder, (method, values) in zip(folders, accuracies.items(), strict=True):
        for seed, value in enumerate(values):
            metrics = {"test_accuracy": value}
            write_record(folder, make_record(method=method, seed=seed, metrics=metrics))
    return folders


LINES = [
    "| Method (test_accuracy, %) | cora | cora, minus grace | cora, p |",
    "| --- | --- | --- | --- |",
    "| grace | 81.00 ± 1.00 (3) | – | – |",
    "| grace+homogcl | **83.00 ± 1.00 (3)** | 2.00 ± 1.73 (3) | 0.184 |",
]


def test_folders_become_one_table(homogcl: Shell, two_folders: tuple[Path, Path]) -> None:
    assert homogcl("table", *two_folders, "--base", "grace").splitlines() == LINES
    assert "grace+homogcl" not in homogcl("table", two_folders[0])


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_a_file_has_what_is_printed(
    form: str, homogcl: Shell, two_folders: tuple[Path, Path], tmp_path: Path
) -> None:
    arguments = ("table", *two_folders, "--format", form)
    printed = homogcl(*arguments)
    assert homogcl(*arguments, "-o", "out.txt") == "wrote out.txt\n"
    assert (tmp_path / "out.txt").read_text("utf-8") == printed
    assert {"markdown": "**83.00", "latex": r"\textbf{83.00", "csv": "grace+homogcl,83.0"}[
        form
    ] in printed
    assert not printed.endswith("\n\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "no folder of records at nowhere"),
        (("empty",), "no records in empty"),
        (("one", "--base", "grce"), "did you mean: grace"),
        (("one", "--metric", "accuracy"), "did you mean: test_accuracy"),
        (("one", "one"), "two records have the seed 0"),
    ],
)
@pytest.mark.usefixtures("two_folders")
def test_mistakes_are_one_line(
    arguments: tuple[str, ...], said: str, homogcl: Shell, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert said in homogcl.refuses("table", *arguments)

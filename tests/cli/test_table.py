"""`homogcl table`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homogcl.runs.record import write_record
from tests.records import make_record
from tests.shell import Shell


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
    "| Method (test_accuracy, %) | cora | cora, epochs | cora, minus grace | cora, p |",
    "| --- | --- | --- | --- | --- |",
    "| grace | 81.00 ± 1.00 (3) | 20 | – | – |",
    "| grace+homogcl | **83.00 ± 1.00 (3)** | 20 | +2.00 [-2.30, 6.30] (3) | 0.184 |",
    "",
    "1 paired t-test; at 5 % after Holm's correction: none.",
]


def test_folders_become_one_table(homogcl: Shell, two_folders: tuple[Path, Path]) -> None:
    assert homogcl("table", *two_folders, "--base", "grace").splitlines() == LINES
    assert "grace+homogcl" not in homogcl("table", two_folders[0])


def test_json_has_every_digit(homogcl: Shell, two_folders: tuple[Path, Path]) -> None:
    table = json.loads(homogcl("table", *two_folders, "--base", "grace", "--json"))
    grace, plugged = table["rows"]
    assert grace["cora"] == pytest.approx({"mean": 81.0, "std": 1.0, "n": 3})
    assert grace["cora, minus grace"] is None
    difference = plugged["cora, minus grace"]
    assert difference["high"] - difference["mean"] == pytest.approx(4.302652729749464)
    assert plugged["cora, p"] == pytest.approx(1 - 2 / 6**0.5)
    assert table["notes"] == LINES[-1:]


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
        (("nowhere",), "no records at nowhere"),
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


def test_what_a_grid_wrote_is_read_wherever_it_lies(homogcl: Shell, tmp_path: Path) -> None:
    grid = ("run", "raw", "random", "--data", "demo", "--seeds", "2", "--task", "probe")
    homogcl(*grid, "--results", "deep/in/results", "--out-dim", "8", code=2)  # raw has none
    homogcl(*grid, "--results", "deep/in/results")
    text = homogcl("table", "deep/in/results", "--base", "raw")
    assert "| raw |" in text
    (tmp_path / "deep" / "in" / "results" / "notes.json").write_text("[]")
    (tmp_path / "deep").rename(tmp_path / "moved")
    assert homogcl("table", "moved", "--base", "raw") == text
    assert homogcl("table", "moved/in", "--base", "raw") == text
    alone = homogcl("table", "moved/in/results/demo/raw")
    assert "| raw |" in alone
    assert "random" not in alone
    record = next((tmp_path / "moved/in/results/demo/raw").glob("*-s0.json"))
    assert "| raw |" in homogcl("table", record)

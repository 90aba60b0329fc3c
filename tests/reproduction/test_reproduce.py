"""`homogcl reproduce all --quick`: killed and resumed, every table and figure, mistakes named."""

from __future__ import annotations

import csv
import signal
from pathlib import Path

import pytest

from homogcl.runs.record import read_record, write_record
from reproduction import plan
from reproduction.figures import FIGURES
from reproduction.paper.tables import TABLE_ARTIFACTS
from reproduction.reported import read
from tests.records import make_record
from tests.reliability.processes import Ended, Running, start
from tests.shell import Shell

QUICK = ("reproduce", "all", "--quick", "--out", "out")


def records(folder: Path) -> dict[Path, int]:
    """When each record below a folder was written."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("out/results/**/*.json")}


def rows(folder: Path, name: str, out: str = "out") -> list[dict[str, str]]:
    with (folder / out / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def patiently(running: Running) -> Ended:
    """Wait for a command that takes a minute on a core of its own, and longer on a shared one."""
    running.process.join(900)
    return running.end()


def test_killed_in_the_middle_it_goes_on_and_makes_every_table_and_figure(tmp_path: Path) -> None:
    killed = patiently(start(tmp_path, *QUICK, fault="kill@file-written:9"))
    assert killed.code == -signal.SIGKILL
    before = records(tmp_path)
    assert len(before) == 8
    assert all(read_record(path).status == "ok" for path in before)

    ended = patiently(start(tmp_path, *QUICK))
    assert ended.code == 0, ended.err
    after = records(tmp_path)
    assert {path: after[path] for path in before} == before
    assert ended.err.count("done before") == len(before)
    files = 3 * len(TABLE_ARTIFACTS) + 2 * len(FIGURES)
    assert f"{files} files from {len(after)} trainings" in ended.out
    for name in FIGURES:
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / "out" / f"{name}.svg").read_text("utf-8")

    index = (tmp_path / "out" / "index.md").read_text("utf-8")
    for name in {**FIGURES, **TABLE_ARTIFACTS}:
        assert index.count(f"`homogcl reproduce {name} --quick`") == 1
        ending = "png" if name in FIGURES else "csv"
        assert f"[{name}.{ending}]({name}.{ending})" in index

    for name, artifact in TABLE_ARTIFACTS.items():
        for ending in ("md", "tex", "csv"):
            path = tmp_path / "out" / f"{name}.{ending}"
            assert f"wrote out/{path.name}" in ended.out
            assert ending == "csv" or artifact.paper in path.read_text("utf-8")
    printed = {each.method for each in read("classification")}
    assert printed <= {row["Method"] for row in rows(tmp_path, "classification") if row["demo"]}
    ways = {(row["Method"], row["Variant"]) for row in rows(tmp_path, "ablation")}
    assert ways >= {(each.method, each.variant) for each in read("ablation")}
    ways = {(row["Method"], row["Variant"]) for row in rows(tmp_path, "arxiv")}
    assert ways == {(e.method, e.variant) for e in read("arxiv") if e.method != "progcl"}
    [demo] = rows(tmp_path, "statistics")
    assert demo["Nodes"] == "2500"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("classificatio",), "did you mean: classification"),
        (("all", "tables"), "unknown table or figure 'tables'"),
        (("bgrl", "--quick", "--results", "results"), "leave out --results"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    homogcl: Shell, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in homogcl.refuses("reproduce", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path, homogcl: Shell) -> None:
    (tmp_path / "out").touch()
    assert "out/.lock" in homogcl.refuses("reproduce", "statistics", "--quick", "--out", "out")


def test_what_fails_is_named_and_the_rest_is_made(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr(plan, "SEEDS", dict.fromkeys(plan.SEEDS, 1))
    homogcl("reproduce", "bgrl", "statistics", code=2)
    lines = homogcl.err.splitlines()
    failed = [line for line in lines if line.startswith("failed: ")]
    assert len(failed) == 6 + 2
    assert "failed: bgrl on photo, seed 0: " in "\n".join(failed)
    assert "6 of 6 trainings and 2 of 2 tables" in lines[-1]


def test_records_alone_make_what_they_can_and_nothing_is_trained(
    homogcl: Shell, tmp_path: Path
) -> None:
    record = make_record({}, method="bgrl", data="photo", seconds=90.0)
    write_record(tmp_path / "results" / "presets", record)
    homogcl("reproduce", "bgrl", "saliency", "--no-train", code=2)
    assert "0 of 0 trainings and 1 of 2 tables and figures failed" in homogcl.err
    assert "failed: saliency: the figure saliency needs " in homogcl.err
    shown = rows(tmp_path, "bgrl", "reproduction")
    [photo] = [row for row in shown if (row["Data set"], row["Method"]) == ("photo", "bgrl")]
    assert float(photo["Test accuracy (%)"]) == 80
    index = (tmp_path / "reproduction" / "index.md").read_text("utf-8")
    assert "| Figure 4 | `homogcl reproduce saliency` | 0 of 3 | – | – |" in index

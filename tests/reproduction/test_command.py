"""`python -m reproduction`: killed and resumed, every table and figure, mistakes named."""

from __future__ import annotations

import csv
import signal
from pathlib import Path

import pytest

from homogcl.runs.record import read_record, write_record
from reproduction import plan
from reproduction.catalog import FIGURES, SUPPLEMENTS
from reproduction.paper.tables import PAPER_TABLES
from reproduction.reported.numbers import read
from tests.figure_records import keep_all
from tests.records import make_record
from tests.reliability.processes import Ended, Running, start
from tests.shell import Shell

MODULE = "reproduction.__main__"
QUICK = ("all", "--quick", "--out", "out")
PICTURES = ("png", "svg")
TABLES = ("md", "tex", "csv")


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
    killed = patiently(start(tmp_path, *QUICK, fault="kill@file-written:9", module=MODULE))
    assert killed.code == -signal.SIGKILL
    before = records(tmp_path)
    assert len(before) == 8
    assert all(read_record(path).status == "ok" for path in before)

    ended = patiently(start(tmp_path, *QUICK, module=MODULE))
    assert ended.code == 0, ended.err
    after = records(tmp_path)
    assert {path: after[path] for path in before} == before
    assert ended.err.count("done before") == len(before)
    tables = {**PAPER_TABLES, **SUPPLEMENTS}
    files = 3 * len(tables) + 2 * len(FIGURES)
    assert f"{files} files from {len(after)} trainings" in ended.out
    for name in FIGURES:
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / "out" / f"{name}.svg").read_text("utf-8")

    index = (tmp_path / "out" / "index.md").read_text("utf-8")
    for name in {**FIGURES, **tables}:
        assert index.count(f"`python -m reproduction {name} --quick`") == 1
        ending = "png" if name in FIGURES else "csv"
        assert f"[{name}.{ending}]({name}.{ending})" in index

    for name, artifact in tables.items():
        for ending in ("md", "tex", "csv"):
            path = tmp_path / "out" / f"{name}.{ending}"
            assert f"wrote out/{path.name}" in ended.out
            assert ending == "csv" or artifact.title in path.read_text("utf-8")
    printed = {each.method for each in read("classification")}
    assert printed <= {row["Method"] for row in rows(tmp_path, "classification") if row["demo"]}
    ways = {(row["Method"], row["Variant"]) for row in rows(tmp_path, "ablation")}
    assert ways >= {(each.method, each.variant) for each in read("ablation")}
    ways = {(row["Method"], row["Variant"]) for row in rows(tmp_path, "arxiv")}
    named = {(e.method, e.variant) for e in read("arxiv") if e.method != "progcl"}
    assert ways == named | {("raw", ""), ("propagation", "")}
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
    reproduce: Shell, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in reproduce.refuses(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path, reproduce: Shell) -> None:
    (tmp_path / "out").touch()
    assert "out/.lock" in reproduce.refuses("statistics", "--quick", "--out", "out")


def test_what_fails_is_named_and_the_rest_is_made(
    reproduce: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr(plan, "SEEDS", dict.fromkeys(plan.SEEDS, 1))
    reproduce("bgrl", "statistics", code=2)
    lines = reproduce.err.splitlines()
    failed = [line for line in lines if line.startswith("failed: ")]
    assert len(failed) == 6 + 2
    assert "failed: bgrl on photo, seed 0: " in "\n".join(failed)
    assert "6 of 6 trainings and 2 of 2 tables" in lines[-1]


def test_records_alone_make_what_they_can_and_nothing_is_trained(
    reproduce: Shell, tmp_path: Path
) -> None:
    for method in ("bgrl", "bgrl+homogcl"):
        record = make_record({}, method=method, data="photo", seconds=90.0)
        write_record(tmp_path / "results" / "presets", record)
    reproduce("bgrl", "saliency", "--no-train", code=2)
    assert "0 of 0 trainings and 1 of 2 tables and figures failed" in reproduce.err
    assert "failed: saliency: the figure saliency needs " in reproduce.err
    shown = rows(tmp_path, "bgrl", "reproduced")
    [photo] = [row for row in shown if (row["Data set"], row["Base"]) == ("photo", "bgrl")]
    assert float(photo["Alone"]) == 80
    index = (tmp_path / "reproduced" / "index.md").read_text("utf-8")
    assert "| Figure 4 | `python -m reproduction saliency` | 0 of 3 | – | – |" in index


def test_the_quick_form_makes_tables_and_pictures(reproduce: Shell, tmp_path: Path) -> None:
    reproduce("study", "--quick", "--out", "out")
    files = {path.name for path in (tmp_path / "out").iterdir() if path.is_file()}
    for name, endings in {
        "probes": TABLES,
        "levers-grace": (*TABLES, *PICTURES),
        "levers-bgrl": (*TABLES, *PICTURES),
        "training": PICTURES,
        "generated": PICTURES,
        "encoders": (*TABLES, *PICTURES),
        "goals": TABLES,
        "goals-clustering": TABLES,
        "wrong-edges": TABLES,
    }.items():
        assert {each for each in files if each.partition(".")[0] == name} == {
            f"{name}.{ending}" for ending in endings
        }
    lines = (tmp_path / "out" / "levers-bgrl.md").read_text("utf-8").splitlines()
    assert lines[2].endswith("| demo, validation | demo, test | demo, AUC of S |")
    labels = [line.split(" | ")[0] for line in lines[4:]]
    assert labels[0] == "| as shipped"
    assert any("two_sigma_sq=0.25" in label for label in labels)
    goals = (tmp_path / "out" / "goals.md").read_text("utf-8").splitlines()
    rows_of_goals = [line.split(" | ")[0] for line in goals[4:] if line.startswith("|")]
    assert rows_of_goals == ["| grace", "| bgrl"]


def test_the_command_draws_and_names_what_it_wrote(reproduce: Shell, tmp_path: Path) -> None:
    keep_all("saliency", tmp_path / "kept", quick=False)
    arguments = ("saliency", "--no-train", "--results", "kept", "--out", "drawn")
    lines = reproduce(*arguments).splitlines()
    assert "wrote drawn/saliency.png" in lines
    assert (tmp_path / "drawn" / "saliency.svg").exists()
    assert reproduce("make", *arguments).splitlines()[:-1] == lines[:-1]


def test_a_table_is_printed_or_put_between_its_markers(reproduce: Shell, tmp_path: Path) -> None:
    write_record(tmp_path / "results" / "released", make_record({}, method="grace+released"))
    table = reproduce("table", "released")
    assert "| cora | grace+released | – | 80.00 (1) | 84.5 ± 0.5 | -4.50 |" in table.splitlines()
    assert "80.0,,1" in reproduce("table", "released", "--format", "csv")
    page = tmp_path / "page.md"
    page.write_text("<!-- table:released -->\nold\n<!-- /table:released -->\n", "utf-8")
    assert "released into page.md" in reproduce("table", "released", "--insert", page.name)
    assert page.read_text("utf-8").splitlines()[1:-1] == table.splitlines()


def test_an_unknown_table_and_a_missing_file_are_named(reproduce: Shell, tmp_path: Path) -> None:
    assert "did you mean: foundation" in reproduce.refuses("table", "fundation")
    write_record(tmp_path / "results" / "released", make_record({}, method="grace+released"))
    line = reproduce.refuses("table", "released", "--insert", "nowhere.md")
    assert "cannot read nowhere.md" in line
    assert "benchmarks/results.json" in reproduce.refuses("table", "bench")


def test_tables_and_numbers_are_written_anew_and_broken_claims_named(
    reproduce: Shell, tmp_path: Path
) -> None:
    write_record(tmp_path / "results" / "presets", make_record({}, method="grace"))
    mean = "mean presets/cora/grace accuracy"
    page = tmp_path / "README.md"
    page.write_text(f"It has <!-- v: {mean} -->1<!-- /v -->.", "utf-8")
    assert reproduce("pages") == "wrote README.md\n"
    assert page.read_text("utf-8") == f"It has <!-- v: {mean} -->80.0<!-- /v -->."
    assert reproduce("pages") == ""
    write_record(tmp_path / "results" / "released", make_record({}, method="grace+released"))
    page.write_text("<!-- table:released -->\nold\n<!-- /table:released -->\n", "utf-8")
    assert reproduce("pages") == "wrote README.md\n"
    table = reproduce("table", "released")
    assert page.read_text("utf-8").splitlines()[1:-1] == table.splitlines()
    page.write_text(f"It is bad. <!-- holds: {mean} < 50 -->", "utf-8")
    reproduce("pages", code=2)
    assert f"README.md, line 1: `{mean} < 50` does not hold: it is 80" in reproduce.err
    assert "1 claims" in reproduce.err


def test_without_a_name_it_says_what_there_is(reproduce: Shell) -> None:
    assert "table" in reproduce("--help")
    assert "encoders" in reproduce("make", "--help")  # a name that no line breaks

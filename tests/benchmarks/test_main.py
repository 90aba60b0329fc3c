"""Parts are run by name, shown beside their limits, and kept as data beside the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import __main__ as program
from homogcl.core.errors import UnknownName
from homogcl.runs.origin import UNKNOWN, current_commit


def part() -> list[program.Row]:
    """Return two rows."""
    return [("seconds", 0.25, "under 1"), ("GB", 2.0, "")]


@pytest.fixture
def results_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the results go, with those of a part that is not run."""
    path = tmp_path / "results.json"
    path.write_text('{"scale": {"rows": []}, "quick": {"rows": ["old"]}}')
    monkeypatch.setattr(program, "KEPT", path)
    monkeypatch.setattr(program, "PARTS", {"quick": part})
    monkeypatch.setattr(program, "DEFAULT", ("quick",))
    return path


@pytest.mark.parametrize("names", [["quick"], []])
def test_rows_are_shown_and_replace_those_of_the_same_part(
    names: list[str], results_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.main(names)
    printed = capsys.readouterr().out
    assert "under 1" in printed
    assert "0.25" in printed
    results = json.loads(results_file.read_text("utf-8"))
    assert results["scale"] == {"rows": []}
    assert results["quick"]["rows"] == [
        {"measure": "seconds", "value": 0.25, "held_to": "under 1"},
        {"measure": "GB", "value": 2.0, "held_to": ""},
    ]
    assert {"python", "torch"} <= set(results["quick"]["versions"])
    assert results["quick"]["machine"]["threads"] == torch.get_num_threads()
    assert results["quick"]["precision"] == "float32"
    assert results["quick"]["commit"] == current_commit()


def test_growth_is_told_as_an_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        program, "measure", lambda name, nodes: {"seconds": 3.0 * nodes**2, "bytes": 5.0 * nodes}
    )
    rows = {what: (value, held) for what, value, held in program.growth()}
    assert rows["exponent of seconds in N"][0] == pytest.approx(2.0)
    assert rows["exponent of bytes in N"][0] == pytest.approx(1.0)
    assert rows["exponent of bytes in N"][1] == "under 1.2"


def test_every_default_part_exists_and_says_what_it_is() -> None:
    assert set(program.DEFAULT) <= set(program.PARTS)
    assert all(each.__doc__ for each in program.PARTS.values())


# Parts that were last run before results said of what; they await a run and leave this list then.
OF_UNKNOWN_ORIGIN = {
    *("loss", "peer", "memory", "growth", "negatives", "tutorial", "own-files"),
    *("arxiv-step", "scale", "arxiv-epoch", "methods", "startup"),
}


def test_results_say_which_code_and_machine_they_are_of() -> None:
    entries = json.loads(program.KEPT.read_text("utf-8"))
    lacking = {
        name
        for name, entry in entries.items()
        if entry["machine"].get("threads", 0) < 1
        or entry["machine"].get("processor", UNKNOWN) == UNKNOWN
        or entry.get("commit", UNKNOWN) == UNKNOWN
        or entry["versions"]["homogcl"] == "not installed"
    }
    assert lacking <= OF_UNKNOWN_ORIGIN


def test_an_unknown_part_is_one_line_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(program.PARTS, "loss", lambda: pytest.fail("measured"))
    with pytest.raises(UnknownName, match=r"unknown part 'plugin'.*plugins"):
        program.main(["loss", "plugin"])

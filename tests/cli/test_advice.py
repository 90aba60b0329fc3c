"""The commands that advise, as a user meets them."""

import json
from pathlib import Path

import pytest

from homogcl.advice import doctor as examination
from homogcl.advice.doctor import Finding
from tests.shell import Shell


def test_doctor_says_ready(homogcl: Shell, tmp_path: Path) -> None:
    text = homogcl("doctor", "--root", tmp_path)
    assert text.splitlines()[-1] == "ready"
    assert "torch " in text
    assert len(text.splitlines()) < 40
    report = json.loads(homogcl("doctor", "--json", "--root", tmp_path))
    assert report["ready"] is True
    areas = {finding["area"] for finding in report["findings"]} - {"other packages"}
    assert areas == {"packages", "machine", "extras", "data", "self-test"}


def test_doctor_ends_with_1_when_something_needed_is_missing(
    homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Finding("self-test", "training step", "no kernel", ok=False, advice="reinstall torch")
    monkeypatch.setattr(examination, "self_test", lambda: broken)
    text = homogcl("doctor", code=1)
    assert "! training step: no kernel -> reinstall torch" in text
    assert json.loads(homogcl("doctor", "--json", code=1))["ready"] is False


def test_inspect_reports_and_finds_no_fault(homogcl: Shell) -> None:
    report = json.loads(homogcl("inspect", "demo", "--json"))
    assert report["nodes"] == 2500
    assert report["homophily"] == pytest.approx(0.8, abs=1e-3)
    assert report["warnings"] == []
    assert report["likeness"]["share"] > 0.75
    assert report["trial"]["accuracies"]["homogcl"] > report["trial"]["accuracies"]["raw"]
    text = homogcl("inspect", "demo")
    assert "no reason to doubt" in text
    assert "edges held out: their ends are more alike" in text
    assert "try `homogcl` first" in text


def test_inspect_of_nothing_is_one_line(homogcl: Shell) -> None:
    assert "unknown data set" in homogcl.refuses("inspect", "coraa")

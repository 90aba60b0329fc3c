"""The commands that advise, as a user meets them."""

import json
from pathlib import Path

import pytest

from homogcl.advice import doctor as examination
from homogcl.advice import estimate as estimates
from homogcl.advice.doctor import Finding
from homogcl.advice.estimate import Estimate
from tests.shell import Shell


def test_doctor_says_ready(homogcl: Shell, tmp_path: Path) -> None:
    text = homogcl("doctor", "--root", tmp_path)
    assert text.splitlines()[-1] == "ready"
    assert "torch " in text
    assert len(text.splitlines()) < 40
    report = json.loads(homogcl("doctor", "--json", "--root", tmp_path))
    assert report["ready"] is True
    assert {"packages", "machine", "extras", "data", "self-test"} == {
        finding["area"] for finding in report["findings"]
    }


def test_doctor_ends_with_1_when_something_needed_is_missing(
    homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Finding("self-test", "training step", "no kernel", ok=False, advice="reinstall torch")
    monkeypatch.setattr(examination, "self_test", lambda: broken)
    text = homogcl("doctor", code=1)
    assert "! training step: no kernel -> reinstall torch" in text
    assert json.loads(homogcl("doctor", "--json", code=1))["ready"] is False


def test_inspect_reports_and_finds_no_fault(homogcl: Shell) -> None:
    report = json.loads(homogcl("inspect", "demo", "--epochs", "3", "--json"))
    assert report["nodes"] == 2500
    assert report["homophily"] == pytest.approx(0.8, abs=1e-3)
    assert report["warnings"] == []
    assert 0 <= report["saliency"]["held_out"]["low"] <= 1
    text = homogcl("inspect", "demo", "--epochs", "0")
    assert "no reason to doubt" in text
    assert "saliency" not in text


def test_inspect_of_nothing_is_one_line(homogcl: Shell) -> None:
    assert "unknown data set" in homogcl.refuses("inspect", "coraa")


def test_tune_prints_trials_and_what_to_train_with(homogcl: Shell, tmp_path: Path) -> None:
    quick = ("--set", "epochs=1", "--set", "hidden_dim=8", "--set", "out_dim=4")
    search = ("tune", "bgrl", "demo", "--criterion", "label-free", "--out", "search", *quick)
    result = json.loads(homogcl(*search, "--trials", "1", "--json"))
    assert len(result["trials"]) == 1
    text = homogcl(*search, "--trials", "2")
    assert "best: homogcl train bgrl demo --set " in text
    assert homogcl.err.splitlines() == [homogcl.err.strip()]  # the first trial is not run again
    assert (tmp_path / "search" / "best.toml").exists()


def test_train_writes_curves_where_asked(homogcl: Shell, tmp_path: Path) -> None:
    quick = ("--set", "epochs=2", "--set", "hidden_dim=8", "--set", "out_dim=4")
    homogcl("train", "bgrl", "demo", "--out", "run", "--tensorboard", "curves", *quick)
    [written] = tmp_path.glob("curves/*")
    assert written.name.startswith("events.out.tfevents")


def test_show_says_which_rule_applied_and_what_training_takes(
    homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "estimate", lambda *_: Estimate(120.0, 2 * 10**9))
    assert "preset large, since no preset knows physics" in homogcl("show", "grace", "physics")
    assert "preset large" not in homogcl("show", "grace", "cora")
    assert json.loads(homogcl("show", "grace", "physics", "--json"))["negatives"] == "sampled"
    costed = homogcl("show", "bgrl", "demo", "--cost")
    assert "training takes about 2 minutes and 2.0 GB" in costed
    assert json.loads(homogcl("show", "bgrl", "demo", "--cost", "--json"))["bytes"] == 2 * 10**9

"""Several processes that train together, as a user starts them."""

import json
import os
import sys
from pathlib import Path

import pytest

from homogcl.advice.estimate import Estimate
from homogcl.cli.launch import _arguments, _begin
from homogcl.core.errors import UserError
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from tests.shell import FAST, Shell


def test_world_without_a_launcher_is_refused(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert "torchrun" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST)
    assert list(tmp_path.iterdir()) == []


# Ends the second process, the first time it is started, once there is a checkpoint.
MORTAL = """
import os, pathlib, signal, threading, time
def end():
    while not list(pathlib.Path("run/checkpoint").glob("epoch-*.pt")):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
if (os.environ.get("RANK"), os.environ.get("TORCHELASTIC_RESTART_COUNT")) == ("1", "0"):
    threading.Thread(target=end, daemon=True).start()
"""


def test_process_that_was_killed_is_started_again_to_the_same_result(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled = ("--set", "negatives=sampled", "--set", "num_negatives=32", "--set", "epochs=60")
    command = ("train", "grace", "demo", *FAST, *sampled)
    homogcl(*command, "--out", "whole")
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(MORTAL)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, sys.path)]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    homogcl(*command, "--out", "run", "--nproc", 2, "--max-restarts", 1)
    run, whole = tmp_path / "run", tmp_path / "whole"
    logged = [json.loads(x)["epoch"] for x in (run / "metrics.jsonl").open()]
    assert logged == list(range(1, 61))
    # Sampled negatives have no pairs to split, so that two processes do what one does.
    assert (run / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_several_processes_are_warned_of_and_asked_for_once_before_they_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = Request("grace", "demo-h10", overrides={"hidden_dim": 8, "out_dim": 4})
    monkeypatch.setattr("homogcl.cli.forecast.NODE_SECONDS", 10.0)
    monkeypatch.setattr("homogcl.advice.estimate.estimate", lambda *_: Estimate(7200.0, 1))
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(UserError, match="not trained"):
        _begin(request, folder, 2, resume=False, confirm=lambda question: False)
    assert not (tmp_path / "run" / "run.json").exists()
    _begin(request, folder, 2, resume=False, confirm=lambda question: True)
    said = capsys.readouterr().err
    assert said.count("takes about 2 hours") == 2
    assert said.count("warning: neighbors share a class") == 1
    _begin(request, folder, 2, resume=True, confirm=pytest.fail)
    assert capsys.readouterr().err == ""


def test_processes_get_the_options_of_own_files() -> None:
    files = {"features": ["age", "zip"], "kinds": {"zip": "category"}, "missing": "fill"}
    request = Request("grace", "e.csv", files=files)
    arguments = _arguments(request, RunFolder(Path("run")))
    asked = ["--features", "age,zip", "--kinds", "zip=category", "--missing", "fill"]
    assert arguments[-6:] == asked

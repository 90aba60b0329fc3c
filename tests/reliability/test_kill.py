"""Killed with `kill -9`, at any moment and inside a save: the end is the same to the last bit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from homogcl.core.faults import POINTS
from homogcl.runs.record import read_record
from tests.reliability.conftest import Count
from tests.reliability.processes import artifacts, command, start

METHODS = ("grace", "grace+homogcl", "bgrl+homogcl", "ccassg", "progcl")
EPOCHS = 16
TRAIN = ("tiny", "--save-every", 2, "--set", f"epochs={EPOCHS}", "--set", "hidden_dim=16")


@cache
def whole(method: str) -> tuple[dict[str, object], float]:
    """What an uninterrupted training leaves, and the seconds that it takes."""
    folder = Path(mkdtemp(prefix="whole-"))
    started = time.monotonic()
    assert command(folder, "train", method, *TRAIN, "--out", "run").code == 0
    return artifacts(folder / "run"), time.monotonic() - started


def killed(folder: Path, method: str, epoch: int, seconds: float) -> bool:
    """Kill a training some time after it has logged an epoch; return whether it still ran."""
    log = folder / "run" / "metrics.jsonl"
    running = start(folder, "train", method, *TRAIN, "--out", "run", "--resume")
    running.wait_for(lambda: epoch == 0 or (log.exists() and log.read_text().count("\n") >= epoch))
    time.sleep(seconds)
    running.signal(signal.SIGKILL)
    return running.end().code == -signal.SIGKILL


def is_whole_after_resuming(folder: Path, method: str) -> bool:
    ended = command(folder, "train", method, *TRAIN, "--out", "run", "--resume")
    assert ended.code == 0, ended
    return artifacts(folder / "run") == whole(method)[0]


@pytest.mark.parametrize("method", METHODS)
def test_killed_at_random_moments(method: str, tmp_path: Path, count: Count, soak: int) -> None:
    draw = random.Random(method)
    _, seconds = whole(method)
    rounds = kills = 0
    while rounds < 5 * soak:
        folder = tmp_path / str(kills)
        folder.mkdir()
        # Anywhere in the training: within an epoch, in a save, in the end; in some rounds twice.
        for epoch in sorted(draw.sample(range(EPOCHS + 1), draw.choice([1, 1, 2]))):
            hit = killed(folder, method, epoch, draw.uniform(0, seconds / EPOCHS))
            kills += 1
            rounds += hit
            assert kills < 20 * (soak + 1), "kills come too late"
        assert is_whole_after_resuming(folder, method)
    count("kill -9 at a random moment", rounds=rounds, survived=rounds)


@pytest.mark.parametrize("point", POINTS)
def test_killed_inside_a_save(point: str, tmp_path: Path, count: Count, soak: int) -> None:
    draw = random.Random(point)
    # Configuration, log, 8 checkpoints, and the three files of a finished run.
    passings = 8 if point == "checkpoint-saved" else 13
    rounds = 5 * soak
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        method = draw.choice(METHODS)
        fault = f"kill@{point}:{draw.randint(1, passings)}"
        ended = command(folder, "train", method, *TRAIN, "--out", "run", fault=fault)
        assert ended.code == -signal.SIGKILL, fault
        assert is_whole_after_resuming(folder, method), fault
    count("kill -9 inside a save", rounds=rounds, survived=rounds)


def test_a_freshly_started_program_is_killed_too(tmp_path: Path, count: Count, soak: int) -> None:
    """No fork here: an interpreter of its own for the run and for the rest of it."""
    train = ["train", "grace", "demo", "--save-every", "1", "--set", "hidden_dim=8"]
    train += ["--set", "epochs=4", "--out"]
    assert command(tmp_path, *train, "whole").code == 0
    words = [sys.executable, "-m", "homogcl", *train]
    # Sets and dictionaries of strings come in other orders than in the process beside it.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "7"}
    rounds = soak
    for number in range(rounds):
        run = tmp_path / f"run-{number}"
        process = subprocess.Popen([*words, run.name], cwd=tmp_path, env=environment)
        while not (run / "checkpoint").exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        subprocess.run([*words, run.name, "--resume"], check=True, cwd=tmp_path, env=environment)
        assert artifacts(run) == artifacts(tmp_path / "whole")
    count("kill -9 of a freshly started program", rounds=rounds, survived=rounds)


GRID = ["run", "grace", "dgi", "--data", "tiny", "--task", "cluster", "--set", "epochs=3"]
GRID += ["--set", "hidden_dim=8", "--seeds"]


def metrics(folder: Path) -> dict[str, object]:
    """The metrics of each record below a folder, by file."""
    paths = sorted((folder / "results").glob("*/*/*.json"))
    return {str(path.relative_to(folder)): read_record(path).metrics for path in paths}


def test_a_killed_grid_keeps_its_finished_cells_and_has_no_half_written_one(
    tmp_path: Path, count: Count, soak: int
) -> None:
    draw = random.Random(0)
    grid = (*GRID, 2)
    (tmp_path / "whole").mkdir()
    started = time.monotonic()
    assert command(tmp_path / "whole", *grid).code == 0
    seconds = time.monotonic() - started
    rounds = 6 * soak
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        fault = f"kill@file-{draw.choice(['opened', 'written', 'replaced'])}:{draw.randint(1, 4)}"
        running = start(folder, *grid, fault=fault if number % 2 else "")
        if number % 2 == 0:
            time.sleep(draw.uniform(0, seconds))
            running.signal(signal.SIGKILL)
        running.end()
        finished = {path: path.stat().st_mtime_ns for path in folder.glob("results/*/*/*.json")}
        for path in finished:
            assert read_record(path).status == "ok"
        ended = command(folder, *grid)
        assert ended.code == 0
        assert ended.err.count("done before") == len(finished)
        assert {path: path.stat().st_mtime_ns for path in finished} == finished
        assert metrics(folder) == metrics(tmp_path / "whole")
    count("kill -9 of a grid of runs", rounds=rounds, survived=rounds)


@pytest.mark.parametrize("change", ["schema", "hash", "cut"])
def test_a_grid_refuses_a_record_that_is_not_its_own_by_name(change: str, tmp_path: Path) -> None:
    assert command(tmp_path, *GRID, 1).code == 0
    path = sorted(tmp_path.glob("results/*/*/*.json"))[0]
    record = json.loads(path.read_text())
    changes = {"schema": {"schema_version": 99}, "hash": {"settings_sha256": "0" * 64}, "cut": {}}
    text = json.dumps(record | changes[change])
    path.write_text(text if changes[change] else text[:-20])
    ended = command(tmp_path, *GRID, 1)
    assert ended.code == 2
    assert str(path.relative_to(tmp_path)) in ended.err.splitlines()[-1]
    assert path.read_text() == (text if changes[change] else text[:-20])

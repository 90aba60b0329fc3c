"""A full disk, a folder that may not be written, signals, neighbors, too little memory."""

from __future__ import annotations

import itertools
import json
import os
import resource
import shutil
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch

from homogcl.core.faults import FILE_POINTS
from homogcl.runs import run as runs_run
from homogcl.runs.origin import current_versions
from homogcl.training import loop
from tests.reliability.conftest import Count
from tests.reliability.processes import Running, artifacts, command, start

EPOCHS = 12
TRAIN = ["train", "grace+homogcl", "tiny", "--save-every", "2", "--set", f"epochs={EPOCHS}"]
TRAIN += ["--set", "hidden_dim=16", "--out", "run"]
# Configuration, log, 6 checkpoints, model, embeddings, ids.
FILES = 11


@cache
def whole() -> dict[str, object]:
    """What an undisturbed training leaves."""
    folder = Path(mkdtemp(prefix="whole-"))
    assert command(folder, *TRAIN).code == 0
    return artifacts(folder / "run")


def resumes_to_the_same(folder: Path) -> bool:
    ended = command(folder, *TRAIN, "--resume")
    assert ended.code == 0, ended
    return artifacts(folder / "run") == whole()


def logged(folder: Path) -> int:
    """How many epochs the log holds."""
    log = folder / "run" / "metrics.jsonl"
    return log.read_text().count("\n") if log.exists() else 0


def partial_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".partial")]


@pytest.mark.parametrize(
    ("action", "fault", "said"),
    [
        ("full", "disk full at a point of a write", "No space left on device"),
        ("denied", "writing denied at a point of a write", "Permission denied"),
    ],
)
@pytest.mark.parametrize("point", FILE_POINTS)
def test_a_write_that_fails_is_one_line_and_costs_nothing(
    action: str, fault: str, said: str, point: str, tmp_path: Path, count: Count
) -> None:
    # The log, a checkpoint, the ids; the configuration stands for what comes first.
    places = (2, 5, FILES) if action == "full" else (1,)
    for place in places:
        folder = tmp_path / str(place)
        folder.mkdir()
        ended = command(folder, *TRAIN, fault=f"{action}@{point}:{place}")
        assert ended.code == 2
        assert ended.line.startswith("error: cannot write run/")
        assert ended.line.endswith(said)
        assert partial_files(folder) == []
        assert resumes_to_the_same(folder)
    count(fault, rounds=len(places), survived=len(places))


def small_files_only() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@pytest.mark.parametrize(("save_every", "named"), [(2, "run/checkpoint/"), (99, "metrics.jsonl")])
def test_the_system_refuses_to_let_a_file_grow(
    save_every: int, named: str, tmp_path: Path, count: Count
) -> None:
    words = (*TRAIN, "--set", "epochs=40", "--save-every", save_every)
    ended = command(tmp_path, *words, first=small_files_only)
    assert ended.code == 2
    assert named in ended.line
    assert ended.line.endswith("File too large")
    assert partial_files(tmp_path) == []
    ended = command(tmp_path, *words, "--resume")
    assert ended.code == 0
    assert logged(tmp_path) == 40
    count("file size limit of the system", rounds=1, survived=1)


def become_nobody() -> None:
    """Root may write anywhere; nobody may not."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, which those of pytest are not."""
    folder = Path(mkdtemp(prefix="homogcl-test-"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("closed", ["parent", "run", "checkpoint"])
def test_a_folder_that_may_not_be_written(closed: str, open_folder: Path, count: Count) -> None:
    if closed != "parent":
        ended = command(open_folder, *TRAIN, fault="kill@checkpoint-saved:2")
        assert ended.code == -signal.SIGKILL
    for path in [open_folder, *open_folder.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    target = {"parent": ".", "run": "run", "checkpoint": "run/checkpoint"}[closed]
    (open_folder / target).chmod(0o555)
    before = sorted((path, path.stat().st_size) for path in open_folder.rglob("*.pt"))
    ended = command(open_folder, *TRAIN, "--resume", first=become_nobody)
    assert ended.code == 2
    assert ended.line.startswith("error: cannot write run")
    assert ended.line.endswith("Permission denied")
    assert sorted((path, path.stat().st_size) for path in open_folder.rglob("*.pt")) == before
    (open_folder / target).chmod(0o755)
    assert resumes_to_the_same(open_folder)
    count("folder that may not be written", rounds=1, survived=1)


def small_photo(path: Path, seed: int = 0) -> None:
    """Write a graph of 30 nodes in the form of the data set Photo."""
    rng = np.random.default_rng(seed)
    starts = np.arange(0, 91, 3)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        adj_data=np.ones(90),
        adj_indices=rng.integers(0, 30, 90),
        adj_indptr=starts,
        adj_shape=np.array([30, 30]),
        attr_data=np.ones(90),
        attr_indices=rng.integers(0, 8, 90),
        attr_indptr=starts,
        attr_shape=np.array([30, 8]),
        labels=np.arange(30) % 3,
    )


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("data file gone", "amazon_electronics_photo.npz: missing"),
        ("data file changed", "was written with other data;"),
    ],
)
def test_data_that_vanish_or_change_before_a_resume(
    fault: str, said: str, tmp_path: Path, count: Count
) -> None:
    raw = tmp_path / "data" / "amazon" / "Photo" / "raw" / "amazon_electronics_photo.npz"
    small_photo(raw)
    words = ["train", "dgi", "photo", "--root", "data", "--set", "epochs=6", "--save-every", "2"]
    words += ["--set", "hidden_dim=8", "--out"]
    offline = {"HOMOGCL_OFFLINE": "1"}
    assert command(tmp_path, *words, "whole").code == 0
    killed = command(tmp_path, *words, "run", fault="kill@checkpoint-saved:2")
    assert killed.code == -signal.SIGKILL
    kept = sorted((tmp_path / "run").rglob("*.pt"))
    content = raw.read_bytes()
    if fault == "data file gone":
        raw.unlink()
    else:
        small_photo(raw, seed=1)
    ended = command(tmp_path, *words, "run", "--resume", environment=offline)
    assert ended.code == 2
    assert said in ended.line
    assert sorted((tmp_path / "run").rglob("*.pt")) == kept
    raw.write_bytes(content)
    assert command(tmp_path, *words, "run", "--resume").code == 0
    assert artifacts(tmp_path / "run") == artifacts(tmp_path / "whole")
    count(fault, rounds=1, survived=1)


def interrupted(folder: Path, number: int, epoch: int) -> Running:
    running = start(folder, *TRAIN, "--resume")
    running.wait_for(lambda: logged(folder) >= epoch)
    running.signal(number)
    return running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_followed_by_a_checkpoint(
    number: signal.Signals, tmp_path: Path, count: Count, soak: int
) -> None:
    rounds = 0
    for epoch in [1, 3, 4, 7] * soak:
        folder = tmp_path / str(rounds)
        folder.mkdir()
        ended = interrupted(folder, number, epoch).end()
        assert ended.code == 128 + number
        done = logged(folder)
        said = f"error: {number.name} stopped the training after epoch {done}; --resume goes on"
        assert ended.line.startswith(said)
        newest = max(path.name for path in (folder / "run" / "checkpoint").iterdir())
        assert newest.startswith(f"epoch-{done:08d}-")
        assert resumes_to_the_same(folder)
        rounds += 1
    count(number.name, rounds=rounds, survived=rounds)


def test_a_second_process_is_refused_and_the_first_goes_on(tmp_path: Path, count: Count) -> None:
    first = start(tmp_path, *TRAIN, "--set", "epochs=60")
    first.wait_for(lambda: logged(tmp_path) >= 1)
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "run").symlink_to(tmp_path / "run")
    second = command(beside, *TRAIN, "--set", "epochs=60", "--resume")
    assert first.process.is_alive()
    assert second.code == 2
    assert second.line == (
        "error: run is in use by another process; wait for it or give another folder"
    )
    assert first.end().code == 0
    assert logged(tmp_path) == 60
    count("two processes in one run folder", rounds=1, survived=1)


def test_the_lock_of_a_killed_process_is_gone(tmp_path: Path, count: Count) -> None:
    ended = command(tmp_path, *TRAIN, fault="kill@checkpoint-saved:2")
    assert ended.code == -signal.SIGKILL
    assert (tmp_path / "run" / ".lock").exists()
    assert resumes_to_the_same(tmp_path)
    count("two processes in one run folder", rounds=1, survived=1)


def ask_for_too_much() -> None:
    """Let the fourth step of a training need a petabyte, which no system gives."""
    steps, step = itertools.count(), loop._step

    def greedy(*arguments: Any) -> Any:
        if next(steps) == 3:
            torch.empty(1 << 50, dtype=torch.uint8)
        return step(*arguments)

    loop._step = greedy  # type: ignore[assignment]  # it takes whatever a step takes


def test_memory_that_runs_out_is_one_line_and_the_checkpoint_stays(
    tmp_path: Path, count: Count
) -> None:
    words = ["train", "grace", "tiny", "--set", "epochs=8", "--save-every", "1", "--out"]
    running = start(tmp_path, *words, "run", first=ask_for_too_much)
    checkpoint = tmp_path / "run" / "checkpoint"
    ended = running.end()
    assert ended.code == 2
    assert ended.line.startswith("error: out of memory")
    assert "checkpoints are kept" in ended.line
    assert any(checkpoint.glob("*.pt"))
    assert command(tmp_path, *words, "run", "--resume").code == 0
    assert command(tmp_path, *words, "whole").code == 0
    assert artifacts(tmp_path / "run") == artifacts(tmp_path / "whole")
    count("out of memory", rounds=1, survived=1)


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_used(
    damage: str, tmp_path: Path, count: Count, soak: int
) -> None:
    rng = np.random.default_rng(0)
    rounds = 3 * soak
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert command(folder, *TRAIN, fault="kill@checkpoint-saved:4").code == -signal.SIGKILL
        newest = max((folder / "run" / "checkpoint").glob("*.pt"))
        content = bytearray(newest.read_bytes())
        place = int(rng.integers(len(content)))
        content[place] ^= 1 << int(rng.integers(8))
        damaged = {"flipped": bytes(content), "cut": bytes(content[:place]), "emptied": b""}
        newest.write_bytes(damaged[damage])
        ended = command(folder, *TRAIN, "--resume")
        assert ended.code == 0
        shown = newest.relative_to(folder)
        assert ended.line == f"warning: {shown} is damaged; the checkpoint before it is used"
        assert artifacts(folder / "run") == whole()
    count("newest checkpoint damaged", rounds=rounds, survived=rounds)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--set", "temperature=0.9"), "run/config.json is of another run: it has other"),
        (("--seed", 1), "run/config.json is of another run: it has other seed;"),
    ],
)
def test_a_run_of_other_settings_is_not_resumed(
    change: tuple[object, ...], said: str, tmp_path: Path, count: Count
) -> None:
    assert command(tmp_path, *TRAIN, fault="kill@checkpoint-saved:2").code == -signal.SIGKILL
    ended = command(tmp_path, *TRAIN, *change, "--resume")
    assert ended.code == 2
    assert said in ended.line
    assert resumes_to_the_same(tmp_path)
    count("checkpoint of other settings, data or version", rounds=1, survived=1)


def another_version() -> None:
    versions = current_versions() | {"homogcl": "0.0.9"}
    setattr(runs_run, "current_versions", lambda: versions)  # noqa: B010


def test_a_checkpoint_of_another_version_is_refused(tmp_path: Path, count: Count) -> None:
    killed = command(tmp_path, *TRAIN, fault="kill@checkpoint-saved:2", first=another_version)
    assert killed.code == -signal.SIGKILL
    ended = command(tmp_path, *TRAIN, "--resume")
    assert ended.code == 2
    assert "was written with other homogcl (0.0.9, now " in ended.line
    shutil.rmtree(tmp_path / "run" / "checkpoint")
    assert resumes_to_the_same(tmp_path)
    count("checkpoint of other settings, data or version", rounds=1, survived=1)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "emptied", "garbage", "other"])
def test_a_damaged_file_of_a_run_is_named(
    name: str, damage: str, tmp_path: Path, count: Count
) -> None:
    assert command(tmp_path, *TRAIN).code == 0
    path = tmp_path / "run" / name
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[: len(content) // 2],
            "emptied": b"",
            "garbage": bytes(range(256)),
            "other": json.dumps([1, 2]).encode(),
        }[damage]
    )
    ended = command(tmp_path, "embed", "run", "-o", "z.npy")
    assert ended.code == 2
    assert f"run/{name}" in ended.line or (name in ended.line and "run" in ended.line)
    assert not (tmp_path / "z.npy").exists()
    count("file of a run folder damaged", rounds=1, survived=1)

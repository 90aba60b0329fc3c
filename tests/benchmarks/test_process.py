"""A measure in processes of its own: how they are started, and what is read of them."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchmarks.process import measure


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """The commands that were run, each with its environment."""
    commands: list[tuple[list[str], dict[str, str]]] = []

    def run(call: list[str], *, env: dict[str, str], **_: object) -> SimpleNamespace:
        commands.append((call, env))
        return SimpleNamespace(stdout='a line of a library\n{"seconds": 1.5, "bytes": 7}\n')

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    return commands


def test_measure_is_the_last_line_of_one_process(
    calls: list[tuple[list[str], dict[str, str]]],
) -> None:
    assert measure("step", "grace", 3) == {"seconds": 1.5, "bytes": 7}
    [(call, environment)] = calls
    assert call == [sys.executable, "-m", "benchmarks", "--one", "step", "grace", "3"]
    assert environment["OMP_NUM_THREADS"] == "5"


def test_several_processes_are_started_by_torchs_launcher(
    calls: list[tuple[list[str], dict[str, str]]],
) -> None:
    measure("epoch", processes=2, threads=1)
    [(call, environment)] = calls
    assert call[1:5] == ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    assert call[5:] == ["-m", "benchmarks", "--one", "epoch"]
    assert environment["OMP_NUM_THREADS"] == "1"

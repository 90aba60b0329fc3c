"""Faults happen where and when they are asked for, and nowhere else."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
from collections.abc import Sequence

import pytest

from homogcl.core.faults import VARIABLE, maybe

_FORK = multiprocessing.get_context("fork")


def passing(fault: str | None, points: Sequence[str]) -> tuple[list[int], int]:
    """Return the error number (0: none) at each point of a new process, and its exit code."""
    here, there = _FORK.Pipe(duplex=False)

    def work() -> None:
        if fault is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = fault
        for point in points:
            try:
                maybe(point)
            except OSError as error:
                there.send(error.errno)
            else:
                there.send(0)

    process = _FORK.Process(target=work)
    process.start()
    there.close()
    numbers: list[int] = []
    try:
        while True:
            numbers.append(here.recv())
    except EOFError:
        process.join()
    assert process.exitcode is not None
    return numbers, process.exitcode


def test_nothing_happens_without_the_variable() -> None:
    assert passing(None, ["file-opened"] * 3) == ([0, 0, 0], 0)


@pytest.mark.parametrize(("action", "number"), [("full", errno.ENOSPC), ("denied", errno.EACCES)])
def test_writes_fail_from_the_named_passing_on(action: str, number: int) -> None:
    points = ["file-opened", "file-written", "file-opened", "file-written", "file-opened"]
    assert passing(f"{action}@file-opened:2", points) == ([0, 0, number, 0, number], 0)


def test_process_is_killed_at_the_named_passing_only() -> None:
    points = ["file-synced", "file-opened", "file-synced", "file-synced"]
    assert passing("kill@file-synced:2", points) == ([0, 0], -signal.SIGKILL)
    assert passing("kill@file-replaced:1", points) == ([0, 0, 0, 0], 0)

from __future__ import annotations

import errno
import os
import signal

import pytest

from homogcl.core import faults


def strikes(times: int, point: str = "file-written") -> list[int | None]:
    """What each passing of a point raised, as its error number."""
    outcomes: list[int | None] = []
    for _ in range(times):
        try:
            faults.maybe(point)
            outcomes.append(None)
        except OSError as error:
            outcomes.append(error.errno)
    return outcomes


def test_nothing_happens_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(faults.VARIABLE, raising=False)
    assert strikes(2) == [None, None]


@pytest.mark.parametrize(("action", "number"), [("full", errno.ENOSPC), ("denied", errno.EACCES)])
def test_errors_begin_at_the_named_time_and_stay(
    action: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(faults.VARIABLE, f"{action}@file-written:3")
    assert strikes(5) == [None, None, number, number, number]


def test_other_points_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(faults.VARIABLE, "full@file-written:2")
    assert strikes(3, "file-opened") == [None] * 3
    assert strikes(2) == [None, errno.ENOSPC]


def test_kill_strikes_once_and_only_at_the_named_time(monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda process, sign: signals.append((process, sign)))
    monkeypatch.setenv(faults.VARIABLE, "kill@checkpoint-saved:2")
    faults.maybe("checkpoint-saved")
    assert signals == []
    faults.maybe("checkpoint-saved")
    assert signals == [(os.getpid(), signal.SIGKILL)]

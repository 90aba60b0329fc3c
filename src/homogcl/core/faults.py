"""Faults on demand: a test kills or starves the program at a named point.

The environment variable `HOMOGCL_FAULT` holds `action@point:n`, such as `kill@file-written:3`: the
third time that the program passes this point, it is killed as `kill -9` does it. With the action
`full` the disk is full from that passing on, with `denied` nothing may be written any more. Without
the variable, nothing ever happens.
"""

from __future__ import annotations

import errno
import os
import signal
from collections import Counter

VARIABLE = "HOMOGCL_FAULT"
FILE_POINTS = ("file-opened", "file-written", "file-synced", "file-replaced")
POINTS = (*FILE_POINTS, "checkpoint-saved")

_ERRORS = {"full": errno.ENOSPC, "denied": errno.EACCES}
_passed: Counter[str] = Counter()


def maybe(point: str) -> None:
    """Do here what the environment asks for, which is nothing unless a test set the variable."""
    wanted = os.environ.get(VARIABLE)
    if wanted:
        _strike(wanted, point)


def _strike(wanted: str, point: str) -> None:
    action, _, place = wanted.partition("@")
    name, _, count = place.partition(":")
    if point != name:
        return
    _passed[point] += 1
    if action == "kill" and _passed[point] == int(count):
        os.kill(os.getpid(), signal.SIGKILL)
    if action in _ERRORS and _passed[point] >= int(count):
        raise OSError(_ERRORS[action], os.strerror(_ERRORS[action]))

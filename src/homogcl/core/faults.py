"""Faults on demand: a test kills or starves the program at a named point.

The environment variable `HOMOGCL_FAULT` holds `action@point:n`, such as `kill@file-written:3`: the
third time that the program passes this point, it is killed as by `kill -9`. With the action `full`
the disk is full from that time on, with `denied` nothing may be written any more. The count stands
in the variable and goes down each time. Without the variable, nothing ever happens.
"""

from __future__ import annotations

import errno
import os
import signal

VARIABLE = "HOMOGCL_FAULT"
FILE_POINTS = ("file-opened", "file-written", "file-synced", "file-replaced")
POINTS = (*FILE_POINTS, "checkpoint-saved")  # of a training
IMPORT_POINTS = (*FILE_POINTS, "import-stage")

_ERRORS = {"full": errno.ENOSPC, "denied": errno.EACCES}


def maybe(point: str) -> None:
    """Do what the environment asks for at this point: nothing unless a test set the variable."""
    request = os.environ.get(VARIABLE)
    if request:
        _strike(request, point)


def _strike(request: str, point: str) -> None:
    action, _, place = request.partition("@")
    name, _, count = place.partition(":")
    if point != name:
        return
    if int(count) > 1:
        os.environ[VARIABLE] = f"{action}@{name}:{int(count) - 1}"
    elif action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action in _ERRORS:
        raise OSError(_ERRORS[action], os.strerror(_ERRORS[action]))

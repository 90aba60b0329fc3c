"""How much memory this process needed at most."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_CLEAR = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


def reset_peak() -> int:
    """Begin a new peak where the system can, and return the bytes in use now (0 if unknown)."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return 0
    return _status("VmRSS")


def peak_bytes() -> int:
    """Return the most resident memory since the last `reset_peak`, else since the start."""
    if _STATUS.exists():
        return _status("VmHWM")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _status(key: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return 0

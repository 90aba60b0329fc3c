"""How much memory this process needed at most, how much there is, and what to say if too little."""

from __future__ import annotations

import ctypes
import re
import resource
import sys
from pathlib import Path

from homogcl.core.errors import UserError

_CLEAR = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_MACHINE = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")

# What torch and C++ libraries say in errors that are no MemoryError.
_SHORTAGES = ("can't allocate memory", "not enough memory", "out of memory", "std::bad_alloc")
_ADVICE = "checkpoints are kept: give it more, or take a smaller graph or model"


# Names that malloc.h of the C library has for these.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


def keep_freed_pages() -> bool:
    """Let this process keep the memory that a step frees for the next one, up to 2 GiB.

    The C library hands large blocks back to the system, which fills the next ones with zeros
    page by page, at a notable cost to every training step. Arrays of 32 MiB and more are not
    kept. The command line does this at its start; a program of one's own can.

    Returns:
        Whether it could: the C library must be glibc.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    results = (mallopt(_TRIM_THRESHOLD, 2**31 - 1), mallopt(_MMAP_THRESHOLD, 32 * 2**20))
    return results == (1, 1)


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


def available_bytes(machine: Path = _MACHINE, container: Path = _CONTAINER) -> int | None:
    """Return the memory that is free for this process, within its container; None if unknown.

    `machine` is the system's account of its memory, `container` the folder of its group's limits.
    """
    try:
        free = _line(machine, "MemAvailable")
    except OSError:
        return None
    try:
        limit = (container / "memory.max").read_text().strip()
        used = int((container / "memory.current").read_text())
        # Files that were read stay in memory only as long as nobody else wants it.
        stat = dict(line.split() for line in (container / "memory.stat").read_text().splitlines())
        used -= int(stat.get("inactive_file", 0))
    except (OSError, ValueError):
        return free
    return free if limit == "max" else max(0, min(free, int(limit) - used))


def parse_bytes(text: str) -> int:
    """Return a size such as 4GB, 500MB or 2GiB in bytes.

    >>> parse_bytes("4GB"), parse_bytes("1.5 GiB")
    (4000000000, 1610612736)
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([KMGT]?)(I?)B?", text.strip().upper())
    if match is None:
        raise UserError(f"{text!r}: write a size of memory such as 4GB or 500MB")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** " KMGT".index(unit or " "))


def shortage(error: BaseException) -> str | None:
    """Return one line about an allocation that failed, or None if `error` is about another thing.

    >>> shortage(MemoryError())
    'out of memory; checkpoints are kept: give it more, or take a smaller graph or model'
    """
    text = str(error)
    if not isinstance(error, MemoryError) and not any(sign in text for sign in _SHORTAGES):
        return None
    match = re.search(r"allocate (\d+) bytes", text)
    size = f" ({int(match[1]) / 1e9:.2f} GB asked for)" if match else ""
    return f"out of memory{size}; {_ADVICE}"


def _status(key: str) -> int:
    return _line(_STATUS, key)


def _line(path: Path, key: str) -> int:
    for line in path.read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return 0

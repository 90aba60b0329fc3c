"""What a command costs before it does anything: processor seconds and modules loaded."""

from __future__ import annotations

import os
import subprocess
import sys

Row = tuple[str, float, str]

REPEATS = 5
LIMIT = "under 0.5"
STARTS = {
    "homogcl --help": ("-m", "homogcl", "--help"),
    "homogcl list methods": ("-m", "homogcl", "list", "methods"),
    "homogcl show grace cora": ("-m", "homogcl", "show", "grace", "cora"),
    "import homogcl": ("-c", "import homogcl"),
}


def startup() -> list[Row]:
    """Return the processor seconds of short commands, the least of several runs, and modules."""
    rows: list[Row] = []
    for name, arguments in STARTS.items():
        processor_seconds(arguments)  # reads the files from the disk
        least = min(processor_seconds(arguments) for _ in range(REPEATS))
        rows += [
            (f"`{name}`: processor seconds", least, LIMIT),
            (f"`{name}`: modules loaded", modules_loaded(arguments), ""),
        ]
    return rows


def processor_seconds(arguments: tuple[str, ...]) -> float:
    """Return the user and system time of a Python process."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return usage.ru_utime + usage.ru_stime


def modules_loaded(arguments: tuple[str, ...]) -> int:
    """Return the number of modules that a Python process imports, by its own account."""
    process = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
    )
    lines = [line for line in process.stderr.splitlines() if line.startswith("import time:")]
    return len(lines) - 1  # without the heading

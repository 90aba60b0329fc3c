"""What a command costs before it does anything: processor seconds and modules loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from types import MappingProxyType

Row = tuple[str, float, str]

REPEATS = 5
LIMIT = "under 0.5"
COMPLETE = "homogcl ev<TAB>"
STARTS = {
    "homogcl --help": ("-m", "homogcl", "--help"),
    "homogcl list methods": ("-m", "homogcl", "list", "methods"),
    "homogcl show grace cora": ("-m", "homogcl", "show", "grace", "cora"),
    "homogcl doctor --help": ("-m", "homogcl", "doctor", "--help"),
    "import homogcl": ("-c", "import homogcl"),
    COMPLETE: ("-c", "import sys; from homogcl.cli import main; sys.argv[0] = 'homogcl'; main()"),
}
# What a shell sets when it asks for completions.
COMPLETION = {
    "_HOMOGCL_COMPLETE": "complete_bash",
    "COMP_WORDS": "homogcl ev",
    "COMP_CWORD": "1",
}


def startup() -> list[Row]:
    """Return the processor seconds of short commands, the least of several runs, and modules."""
    rows: list[Row] = []
    for name, arguments in STARTS.items():
        variables = COMPLETION if name == COMPLETE else {}
        processor_seconds(arguments, variables)  # reads the files from the disk
        least = min(processor_seconds(arguments, variables) for _ in range(REPEATS))
        rows += [
            (f"`{name}`: processor seconds", least, LIMIT),
            (f"`{name}`: modules loaded", modules_loaded(arguments, variables), ""),
        ]
    return rows


def processor_seconds(
    arguments: tuple[str, ...], variables: Mapping[str, str] = MappingProxyType({})
) -> float:
    """Return the user and system time of a Python process with further environment variables."""
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, env={**os.environ, **variables}
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return usage.ru_utime + usage.ru_stime


def modules_loaded(
    arguments: tuple[str, ...], variables: Mapping[str, str] = MappingProxyType({})
) -> int:
    """Return the number of modules that a Python process imports, by its own account."""
    process = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    lines = [line for line in process.stderr.splitlines() if line.startswith("import time:")]
    return len(lines) - 1  # without the heading

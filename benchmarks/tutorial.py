"""How long each step of the tutorial takes, as a user waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from docs.examples import steps

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"


def seconds_of_steps(page: Path = PAGE) -> dict[str, float]:
    """Return the seconds of each command of a page, each in a process of its own."""
    taken: dict[str, float] = {}
    names: dict[str, object] = {"__name__": "__main__"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for step in steps(page):
                if step.python:
                    exec(compile(step.python, page.name, "exec"), names)
                    continue
                started = time.perf_counter()
                call = [sys.executable, "-m", *step.command]
                subprocess.run(call, check=True, capture_output=True)
                taken[" ".join(step.command)] = time.perf_counter() - started
        finally:
            os.chdir(here)
    return taken

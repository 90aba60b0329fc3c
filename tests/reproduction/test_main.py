"""`python -m reproduction` runs the command line of the reproduction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reproduction", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_table_is_printed_and_a_mistake_is_one_line() -> None:
    assert run("table", "headline").stdout.startswith("| Measured |")
    wrong = run("table", "headlin")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: ")
    assert "did you mean: headline" in wrong.stderr
    assert wrong.stderr.count("\n") == 1

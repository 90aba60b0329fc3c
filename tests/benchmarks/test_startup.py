"""What a start costs is measured in a process of its own."""

import os
import subprocess
import sys

import pytest

from benchmarks.startup import (
    COMPLETE,
    COMPLETION,
    STARTS,
    modules_loaded,
    processor_seconds,
)


def test_processor_time_is_that_of_the_process() -> None:
    assert processor_seconds(("-c", "pass")) > 0


def test_each_module_counts() -> None:
    bare = modules_loaded(("-S", "-c", "pass"))
    assert bare < modules_loaded(("-S", "-c", "import this")) <= bare + 2


def test_failure_is_not_a_measure() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        processor_seconds(("-c", "raise SystemExit(3)"))


def test_the_shell_is_answered_with_what_completes_the_word() -> None:
    environment = {**os.environ, **COMPLETION}
    answer = subprocess.run(
        [sys.executable, *STARTS[COMPLETE]], capture_output=True, text=True, env=environment
    )
    assert answer.stdout.split() == ["evaluate"]
    assert modules_loaded(STARTS[COMPLETE], COMPLETION) > 0

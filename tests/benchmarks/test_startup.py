"""What a start costs is measured in a process of its own."""

import subprocess

import pytest

from benchmarks.startup import modules_loaded, processor_seconds


def test_processor_time_is_that_of_the_process() -> None:
    assert processor_seconds(("-c", "pass")) > 0


def test_each_module_counts() -> None:
    bare = modules_loaded(("-S", "-c", "pass"))
    assert bare < modules_loaded(("-S", "-c", "import this")) <= bare + 2


def test_failure_is_not_a_measure() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        processor_seconds(("-c", "raise SystemExit(3)"))

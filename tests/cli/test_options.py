"""Options that commands share: the tasks on offer, and that offering them loads nothing heavy."""

from __future__ import annotations

import pytest

from homogcl.cli.options import Task
from homogcl.runs.tasks import task_names
from tests.imports import loaded_by
from tests.shell import Shell

MODULES = ("training", "launch", "forecast", "options", "files")


def test_every_task_is_offered() -> None:
    assert [task.value for task in Task] == task_names()


@pytest.mark.parametrize("command", ["evaluate", "run"])
def test_the_help_names_the_tasks(command: str, homogcl: Shell) -> None:
    text = homogcl(command, "--help")
    assert all(name in text for name in ("probe", "cluster-raw", "unlabeled"))


def test_an_unknown_task_is_refused(homogcl: Shell) -> None:
    homogcl("evaluate", "run", "--task", "prob", code=2)
    assert "prob" in homogcl.err


@pytest.mark.parametrize("module", MODULES)
def test_the_command_line_loads_nothing_heavy(module: str) -> None:
    heavy = {"torch", "torch_geometric", "pydantic", "sklearn", "scipy", "numpy"}
    assert loaded_by(f"homogcl.cli.{module}") & heavy == set()

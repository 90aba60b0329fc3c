"""Nothing asks the network or the user: not an import, not a command, not a page."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import homogcl.pages
from tests.reliability.processes import command

GUARD = """
import sys

def guard(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__" or event == "builtins.input":
        raise AssertionError(f"{event}{arguments}")

sys.addaudithook(guard)
"""


def forbid_network_and_prompts() -> None:
    """Make every look-up, connection and question of this process an error."""
    exec(GUARD, {})


def test_the_guard_itself_works() -> None:
    ask = "import socket; socket.create_connection(('127.0.0.1', 9))"
    for code in (ask, "input()"):
        ended = subprocess.run([sys.executable, "-c", GUARD + code], capture_output=True, text=True)
        assert "AssertionError" in ended.stderr


def test_imports_ask_nothing() -> None:
    modules = "homogcl, homogcl.cli, homogcl.runs.embedder, homogcl.pages.demo"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HOMOGCL_OFFLINE": "1"}
    code = f"{GUARD}\nimport {modules}\nprint(homogcl.__version__)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == homogcl.__version__


def test_commands_ask_nothing(tmp_path: Path) -> None:
    offline = {"HOMOGCL_OFFLINE": "1"}
    small = ("--set", "epochs=2", "--set", "hidden_dim=8")
    for words in (
        ("train", "grace+homogcl", "tiny", "--out", "run", *small),
        ("evaluate", "run", "--task", "cluster"),
        ("embed", "run", "-o", "z.csv"),
        ("run", "dgi", "--data", "tiny", "--seeds", "1", "--task", "cluster", *small),
        ("list", "datasets"),
        ("show", "grace", "cora"),
    ):
        ended = command(tmp_path, *words, first=forbid_network_and_prompts, environment=offline)
        assert ended.code == 0, (words, ended)


@pytest.mark.parametrize("name", ["cora", "photo", "dblp"])
def test_missing_data_offline_are_named_and_not_fetched(name: str, tmp_path: Path) -> None:
    ended = command(
        tmp_path,
        *("train", "grace", name, "--root", "empty"),
        first=forbid_network_and_prompts,
        environment={"HOMOGCL_OFFLINE": "1"},
    )
    assert ended.code == 2
    assert "HOMOGCL_OFFLINE forbids downloads" in ended.line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stderr", "stdout"]


def test_every_page_builder_has_a_test_with_hostile_names() -> None:
    """A module of reports with `render` writes a page: its strings must be shown to be text."""
    tests = Path(__file__).parents[1] / "pages"
    for each in pkgutil.iter_modules(homogcl.pages.__path__):
        module = importlib.import_module(f"homogcl.pages.{each.name}")
        if getattr(getattr(module, "render", None), "__module__", "") == module.__name__:
            source = (tests / f"test_{each.name}.py").read_text("utf-8")
            assert "def test_hostile_strings_add_no_tag" in source, each.name
            assert "def test_page_refers_to_nothing_outside" in source, each.name

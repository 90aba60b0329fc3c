"""A record says what code and machine made it, and nothing that names the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import torch

import homogcl
from homogcl.runs import origin
from homogcl.runs.origin import current_commit, current_machine, current_versions


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit of two files."""
    (tmp_path / "src").mkdir()
    for name in ("src/code.py", "page.md"):
        (tmp_path / name).write_text("one")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--no-verify", "-m", "first")
    return tmp_path


def git(root: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    call = ["git", *settings, "-C", str(root), *arguments]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


def fresh_commit(root: Path) -> str:
    current_commit.cache_clear()
    return current_commit(root)


def test_versions_and_machine_tell_what_ran_but_not_where() -> None:
    versions = current_versions()
    assert versions["torch"] == torch.__version__
    assert versions["numpy"] == np.__version__
    assert {"python", "torch_geometric", "scikit-learn"} <= versions.keys()
    machine = current_machine(3)
    assert machine.threads == 3
    text = json.dumps(machine.model_dump())
    assert os.uname().nodename not in text
    assert "/" not in text


def test_a_checkout_without_metadata_has_the_version_of_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    versions = current_versions()
    assert versions["homogcl"] == homogcl.__version__
    assert versions["numpy"] == "not installed"


def test_the_commit_is_that_of_the_checkout_marked_where_code_differs(checkout: Path) -> None:
    head = git(checkout, "rev-parse", "HEAD")
    assert fresh_commit(checkout) == head
    (checkout / "src" / "new.py").write_text("untracked")
    (checkout / "page.md").write_text("two")
    assert fresh_commit(checkout) == head
    (checkout / "src" / "code.py").write_text("two")
    assert current_commit(checkout) == head  # of the code that the process has loaded
    assert fresh_commit(checkout) == f"{head}-dirty"


def test_what_is_no_checkout_has_no_commit(tmp_path: Path) -> None:
    assert fresh_commit(tmp_path) == "none"


def test_where_git_does_not_answer_the_commit_is_unknown(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / ".git" / "HEAD").write_text("nonsense")
    assert fresh_commit(checkout) == "unknown"
    monkeypatch.setenv("PATH", "")
    assert fresh_commit(checkout) == "unknown"


def test_importing_asks_nobody() -> None:
    code = """
import subprocess
def refuse(*_, **__):
    raise AssertionError("a process was started")
subprocess.Popen.__init__ = refuse
import homogcl.runs.record
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "processor\t: 0\nmodel name\t: Fast @ 3 GHz\nmodel name\t: Other\n",
            "Fast @ 3 GHz",
        ),
        ("processor\t: 0\n", "by the system"),
        (None, "by the system"),
    ],
)
def test_the_processor_is_named_by_the_kernel_or_the_system(
    text: str | None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "processor", lambda: "by the system")
    cpuinfo = tmp_path / "cpuinfo"
    if text is not None:
        cpuinfo.write_text(text)
    assert origin._processor(cpuinfo) == name
    monkeypatch.setattr(platform, "processor", lambda: "")
    assert origin._processor(tmp_path / "absent") == "unknown"

"""Each command of a page is timed, in order, in a folder that is gone afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.tutorial import seconds_of_steps

PAGE = """
```python
from pathlib import Path
Path("graph.csv").write_text("a,b")
length = 3
```
```sh
homogcl list methods
homogcl train grace graph.csv  # takes a while
```
```python
assert length == 3
```
"""


def test_commands_are_timed_and_python_is_run_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    folders: set[Path] = set()

    def run(call: list[str], **_: object) -> None:
        calls.append(call)
        folders.add(Path.cwd())
        assert Path("graph.csv").exists()

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(PAGE)
    taken = seconds_of_steps(tmp_path / "page.md")
    assert list(taken) == ["homogcl list methods", "homogcl train grace graph.csv"]
    assert all(seconds >= 0 for seconds in taken.values())
    assert calls[0] == [sys.executable, "-m", "homogcl", "list", "methods"]
    [folder] = folders
    assert folder != tmp_path
    assert not folder.exists()
    assert Path.cwd() == tmp_path


def test_folder_is_left_also_where_a_command_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(call: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(2, call)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(PAGE)
    with pytest.raises(subprocess.CalledProcessError):
        seconds_of_steps(tmp_path / "page.md")
    assert Path.cwd() == tmp_path

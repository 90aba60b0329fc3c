"""Fixtures of the reproduction's tests."""

from pathlib import Path

import pytest

from reproduction.__main__ import main
from tests.shell import Shell


@pytest.fixture
def reproduce(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shell:
    """The command line of the reproduction, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys, main)

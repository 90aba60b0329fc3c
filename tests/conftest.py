"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from torch_geometric.data import Data

from homogcl import testing
from tests.shell import Shell


@pytest.fixture(scope="session")
def data_root() -> Path:
    """Folder of the real data sets; the test is skipped where there is none."""
    folder = os.environ.get("HOMOGCL_DATA")
    if not folder:
        pytest.skip("needs the real data sets: set HOMOGCL_DATA to their folder")
    root = Path(folder)
    if not root.is_dir():
        pytest.fail(f"HOMOGCL_DATA is {folder}, which is not a folder")
    return root


@pytest.fixture
def block_graph() -> Data:
    """A small graph of three blocks, with features, labels and masks."""
    return testing.block_graph()


@pytest.fixture
def homogcl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shell:
    """The command line, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)

"""Fixtures of the tests of the command line."""

from pathlib import Path

import pytest

from tests.papers import NODES, write_graph


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """The folder of a small graph in a user's own files, where `homogcl` runs."""
    folder = tmp_path / "papers"
    write_graph(folder, NODES)
    return folder

"""The index of a run: measured, written beside the embeddings, and refused for one node."""

import json
from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.runs.folder import RunFolder
from homogcl.runs.index import index_of, make_index


def test_the_report_is_kept_beside_the_index(tmp_path: Path) -> None:
    np.save(tmp_path / "embeddings.npy", np.random.default_rng(0).random((200, 8), np.float32))
    folder = RunFolder(tmp_path)
    assert index_of(folder) is None
    report = make_index(folder, k=3, asked=50)
    assert (report.nodes, report.k, report.asked) == (200, 3, 50)
    assert 0.9 < report.recall <= 1
    assert json.loads((tmp_path / "index.json").read_text())["report"]["recall"] == report.recall
    assert index_of(folder) is not None


def test_a_single_node_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "embeddings.npy", np.ones((1, 8), np.float32))
    with pytest.raises(UserError, match="a single node has no neighbors"):
        make_index(RunFolder(tmp_path), k=3)

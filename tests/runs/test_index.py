"""The index of a run: measured, written beside the embeddings, and refused for one node."""

import json
from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.evaluate.neighbor_index import EFFORT
from homogcl.runs import index
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


def test_more_candidates_are_held_until_enough_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "embeddings.npy", np.random.default_rng(0).random((200, 8), np.float32))
    shares = iter([0.5, 0.9, 0.96])
    monkeypatch.setattr(index, "recall", lambda exact, approximate: next(shares))
    report = make_index(RunFolder(tmp_path), k=3, asked=50)
    assert (report.recall, report.effort) == (0.96, 4 * EFFORT)
    read = index_of(RunFolder(tmp_path))
    assert read is not None
    assert read.effort == 4 * EFFORT
    monkeypatch.setattr(index, "recall", lambda exact, approximate: 0.1)
    assert make_index(RunFolder(tmp_path), k=3, asked=50).effort == index.MOST


def test_a_single_node_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "embeddings.npy", np.ones((1, 8), np.float32))
    with pytest.raises(UserError, match="a single node has no neighbors"):
        make_index(RunFolder(tmp_path), k=3)

"""Graphs that stay on disk, as a user meets them."""

from pathlib import Path

import numpy as np
import pytest

from tests.shell import FAST, Shell


@pytest.mark.usefixtures("papers")
def test_a_graph_on_disk_trains_as_in_memory(homogcl: Shell) -> None:
    assert "wrote 90 nodes" in homogcl("to-disk", "papers", "on-disk")
    batch = ("--batch", "parts:30", *FAST)
    homogcl("train", "grace+homogcl", "papers", *batch, "--out", "a")
    assert "on-disk: 90 nodes" in homogcl("train", "grace+homogcl", "on-disk", *batch, "--out", "b")
    first, second = (np.load(Path(run) / "embeddings.npy") for run in "ab")
    np.testing.assert_array_equal(first, second)
    homogcl("embed", "b", "-o", "z.npy")
    assert Path("z.ids.txt").read_text().split()[:2] == ["p0", "p1"]
    assert "holds a graph already" in homogcl.refuses("to-disk", "papers", "on-disk")
    said = homogcl.refuses("train", "grace", "on-disk", "--source", "paper")
    assert "on-disk is a mapped graph; source belongs to files" in said

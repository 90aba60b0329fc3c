"""Nodes are found by id or number, and unknown ones named."""

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.runs.node_rows import node_rows


def test_nodes_are_found_by_number_or_by_id() -> None:
    assert node_rows([2, 0], 3, None).tolist() == [2, 0]
    assert node_rows(np.array([[1], [1]]), 3, None).tolist() == [1, 1]
    assert node_rows(["c", "a"], 3, ["a", "b", "c"]).tolist() == [2, 0]
    assert node_rows([30, 10], 3, [10, 20, 30]).tolist() == [2, 0]
    assert node_rows([], 3, ["a", "b", "c"]).tolist() == []


@pytest.mark.parametrize(
    ("nodes", "ids", "reason"),
    [
        ([0, 3], None, "the graph of 3 nodes has no node 3"),
        ([-1], None, "the graph of 3 nodes has no node -1"),
        (["d"], ["a", "b", "c"], "the graph of 3 nodes has no node 'd'$"),
        (["paper8x"], ["paper7", "paper8", "c"], "no node 'paper8x' .did you mean: paper8"),
        ([0.5], None, "by whole numbers, not by float64"),
        (np.zeros((2, 2)), None, r"not an array of shape \[2, 2\]"),
    ],
)
def test_other_nodes_are_refused(nodes: object, ids: list[str] | None, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        node_rows(nodes, 3, ids)  # type: ignore[arg-type]  # also what is no array

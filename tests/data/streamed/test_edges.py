"""The table of edges: merged as loops would, and what is wrong in it named by file and row."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed.edges import _groups
from tests.data.streamed.tables import streamed


@pytest.mark.parametrize(
    ("rows", "more", "says"),
    [
        ("s,t\na,b\n,c\n", {}, "edges.csv line 3, column 's': the id is empty"),
        ("s,t,w\na,b,1\nb,c,0\n", {"weight": "w"}, "line 3, column 'w': the weight 0 is not above"),
        ("s,t,w\na,b,1\nb,c,\n", {"weight": "w"}, "line 3, column 'w': a finite number is missing"),
        ("s,t,w\na,b,1\nb,c,x\n", {"weight": "w"}, "line 3, column 'w': 'x' is no number"),
        ("s,t\na,b\nb,s\n", {}, "edges.csv line 1: 's' is also a node"),
        ("s\na\n", {}, "edges.csv: no column 2 for target"),
        ("s,t\n", {}, "edges.csv: has no edges, and no table lists the nodes"),
    ],
)
def test_bad_rows_are_named(rows: str, more: dict[str, object], says: str, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(rows)
    with pytest.raises(UserError) as raised:
        streamed(tmp_path / "edges.csv", tmp_path / "graph", more)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("s,t\na,b\nb,z\ny,a\n", "line 4, column 's': the node 'y' is not in"),
        ("s,t\np,q\n", "none of its ids occurs in"),
    ],
)
def test_strangers_are_named(rows: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(rows)
    (tmp_path / "nodes.csv").write_text("id,x\na,1\nb,2\n")
    chosen = {"nodes": str(tmp_path / "nodes.csv")}
    with pytest.raises(UserError) as raised:
        streamed(tmp_path / "edges.csv", tmp_path / "graph", chosen)
    assert says in str(raised.value)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_groups_over_batches_are_those_of_a_loop(size: int) -> None:
    rng = np.random.default_rng(0)
    keys = np.sort(rng.integers(0, 40, 200))
    weight = rng.random(200)
    batches = [
        pa.record_batch({"key": keys[at : at + size], "weight": weight[at : at + size]})
        for at in range(0, 200, size)
    ]
    groups = list(_groups(iter(batches), weighted=True))
    pairs, means, listed = (np.concatenate(part) for part in zip(*groups, strict=True))
    weights: dict[int, list[float]] = defaultdict(list)
    flags: dict[int, bool] = defaultdict(bool)
    for key, each in zip(keys.tolist(), weight.tolist(), strict=True):
        weights[key // 2].append(each)
        flags[key // 2] |= key % 2 == 1
    assert pairs.tolist() == sorted(weights)
    np.testing.assert_allclose(means, [np.mean(weights[pair]) for pair in sorted(weights)])
    assert listed.tolist() == [flags[pair] for pair in sorted(weights)]


def test_numbers_are_sorted_as_numbers_and_names_as_text(tmp_path: Path) -> None:
    for name, ends, order in (
        ("numbers", ["10", "9", "-1"], [-1, 9, 10]),
        ("names", ["10", "9", "01"], ["01", "10", "9"]),
    ):
        pa.parquet.write_table(pa.table({"a": ends, "b": ends[::-1]}), tmp_path / f"{name}.parquet")
        graph, _, _ = streamed(tmp_path / f"{name}.parquet", tmp_path / name, {})
        assert graph.ids == order

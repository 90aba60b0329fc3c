"""Features learned a column at a time are those learned at once."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from homogcl.data.features import FeatureKind
from homogcl.data.load import load
from homogcl.data.mapped import open_mapped
from homogcl.data.streamed import features
from homogcl.data.streamed.graph import stream_graph, tables_of
from homogcl.data.streamed.store import Store
from tests.data.streamed.tables import MEMORY, quiet, write


def columns(nodes: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    words = rng.poisson(0.3, (nodes, 20))
    return {
        "normal": rng.normal(3, 2, nodes),
        "far": np.where(rng.random(nodes) < 0.1, 1e6, rng.normal(0, 1, nodes)),
        "constant": np.full(nodes, 7),
        "whole": rng.integers(0, 100, nodes),
        "truth": rng.random(nodes) < 0.2,
        "day": np.array(["2024-01-01"], dtype="datetime64[D]").repeat(nodes)
        + rng.integers(0, 500, nodes),
        "city": rng.choice(["Paris", "Rome", "Oslo"], nodes, p=[0.7, 0.2, 0.1]),
        **{f"word{j}": words[:, j] for j in range(20)},
    }


@pytest.mark.parametrize(
    ("kind", "threads"),
    [("auto", 1), ("auto", 3), ("standard", 1), ("robust", 3), ("row", 3), ("raw", 1)],
)
def test_recipe_and_features_are_those_of_the_small_reader(
    kind: FeatureKind, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(features, "ROWS", 16)
    monkeypatch.setattr(features, "threads", lambda: threads)
    nodes = 70
    names = [f"n{i}" for i in range(nodes)]
    edges = pa.table({"s": names, "t": names[1:] + names[:1]})
    write(tmp_path, edges, pa.table({"id": names, **columns(nodes)}))
    chosen = {"nodes": str(tmp_path / "nodes.parquet"), "features": [*columns(1)]}
    source = tmp_path / "edges.parquet"
    stream_graph(tables_of(str(source), chosen), tmp_path / "graph", MEMORY, quiet, kind)
    graph, expected = open_mapped(tmp_path / "graph"), load(source, files=chosen, features=kind)
    assert graph.recipe == expected.recipe
    np.testing.assert_array_equal(graph.x, expected.x.to_dense())


@pytest.mark.parametrize(("nodes", "workers"), [(1_000, 4), (5_000_000, 2), (10**9, 1)])
def test_threads_are_as_many_as_memory_allows(
    nodes: int, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(features, "threads", lambda: 4)
    store = Store(tmp_path, None, 4_000_000_000, quiet)
    assert features._workers(store, nodes) == workers

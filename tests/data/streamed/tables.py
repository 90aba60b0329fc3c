"""Small tables with everything that can be odd in large ones, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from torch_geometric.data import Data

from homogcl.data.load import load
from homogcl.data.mapped import open_mapped
from homogcl.data.streamed.graph import stream_graph, tables_of
from homogcl.data.summary import GraphSummary

MEMORY = 2 * 2**30
SETTINGS = {"features": ["age", "team", "fan"], "label": "field", "split": "part"}


def odd_tables(seed: int = 0, nodes: int = 40, rows: int = 150) -> tuple[pa.Table, pa.Table]:
    """Return edges with repetitions, both ways and to themselves, and nodes of all kinds."""
    rng = np.random.default_rng(seed)
    names = np.array([f"u{i:x}" if i % 7 else f"Ü {i}" for i in range(nodes)])
    order = rng.permutation(nodes)
    edges = pa.table(
        {
            "who": names[rng.integers(0, nodes, rows)],
            "whom": names[rng.integers(0, nodes, rows)],
            "times": np.round(rng.uniform(0.5, 4, rows), 3),
        }
    )
    listed = pa.table(
        {
            "key": names[order],
            "age": np.round(rng.normal(40, 12, nodes), 2),
            "team": rng.choice(["red", "blue", "green"], nodes),
            "fan": rng.random(nodes) < 0.5,
            "field": rng.choice(["b", "a", ""], nodes),
            "part": rng.choice(["train", "val", "test", ""], nodes),
        }
    )
    return edges, listed


def write(folder: Path, edges: pa.Table, nodes: pa.Table, form: str = "parquet") -> None:
    """Write both tables to files."""
    for name, table in (("edges", edges), ("nodes", nodes)):
        path = folder / f"{name}.{form}"
        if form == "csv":
            pa.csv.write_csv(table, path)
        else:
            pa.parquet.write_table(table, path)


def streamed(
    source: Path | str, folder: Path, settings: Mapping[str, object]
) -> tuple[Data, GraphSummary, list[str]]:
    """Return the graph that is read beyond memory, its summary and notes."""
    summary, notes = stream_graph(tables_of(str(source), settings), folder, MEMORY, quiet)
    return open_mapped(folder), summary, notes


def quiet(stage: str, rows: int) -> None:
    """Hear of progress and say nothing."""


def assert_same(graph: Data, source: Path, settings: Mapping[str, object]) -> Data:
    """Compare a graph with what `load` reads from the same files, and return that."""
    expected = load(source, files=settings)
    assert graph.ids == expected.ids
    np.testing.assert_array_equal(graph.edge_index, expected.edge_index)
    np.testing.assert_array_equal(graph.x, expected.x.to_dense())
    for key in ("edge_weight", "y"):
        assert (key in graph) == (key in expected)
        if key in graph:
            np.testing.assert_allclose(graph[key], expected[key], rtol=1e-6)
    degree = np.bincount(graph.edge_index[0], minlength=len(graph.ids))
    np.testing.assert_array_equal(np.diff(graph.crow), degree)
    assert graph.get("class_names") == (expected.class_names or None)
    if not expected.structural:
        assert graph.recipe == expected.recipe
    return expected

"""A graph that is read beyond memory is the one that is read in memory, however it is listed."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.mapped import INDEX, is_mapped
from homogcl.data.own.graph import read_own
from homogcl.data.streamed.graph import stream_graph, tables_of
from homogcl.data.streamed.store import WORK
from tests.data.streamed.tables import (
    MEMORY,
    SETTINGS,
    assert_same,
    odd_tables,
    quiet,
    streamed,
    write,
)


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("weight", [None, "times"])
def test_files_give_the_graph_of_the_small_reader(
    form: str, weight: str | None, tmp_path: Path
) -> None:
    write(tmp_path, *odd_tables(), form)
    chosen: dict[str, Any] = {**SETTINGS, "nodes": str(tmp_path / f"nodes.{form}")}
    chosen |= {"weight": weight} if weight else {}
    graph, summary, notes = streamed(tmp_path / f"edges.{form}", tmp_path / "graph", chosen)
    expected = assert_same(graph, tmp_path / f"edges.{form}", chosen)
    own = read_own(tmp_path / f"edges.{form}", **chosen)
    # Sums in another order differ in the last digits.
    assert summary.__dict__ == pytest.approx(own.summary.__dict__)
    assert "; ".join([str(summary), *notes]) == expected.report
    for mask in ("train_mask", "val_mask", "test_mask"):
        np.testing.assert_array_equal(graph[mask], own.data[mask])
    assert not (tmp_path / "graph" / WORK).exists()


@given(
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60),
    words=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_edges_alone_give_the_graph_of_the_small_reader(
    pairs: list[tuple[int, int]], words: bool
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        text = [f"{'n' if words else ''}{each}" for pair in pairs for each in pair]
        table = pa.table({"a": text[::2], "b": text[1::2]})
        pa.parquet.write_table(table, folder / "edges.parquet")
        graph, summary, _ = streamed(folder / "edges.parquet", folder / "graph", {})
        assert_same(graph, folder / "edges.parquet", {})
        assert summary == read_own(folder / "edges.parquet").summary


def test_folders_and_globs_are_one_table(tmp_path: Path) -> None:
    edges, nodes = odd_tables()
    for part, name in ((edges, "edges"), (nodes, "nodes")):
        (tmp_path / name).mkdir()
        half = part.num_rows // 2
        for number, piece in enumerate((part.slice(0, half), part.slice(half))):
            pa.parquet.write_table(piece, tmp_path / name / f"part-{number}.parquet")
    write(tmp_path, edges, nodes)
    chosen = {**SETTINGS, "nodes": str(tmp_path / "nodes.parquet")}
    apart = {**chosen, "nodes": str(tmp_path / "nodes" / "*.parquet")}
    graph, _, _ = streamed(tmp_path / "edges", tmp_path / "graph", apart)
    assert_same(graph, tmp_path / "edges.parquet", chosen)
    pa.parquet.write_table(edges.rename_columns(["a", "b", "c"]), tmp_path / "edges" / "z.parquet")
    with pytest.raises(UserError, match=r"z\.parquet: has other columns than .*part-0\.parquet"):
        streamed(tmp_path / "edges", tmp_path / "other", apart)


@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_what_is_missing_is_dropped_or_filled(missing: str, tmp_path: Path) -> None:
    edges, nodes = odd_tables(nodes=12)
    ages: list[float | None] = nodes.column("age").to_pylist()
    ages[3] = ages[7] = None
    nodes = nodes.set_column(1, "age", pa.array(ages)).slice(0, 11)
    write(tmp_path, edges, nodes)
    chosen = {**SETTINGS, "nodes": str(tmp_path / "nodes.parquet"), "missing": missing}
    graph, summary, notes = streamed(tmp_path / "edges.parquet", tmp_path / "graph", chosen)
    assert_same(graph, tmp_path / "edges.parquet", chosen)
    assert summary.nodes == (9 if missing == "drop" else 12)
    assert any(f"column 'age': 2 missing {missing}" in note for note in notes)


def test_columns_that_are_left_are_features(tmp_path: Path) -> None:
    edges, nodes = odd_tables()
    write(tmp_path, edges, nodes.select(["key", "age", "fan"]))
    graph, _, _ = streamed(
        tmp_path / "edges.parquet", tmp_path / "graph", {"nodes": tmp_path / "nodes.parquet"}
    )
    assert [column.name for column in graph.recipe.columns] == ["age", "fan"]


def test_an_import_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *odd_tables())
    chosen = {**SETTINGS, "nodes": str(tmp_path / "nodes.parquet"), "weight": "times"}
    source = tmp_path / "edges.parquet"
    monkeypatch.setenv("HOMOGCL_FAULT", "full@import-stage:3")
    with pytest.raises(OSError, match="space"):
        streamed(source, tmp_path / "graph", chosen)
    assert not is_mapped(tmp_path / "graph")
    done = json.loads((tmp_path / "graph" / WORK / "done.json").read_text())
    assert list(done) == ["nodes", "edges"]
    monkeypatch.delenv("HOMOGCL_FAULT")
    stages: list[str] = []
    tables = tables_of(str(source), chosen)
    stream_graph(tables, tmp_path / "graph", MEMORY, lambda stage, _: stages.append(stage))
    assert "listed" not in stages
    whole, _, _ = streamed(source, tmp_path / "whole", chosen)
    texts = [(tmp_path / name / INDEX).read_text() for name in ("graph", "whole")]
    assert texts[0] == texts[1]
    assert_same(whole, source, chosen)


def test_an_import_of_other_tables_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *odd_tables())
    monkeypatch.setenv("HOMOGCL_FAULT", "full@import-stage:2")
    with pytest.raises(OSError, match="space"):
        streamed(tmp_path / "edges.parquet", tmp_path / "graph", {})
    monkeypatch.delenv("HOMOGCL_FAULT")
    edges, nodes = odd_tables(seed=1)
    write(tmp_path, edges, nodes)
    graph, _, _ = streamed(tmp_path / "edges.parquet", tmp_path / "graph", {})
    assert_same(graph, tmp_path / "edges.parquet", {})


def test_a_folder_that_holds_a_graph_is_refused(tmp_path: Path) -> None:
    write(tmp_path, *odd_tables())
    streamed(tmp_path / "edges.parquet", tmp_path / "graph", {})
    with pytest.raises(UserError, match="holds a graph already"):
        streamed(tmp_path / "edges.parquet", tmp_path / "graph", {})


def test_features_of_edges_that_do_not_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *odd_tables())
    tables = tables_of(str(tmp_path / "edges.parquet"), {})
    monkeypatch.setattr("homogcl.data.streamed.graph.DIM", 10**9)
    with pytest.raises(UserError, match=r"to make some of the edges takes \d+\.\d GB of memory"):
        stream_graph(tables, tmp_path / "graph", 4_000_000_000, quiet)
    assert not is_mapped(tmp_path / "graph")


def test_too_little_memory_is_refused(tmp_path: Path) -> None:
    write(tmp_path, *odd_tables())
    tables = tables_of(str(tmp_path / "edges.parquet"), {})
    with pytest.raises(UserError, match=r"memory = 0\.50 GB: at least \d+\.\d\d GB are needed"):
        stream_graph(tables, tmp_path / "graph", 500_000_000, quiet)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"source": "whoo"}, r"edges\.parquet: no column 'whoo' for source \(did you mean: who"),
        ({"id": "kee"}, r"nodes\.parquet: no column 'kee' for id"),
        ({"label": "fields"}, r"no column 'fields' for label"),
        ({"features": ["ag"]}, r"no column 'ag' for features"),
        ({"features": Path("x.npy")}, r"features come from columns of the nodes here"),
        ({"kinds": {"part": "number"}}, r"kinds names 'part', no column of features"),
        ({"missing": "never"}, r"missing = 'never'"),
        ({"sources": "who"}, r"no setting 'sources' \(did you mean: source"),
        ({"features": ["field"]}, r"nodes\.parquet row \d+, column 'field': a value is missing"),
        ({"edges": "select 1"}, r"is no database, so that it takes no query"),
        ({"nodes": "nowhere.parquet"}, r"nowhere\.parquet: there is no such file"),
        ({"nodes": "graph.toml"}, r"graph\.toml: there is no such file"),
        ({"nodes": None}, r"features is about columns of the nodes; give nodes, too"),
        ({"nodes": None, "features": None}, r"label is about columns of the nodes; give nodes"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, object], says: str, tmp_path: Path) -> None:
    write(tmp_path, *odd_tables())
    chosen = {**SETTINGS, "nodes": str(tmp_path / "nodes.parquet"), **wrong}
    with pytest.raises(UserError, match=says):
        streamed(tmp_path / "edges.parquet", tmp_path / "graph", chosen)
    assert not is_mapped(tmp_path / "graph")

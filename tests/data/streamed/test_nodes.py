"""The table of nodes: what is wrong in it is named by file and row."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed import streams
from tests.data.streamed.tables import streamed


@pytest.mark.parametrize(
    ("rows", "more", "says"),
    [
        ("id,x\na,1\nb,2\na,3\n", {}, "nodes.csv line 4, column 'id': the id 'a' stands there a s"),
        ("id,x\na,1\n,2\nb,3\n", {}, "nodes.csv line 3, column 'id': the id is empty"),
        ("id,x\na,1\nb,\n", {}, "nodes.csv line 3, column 'x': a value is missing; or set missing"),
        ("id,x\na,1\nb,2\nc,3\nd,zwei\n", {}, "nodes.csv line 5, column 'x': 'zwei' is no number"),
        ("id,x\na,one two\nb,three four\n", {}, "column 'x': holds text, which is read in memory"),
        ("id,x,s\na,1,train\nb,2,practice\n", {"split": "s"}, "line 3, column 's': 'practice' is"),
        ("id,x\na,\nb,\n", {"missing": "drop"}, "every node lacks something, and is dropped"),
        ("id,x\n", {}, "nodes.csv: has no nodes"),
    ],
)
def test_bad_rows_are_named(
    rows: str,
    more: dict[str, object],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "_TEXT", 16)  # some rows are not in the first block
    (tmp_path / "nodes.csv").write_text(rows)
    (tmp_path / "edges.csv").write_text("s,t\na,b\n")
    chosen = {"nodes": str(tmp_path / "nodes.csv"), **more}
    with pytest.raises(UserError) as raised:
        streamed(tmp_path / "edges.csv", tmp_path / "graph", chosen)
    assert says in str(raised.value)


def test_a_kind_that_is_told_holds_for_all_blocks(tmp_path: Path) -> None:
    nodes = pa.table({"id": ["a", "b", "c", "d"], "zip": [10, 20, 10, 20]})
    pa.parquet.write_table(nodes, tmp_path / "n.parquet")
    pa.parquet.write_table(pa.table({"s": ["a"], "t": ["b"]}), tmp_path / "e.parquet")
    chosen = {"nodes": str(tmp_path / "n.parquet"), "kinds": {"zip": "category"}}
    graph, _, _ = streamed(tmp_path / "e.parquet", tmp_path / "graph", chosen)
    assert graph.recipe.columns[0].names == ("zip=10", "zip=20")
    assert graph.x.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]

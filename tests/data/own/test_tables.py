"""Tables of a user's own, wherever their columns come from."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest

from homogcl.core.errors import UserError
from homogcl.data.own.graph import read_own
from homogcl.data.own.tables import MemoryTable, ending, pick


def test_missing_pyarrow_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'homogcl\[tables\]'"):
        read_own(folder)


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.csv", ".csv"), ("a.CSV.gz", ".csv"), ("a.b.PQ", ".pq"), ("a", ""), ("a.gz", "")],
)
def test_ending_is_seen_through_gzip_in_either_case(name: str, form: str) -> None:
    assert ending(Path("some.folder") / name) == form


def table(**columns: object) -> MemoryTable:
    """A table of columns."""
    return MemoryTable(Path("t.parquet"), {name: pa.array(each) for name, each in columns.items()})


def test_columns_are_picked_by_name_or_by_place_among_the_named_ones() -> None:
    columns = MemoryTable(Path("t.parquet"), {name: pa.array([1]) for name in ("", "a", "b")})
    assert pick(columns, "b", 0, "source") == "b"
    assert [pick(columns, None, place, "source") for place in (0, 1)] == ["a", "b"]
    with pytest.raises(UserError, match=r"t\.parquet: no column 3 for weight; has \['a', 'b'\]"):
        pick(columns, None, 2, "weight")
    with pytest.raises(UserError, match=r"no column 'c' for id \(choose from"):
        pick(columns, "c", 0, "id")


def test_whole_numbers_with_gaps_are_texts_without_a_fraction() -> None:
    columns = table(a=[1.0, None, -3.0], b=[" x ", None, "y"], c=[7, 8, None])
    assert [column.to_pylist() for column in columns.text(["a", "b", "c"])] == [
        ["1", "", "-3"],
        ["x", "", "y"],
        ["7", "8", ""],
    ]


@pytest.mark.parametrize(("cells", "kind"), [([0.5, 1.0], "double"), ([[1], [2]], "list")])
def test_column_that_is_neither_text_nor_whole_is_refused(cells: list[object], kind: str) -> None:
    with pytest.raises(UserError, match=f"column 'a': holds {kind}.*text or whole numbers"):
        table(a=cells).text(["a"])


def test_numbers_stand_side_by_side_and_a_missing_one_has_a_place() -> None:
    columns = table(a=[1, 2], b=[True, False], c=["3", "4.5"], d=[0.5, None], e=["x", "y"])
    assert columns.numbers(["c", "a", "b"]).tolist() == [[3, 1, 1], [4.5, 2, 0]]
    with pytest.raises(UserError, match=r"t\.parquet row 2, column 'd': a finite number is"):
        columns.numbers(["a", "d"])
    with pytest.raises(UserError, match="column 'e': holds string, not numbers"):
        columns.numbers(["e"])


def test_rows_are_called_as_the_file_calls_them() -> None:
    edges = MemoryTable(Path("g.gexf"), {"w": pa.array([1.0, None])}, "edge")
    with pytest.raises(UserError, match=r"g\.gexf edge 2, column 'w'"):
        edges.numbers(["w"])

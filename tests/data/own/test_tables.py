"""Tables of a user's own: names or none, delimiters, and the place of whatever is wrong."""

import csv
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.own.graph import read_own
from homogcl.data.own.tables import MemoryTable, ending, pick, text_table


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


def test_numbers_in_the_first_line_are_an_edge_and_not_names(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("10,9\n9,2\n")
    own = read_own(tmp_path / "edges.csv")
    assert own.ids == [2, 9, 10]
    assert own.data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_ids_with_leading_zeros_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\n01,1\n")
    assert read_own(tmp_path / "edges.csv").ids == ["01", "1"]


def test_unnamed_row_numbers_are_no_end(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(",a,b\n0,x,y\n1,y,z\n")
    assert read_own(tmp_path / "edges.csv").ids == ["x", "y", "z"]


CELLS = st.text("ab0,; \"'\nä", max_size=4)


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6),
    delimiter=st.sampled_from([",", ";"]),
)
@settings(max_examples=60, deadline=None)
def test_cells_are_those_that_pythons_csv_reads(
    rows: list[tuple[str, str, str]], delimiter: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="") as file:
            # The line of names decides which delimiter it is.
            csv.writer(file, delimiter=delimiter).writerows([("p", "q", "r"), *rows])
        table = text_table(path, names_optional=False)
        columns = [column.to_pylist() for column in table.text(["r", "p", "q"])]
    assert columns == [[row[place].strip() for row in rows] for place in (2, 0, 1)]


def test_place_of_a_cell_counts_blank_lines_and_lines_inside_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\na,b\n1,2\n\n"x\ny",3\n4,\n')
    table = text_table(path, names_optional=False)
    # A row of several lines stands at its last.
    assert table.where(0, "a") == f"{path} line 3, column 'a'"
    assert table.where(1, "a") == f"{path} line 6, column 'a'"
    assert table.where(2, "b") == f"{path} line 7, column 'b'"
    with pytest.raises(UserError, match="line 7, column 'b': a finite number is missing"):
        table.numbers(["b"])


def test_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-8-sig"))
    table = text_table(path, names_optional=False)
    assert table.names == ["a", "b"]
    assert table.numbers(["b", "a"]).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize("mark", ["#", "%"])
def test_lists_have_no_names_but_comments(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "t.edges"
    path.write_text(f"{mark} from to\n\n{mark} 1 2\n3 4 0.5 x\n5 6 1.5 y\n")
    table = text_table(path, names_optional=False)
    assert table.names == ["source", "target", "weight", "4"]
    assert table.numbers(["source", "weight"]).tolist() == [[3, 0.5], [5, 1.5]]


def test_names_may_be_numbers_where_a_line_of_names_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,2\n3,4\n")
    assert text_table(path, names_optional=False).names == ["1", "2"]
    assert text_table(path, names_optional=True).names == ["source", "target"]


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n"])
def test_nothing_to_read_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.txt"
    path.write_text(content)
    with pytest.raises(UserError, match=r"t\.txt: is empty"):
        text_table(path, names_optional=True)

"""Nodes: their order, labels, splits and features."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.own.graph import read_own
from homogcl.data.own.ids import in_order, positions, unique, whole_numbers


def test_parquet_of_nodes_with_gaps(folder: Path) -> None:
    table = pa.table({"id": [3, 1, 2], "field": [1.0, None, 0.0], "h": [1, 2, 3]})
    pyarrow.parquet.write_table(table, folder / "n.parquet")
    (folder / "e.csv").write_text("a,b\n1,2\n")
    own = read_own(folder / "e.csv", nodes="n.parquet", label="field", features=["h"])
    assert own.ids == [3, 1, 2]
    assert own.data.y.tolist() == [1, -1, 0]
    assert own.data.x.tolist() == [[1], [2], [3]]


WHOLE = st.integers(-(2**62), 2**62).map(str)
TEXT = st.text("ab01", min_size=1, max_size=3)


@given(st.lists(WHOLE, min_size=1, max_size=8, unique=True))
def test_whole_numbers_are_ordered_by_value(ids: list[str]) -> None:
    numbers = whole_numbers(pa.array(ids))
    assert numbers is not None
    assert numbers.to_pylist() == [int(each) for each in ids]
    assert in_order(pa.array(ids)).to_pylist() == sorted(ids, key=int)


@given(st.lists(TEXT, max_size=8, unique=True))
def test_other_ids_are_ordered_as_text(ids: list[str]) -> None:
    named = pa.array([*ids, "x"])
    assert whole_numbers(named) is None
    assert in_order(named).to_pylist() == sorted([*ids, "x"])


@pytest.mark.parametrize("each", ["01", "1.0", "+1", "", "1e3", "9" * 30])
def test_what_would_not_come_back_as_it_was_is_no_whole_number(each: str) -> None:
    assert whole_numbers(pa.array(["2", each])) is None


@given(st.lists(TEXT, unique=True, max_size=6), st.lists(TEXT, max_size=8))
def test_positions_are_those_of_a_loop(among: list[str], ids: list[str]) -> None:
    places = positions(pa.array(ids, pa.string()), pa.array(among, pa.string()))
    assert places.tolist() == [among.index(each) if each in among else -1 for each in ids]


def test_ids_come_in_one_piece_and_the_first_wrong_one_has_a_place() -> None:
    pieces = pa.chunked_array([["b", "a"], ["c"]])
    assert unique(pieces, str).to_pylist() == ["b", "a", "c"]
    with pytest.raises(UserError, match=r"^2: the id is empty$"):
        unique(pa.array(["a", "b", "", ""]), str)
    with pytest.raises(UserError, match=r"^3: the id 'a' stands there a second time$"):
        unique(pa.array(["a", "b", "c", "a", "b"]), str)


def test_parts_of_the_split_have_the_names_that_people_give_them(tmp_path: Path) -> None:
    words = ["train", "Training", "val", "VALID", "validation", "test", "testing", ""]
    rows = "".join(f"n{place},{word}\n" for place, word in enumerate(words))
    (tmp_path / "n.csv").write_text("id,part\n" + rows)
    (tmp_path / "e.csv").write_text("a,b\nn0,n1\n")
    data = read_own(tmp_path / "e.csv", nodes="n.csv", split="part").data
    parts = [data[f"{part}_mask"].nonzero().flatten().tolist() for part in ("train", "val", "test")]
    assert parts == [[0, 1], [2, 3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("label", "x", "label is a column of the nodes; give nodes, too"),
        ("split", "x", "split is a column of the nodes; give nodes, too"),
        ("features", ["x"], "features are columns of the nodes; give nodes, too"),
    ],
)
def test_columns_of_nodes_need_a_file_of_nodes(
    setting: str, value: Any, says: str, tmp_path: Path
) -> None:
    (tmp_path / "e.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=rf"e\.csv: {says}"):
        read_own(tmp_path / "e.csv", seed=0, **{setting: value})

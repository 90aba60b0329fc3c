"""Files as streams: every row once, in order, and each knows where it stands."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed import streams
from homogcl.data.streamed.streams import file_stream, is_pattern


def test_rows_come_in_order_over_blocks_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "ROWS", 4)
    monkeypatch.setattr(streams, "_TEXT", 16)
    (tmp_path / "a.csv").write_text("n,m\n" + "".join(f"{i},x\n" for i in range(10)))
    pa.parquet.write_table(pa.table({"m": ["y"] * 9, "n": range(10, 19)}), tmp_path / "b.parquet")
    stream = file_stream(tmp_path, names_optional=False)
    blocks = list(stream.blocks())
    assert len(blocks) > 4
    texts = [text for block in blocks for text in block.text(["n"])[0].to_pylist()]
    assert texts == [str(i) for i in range(19)]
    places = [block.where(row, "n") for block in blocks for row in range(len(block.columns["n"]))]
    assert places[0] == f"{tmp_path}/a.csv line 2, column 'n'"
    assert places[9] == f"{tmp_path}/a.csv line 11, column 'n'"
    assert places[18] == f"{tmp_path}/b.parquet row 9, column 'n'"


def test_changed_files_have_another_state(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("a,b\n1,2\n")
    before = file_stream(path, names_optional=True).state()
    path.write_text("a,b\n1,2\n2,3\n")
    assert file_stream(path, names_optional=True).state() != before


def test_patterns_are_globs_and_folders_of_tables(tmp_path: Path) -> None:
    (tmp_path / "e.csv").touch()
    assert is_pattern(tmp_path)
    assert is_pattern(tmp_path / "*.csv")
    assert not is_pattern(tmp_path / "e.csv")
    assert not is_pattern(tmp_path / "none.csv")
    (tmp_path / "graph.toml").touch()
    assert not is_pattern(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("e.xlsx", b"", r"e\.xlsx: unknown kind of file"),
        ("e.parquet", b"no parquet at all", r"e\.parquet: is no Parquet file"),
        ("e.csv", b"a,b\n1,2\n3\n", r"e\.csv line 3: has 1 cells instead of 2"),
        ("e.csv", b"a,b\n1,2\n\xff,3\n", r"e\.csv line 3: is not UTF-8"),
        ("e.csv", b"", r"e\.csv: is empty"),
    ],
)
def test_broken_files_are_named(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=says):
        list(file_stream(tmp_path / name, names_optional=True).blocks())


def test_no_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\*\.csv: no file of a table is there"):
        file_stream(tmp_path / "*.csv", names_optional=True)

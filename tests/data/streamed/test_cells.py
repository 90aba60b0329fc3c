"""Columns on their way to disk and back."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed import cells
from homogcl.data.streamed.cells import ColumnFiles, Levels, category_cells, column_of, texts_of


def test_levels_are_numbered_as_they_come() -> None:
    levels = Levels("t")
    first = levels.codes(pa.array(["b", "", "a", None, "b"]))
    second = levels.codes(pa.chunked_array([["c"], ["a"]]))
    np.testing.assert_array_equal(first, [0, -1, 1, -1, 0])
    np.testing.assert_array_equal(second, [2, 1])
    assert levels.names() == ["b", "a", "c"]
    texts = category_cells(first, levels.names())
    assert texts.tolist() == ["b", None, "a", None, "b"]
    np.testing.assert_array_equal(levels.codes(texts_of(texts)), first)


def test_too_many_levels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_LEVELS", 2)
    with pytest.raises(UserError, match="t: has more than 2 different values"):
        Levels("t").codes(pa.array(["a", "b", "c"]))


def test_columns_are_appended_and_read_back(tmp_path: Path) -> None:
    files = ColumnFiles(tmp_path)
    for part in ([1.5, np.nan], [2.5]):
        files.append("x0", np.array(part))
    files.append("none", np.empty(0))
    files.close()
    np.testing.assert_array_equal(column_of(tmp_path, "x0", np.float64), [1.5, np.nan, 2.5])
    assert len(column_of(tmp_path, "none", np.float64)) == 0
    with pytest.raises(FileNotFoundError):
        column_of(tmp_path, "never", np.float64)

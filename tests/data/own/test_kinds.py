"""Kinds of columns: by type, by look, and on request."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from homogcl.core.errors import UserError
from homogcl.data.own.files import Kind
from homogcl.data.own.kinds import cells_of
from homogcl.data.own.tables import MemoryTable


def cells(values: object, kind: Kind | None = None) -> tuple[Kind, list[object]]:
    column = values if isinstance(values, pa.Array) else pa.array(values)
    own_kind, read = cells_of(MemoryTable("t", {"c": column}), "c", column, kind)
    return own_kind, [None if isinstance(v, float) and np.isnan(v) else v for v in read.tolist()]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 3], "number", [1, None, 3]),
        ([1.5, float("inf")], "number", [1.5, None]),
        ([True, False, None], "boolean", [1, 0, None]),
        ([dt.date(1970, 1, 3), None], "date", [2, None]),
        ([dt.datetime(1970, 1, 2, 12, tzinfo=dt.UTC)], "date", [1.5]),
        (pa.array(["a", "b", None, "a"]).dictionary_encode(), "category", ["a", "b", None, "a"]),
        (pa.array([7, 7, 8]).dictionary_encode(), "category", ["7", "7", "8"]),
        ([None, None], "number", [None, None]),
    ],
)
def test_typed_columns_are_of_their_type(
    values: object, kind: Kind, expected: list[object]
) -> None:
    assert cells(values) == (kind, expected)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["1", " 2.5 ", "", "NA", "-3e2", "NaN"], "number", [1, 2.5, None, None, -300, None]),
        (["yes", "No", "", "y"], "boolean", [1, 0, None, 1]),
        (["TRUE", "false"], "boolean", [1, 0]),
        (["1970-01-03", "", "1970-01-02T12:00:00"], "date", [2, None, 1.5]),
        (["1970-01-02T12:00:00Z"], "date", [1.5]),
        (["größe", "größe", "", "NA", "NA"], "category", ["größe", "größe", None, "NA", "NA"]),
        (["a b", "c d", "", "e"], "text", ["a b", "c d", "", "e"]),
    ],
)
def test_text_is_looked_at(values: list[str], kind: Kind, expected: list[object]) -> None:
    assert cells(values) == (kind, expected)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([10115, 10115, None], "category", ["10115", "10115", None]),
        ([1.0, float("nan"), 2.0], "category", ["1", None, "2"]),
        (["1", "0", "?"], "boolean", [1, 0, None]),
        ([1, 0], "boolean", [1, 0]),
        (["a", "a"], "text", ["a", "a"]),
        ([True, False], "number", [1, 0]),
    ],
)
def test_kind_can_be_asked_for(values: list[object], kind: Kind, expected: list[object]) -> None:
    assert cells(values, kind) == (kind, expected)


@pytest.mark.parametrize(
    ("values", "kind", "says"),
    [
        (["1", "2", "three", ""], None, "row 3, column 'c': 'three' is no number, but most"),
        (["1", "b"], "number", "row 2, column 'c': 'b' is no number"),
        (["yes", "maybe"], "boolean", "row 2, column 'c': 'maybe' is no truth value"),
        (["2020-01-01", "soon"], "date", "row 2, column 'c': 'soon' is no date"),
        ([[1], [2]], None, "column 'c': holds list"),
    ],
)
def test_cells_of_another_kind_have_a_place(
    values: list[object], kind: Kind | None, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        cells(values, kind)

"""Columns as numbers: each kind, and the same for later tables."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from pydantic import TypeAdapter

from homogcl.data.columns import LEVELS, Column, encoded, is_missing, learned_column
from homogcl.data.own.files import Kind

TEAMS = np.array(["red", "blue", None, "red", "blue", "gold"], dtype=object)
BIOS = np.array(["the red fish", "a fish, RED", None, "größe 北京 größe"], dtype=object)


def test_categories_are_one_hot_and_rare_levels_merged() -> None:
    column = learned_column("team", "category", TEAMS)
    assert column.names == ("team=blue", "team=red", "team=other")
    assert column.encode(TEAMS).tolist() == [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 1],
    ]
    later = np.array(["violet", "red"], dtype=object)
    assert column.encode(later).tolist() == [[0, 0, 1], [0, 1, 0]]


def test_a_level_never_seen_is_none_where_none_was_merged() -> None:
    column = learned_column("team", "category", np.array(["a", "a", "b", "b"], dtype=object))
    assert not column.merged
    assert column.encode(np.array(["c"], dtype=object)).tolist() == [[0, 0]]


def test_the_commonest_levels_are_taken() -> None:
    cells = np.array([f"{i:03}" for i in range(80) for _ in range(2 + (i >= 30))], dtype=object)
    column = learned_column("zip", "category", cells)
    assert column.levels == tuple(f"{i:03}" for i in range(30, 80))
    assert len(column.names) == LEVELS + 1


def test_words_that_stand_in_two_rows_are_counted() -> None:
    column = learned_column("bio", "text", BIOS)
    assert column.names == ("bio:fish", "bio:red")
    assert column.encode(BIOS).toarray().tolist() == [[1, 1], [1, 1], [0, 0], [0, 0]]
    unicode = learned_column("bio", "text", np.array(["größe 北京", "北京 x größe"], dtype=object))
    assert unicode.levels == ("größe", "北京")


def test_text_without_repeated_words_makes_no_column() -> None:
    cells = np.array(["one", "two"], dtype=object)
    column = learned_column("name", "text", cells)
    assert column.names == ()
    assert column.encode(cells).shape == (2, 0)


@pytest.mark.parametrize(
    ("kind", "cells", "fill"),
    [("number", [1, 2, 90], 2), ("date", [0, 4, 5], 4), ("boolean", [1, 0, 0], 1 / 3)],
)
def test_missing_numbers_are_filled_with_what_was_learned(
    kind: Kind, cells: list[float], fill: float
) -> None:
    column = learned_column("c", kind, np.array([*cells, np.nan]))
    assert column.fill == pytest.approx(fill)
    assert column.encode(np.array([np.nan, 7.0]))[:, 0].tolist() == pytest.approx([fill, 7])


def test_columns_stand_side_by_side() -> None:
    columns = [learned_column("team", "category", TEAMS[:4]), learned_column("bio", "text", BIOS)]
    assert encoded(columns, [TEAMS[:4], BIOS]).shape == (4, 4)
    numbers = learned_column("age", "number", np.arange(4.0))
    assert encoded([numbers], [np.arange(4.0)]).tolist() == [[0], [1], [2], [3]]


def test_missing_cells_are_known() -> None:
    assert is_missing(TEAMS).tolist() == [False, False, True, False, False, False]
    assert is_missing(np.array([1, np.nan, np.inf])).tolist() == [False, True, True]


def test_json_keeps_a_column() -> None:
    column = learned_column("größe", "category", TEAMS)
    text = json.dumps(asdict(column))
    assert TypeAdapter(Column).validate_python(json.loads(text)) == column

"""Ids: their order, where they stand, and those that fit nowhere."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.own.ids import (
    in_order,
    positions,
    refuse_strangers,
    some,
    unique,
    whole_numbers,
)

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
    with pytest.raises(UserError, match=r"^3: duplicate id 'a'$"):
        unique(pa.array(["a", "b", "c", "a", "b"]), str)


def test_the_first_five_are_named() -> None:
    assert some([]) == ""
    assert some(["é", 1]) == "'é', 1"
    assert some(list(range(1006))) == "0, 1, 2, 3, 4 and 1,001 more"


def test_ids_of_another_kind_are_recognized_with_examples_of_both() -> None:
    numbers, names = pa.array(["1", "2", "3", "4"]), pa.array(["ü1", "ü2"])
    says = (
        r"n\.csv: none of its 4 ids occurs in e\.csv; they are such as '1', '2', '3' here, and 'ü1'"
    )
    with pytest.raises(UserError, match=says):
        refuse_strangers(numbers, "n.csv", names, "e.csv")
    refuse_strangers(numbers, "n.csv", pa.array(["7", "1"]), "e.csv")
    refuse_strangers(numbers, "n.csv", pa.array([], pa.string()), "e.csv")

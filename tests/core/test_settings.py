from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.core.settings import parse_batch, parse_overrides

PLAIN = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
)


@given(st.one_of(PLAIN, st.lists(st.integers(-9, 9), max_size=3)))
def test_values_come_back_as_they_were_written_in_json(value: object) -> None:
    """Processes that share a training are started with settings in JSON."""
    [read] = parse_overrides([f"key={json.dumps(value)}"]).values()
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("relu", "relu"),
        ("1e-3", 0.001),
        ("1_000", 1000),
        ("a=b", "a=b"),
        ("", ""),
        ("True", "True"),
        ("[1, 2", "[1, 2"),
        ("1 # two", 1),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_what_is_no_toml_is_a_word(text: str, value: object) -> None:
    assert parse_overrides([f"key={text}"]) == {"key": value}


def test_blanks_around_keys_and_values_do_not_count_and_the_last_one_prevails() -> None:
    assert parse_overrides([" a = 1 ", "b=x ", "a=2"]) == {"a": 2, "b": "x"}
    assert parse_overrides([]) == {}


@pytest.mark.parametrize("pair", ["epochs", "=3", " =3", ""])
def test_pair_without_key_or_value_is_refused(pair: str) -> None:
    with pytest.raises(UserError, match=f"--set '{pair}': write it as key=value"):
        parse_overrides([pair])


def test_batch_is_a_kind_with_or_without_a_size() -> None:
    assert parse_batch("full") == {"batch": "full"}
    assert parse_batch("parts:20") == {"batch": "parts", "batch_size": 20}


@pytest.mark.parametrize("text", ["parts:", "parts:many", "parts:-1", "parts:1.5", "parts:1:2"])
def test_size_that_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=f"--batch '{text}': write it as KIND or KIND:SIZE"):
        parse_batch(text)

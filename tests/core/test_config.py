from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from homogcl.core.config import (
    Config,
    Probability,
    first_problem,
    parse_batch,
    parse_overrides,
    validated,
)
from homogcl.core.errors import UserError

PLAIN = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
)


class Drops(Config):
    """Settings of a test."""

    rate: Probability = 0.5
    layers: int = 2


def test_settings_do_not_change_once_made() -> None:
    config = Drops(rate=0.25)
    with pytest.raises(ValidationError, match="frozen"):
        config.rate = 0.75  # type: ignore[misc]
    assert config == Drops(rate=0.25)
    assert hash(config) == hash(Drops(rate=0.25))


def test_unknown_settings_are_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="rates"):
        Drops.model_validate({"rates": 0.5})


@pytest.mark.parametrize("rate", [0, 0.5, 1, "0.25"])
def test_a_probability_lies_between_0_and_1(rate: object) -> None:
    assert 0 <= Drops.model_validate({"rate": rate}).rate <= 1


@pytest.mark.parametrize("rate", [-1e-9, 1 + 1e-9, float("nan"), "half"])
def test_other_numbers_are_no_probability(rate: object) -> None:
    with pytest.raises(ValidationError, match="rate"):
        Drops.model_validate({"rate": rate})


def test_a_bad_value_is_one_line_that_names_the_setting() -> None:
    assert validated(Drops, {"rate": 0.25}) == Drops(rate=0.25)
    with pytest.raises(UserError, match=r"^setting rate=2: input should be less than or equal"):
        validated(Drops, {"rate": 2})


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


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (dict[str, list[int]], {"a": [1, "x"]}, "a.1: input should be a valid integer"),
        (int, "x", "header: input should be a valid integer"),
    ],
)
def test_the_first_problem_is_one_line_with_its_place(
    kind: type, value: object, message: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(value)
    assert first_problem(raised.value, "header").startswith(message)

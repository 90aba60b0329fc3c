from __future__ import annotations

import pytest
from pydantic import ValidationError

from homogcl.core.config import Config, Probability


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


def test_no_choice_stands_for_other_settings_by_default() -> None:
    assert Drops.settled_by({"rate": 0.1}) == {}

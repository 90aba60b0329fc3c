from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.data.shares import Shares, demo_shares


@given(st.integers(0, 999), st.integers(0, 999))
def test_a_name_says_what_it_was_made_of(homophily: int, topics: int) -> None:
    shares = Shares(homophily / 100, topics / 100)
    assert demo_shares(shares.name().replace("-", "")) == shares


@pytest.mark.parametrize(
    "name", ["cora", "demos", "demoh", "demot30h70", "demoh1000", "demo-h70", ""]
)
def test_other_names_say_nothing(name: str) -> None:
    assert demo_shares(name) is None

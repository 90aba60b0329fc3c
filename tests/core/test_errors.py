import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UnknownName, UserError, first_line, nearest

NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=8)


def test_near_names_are_offered_and_far_ones_are_not() -> None:
    hint = nearest("gracee", ["bgrl", "grace", "gcn"])
    assert hint == " (did you mean: grace?)"


def test_every_choice_is_listed_in_order_where_none_comes_near() -> None:
    assert nearest("zzz", ["gcn", "bgrl"]) == " (choose from: bgrl, gcn)"


def test_no_hint_without_choices() -> None:
    assert nearest("grace", []) == ""


@given(name=NAMES, choices=st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_hint_is_one_line_that_offers_only_choices(name: str, choices: list[str]) -> None:
    hint = nearest(name, iter(choices))
    offered = hint.strip(" ()?").partition(": ")[2].split(", ")
    assert set(offered) <= set(choices)
    assert "\n" not in hint
    assert name not in choices or name in offered


def test_unknown_name_says_kind_name_and_hint() -> None:
    error = UnknownName("data set", "coro", ["cora", "pubmed"])
    assert str(error) == "unknown data set 'coro' (did you mean: cora?)"
    assert isinstance(error, UserError)


def test_what_a_file_put_into_a_message_neither_breaks_the_line_nor_drives_the_terminal() -> None:
    assert str(UserError("no column 'a\r\n\x1b[2J\u2028é'")) == (
        "no column 'a\\r\\n\\x1b[2J\\u2028é'"
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\nb"), "a"), (ValueError("\n a\nb"), "a"), (KeyError(), "KeyError")],
)
def test_the_first_line_of_an_error_is_never_empty(error: Exception, line: str) -> None:
    assert first_line(error) == line

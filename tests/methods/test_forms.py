"""Forms by name: which there are, and how a wrong one is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.config import validated
from homogcl.core.errors import UnknownName, UserError
from homogcl.methods.forms import AUTO, FORMS, LAST, EmbeddingConfig, Form, form_of

BLOCKS = ("last", "layers", "x", "ax")


def test_a_name_says_what_a_form_consists_of() -> None:
    assert form_of("last") == Form(("last",), unit=False)
    assert form_of("layers+x/unit") == Form(("layers", "x"), unit=True)
    assert form_of("layers+x+ax") == Form(("layers", "x", "ax"), unit=False)
    assert len(FORMS) == 16
    assert EmbeddingConfig().form == LAST
    assert validated(EmbeddingConfig, {"form": AUTO}).form == AUTO


@given(st.lists(st.sampled_from(BLOCKS), max_size=4), st.sampled_from(["", "/unit", "/l2"]))
def test_names_are_read_as_they_are_written_or_not_at_all(blocks: list[str], scale: str) -> None:
    name = "+".join(blocks) + scale
    outputs, inputs = blocks[:1], blocks[1:]
    regular = outputs in (["last"], ["layers"]) and inputs in ([], ["x"], ["ax"], ["x", "ax"])
    if regular and scale != "/l2":
        assert form_of(name) == Form(tuple(blocks), scale == "/unit")
    else:
        with pytest.raises(UnknownName):
            form_of(name)


def test_a_wrong_name_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(UserError, match=r"unknown form 'layer' \(did you mean: layers"):
        form_of("layer")
    with pytest.raises(UserError, match=r"unknown form 'autu' \(did you mean: auto\?\)"):
        validated(EmbeddingConfig, {"form": "autu"})
    with pytest.raises(UserError, match="setting form=3"):
        validated(EmbeddingConfig, {"form": 3})

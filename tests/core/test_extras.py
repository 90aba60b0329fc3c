"""A package that is not there is named in one line, with the way to get it."""

import math
import sys

import pytest

from homogcl.core.errors import UserError
from homogcl.core.extras import optional


def test_a_module_that_is_there_is_returned() -> None:
    assert optional("math", "unused") is math


@pytest.mark.parametrize("name", ["no_such_package", "no_such_package.part"])
def test_a_missing_one_is_a_mistake_of_one_line(name: str) -> None:
    with pytest.raises(UserError, match=r"^maps need it: pip install it$") as caught:
        optional(name, "maps need it: pip install it")
    assert "no_such_package" in str(caught.value.__cause__)


def test_one_that_is_broken_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UserError, match="tuning needs it") as caught:
        optional("optuna", "tuning needs it")
    assert isinstance(caught.value.__cause__, ImportError)

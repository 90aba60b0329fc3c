"""A package that is not there is named in one line, with the way to get it."""

import math
from pathlib import Path

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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("import no_such_package", "No module named 'no_such_package'"),
        ("from math import no_such_name", "cannot import name 'no_such_name' from 'math'"),
    ],
)
def test_one_that_is_there_and_fails_to_load_is_named_with_the_reason(
    content: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match=rf"^maps need it: pip install it \(.*{reason}") as caught:
        optional("half_installed", "maps need it: pip install it")
    assert isinstance(caught.value.__cause__, ImportError)

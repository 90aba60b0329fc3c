"""The catalog is read as the classes would have its values."""

import pytest

from homogcl.methods.names import METHODS, PLUGINS
from homogcl.presets.catalog import Setting, catalog


@pytest.mark.parametrize(
    ("kind", "value", "typed"),
    [
        ("float", 1, 1.0),
        ("float | None", 2, 2.0),
        ("int", 1, 1),
        ("bool", True, True),
        ("float", True, True),
        ("tuple[int, ...]", [5, 6], (5, 6)),
        ("float | None", None, None),
    ],
)
def test_values_take_the_type_of_their_setting(kind: str, value: object, typed: object) -> None:
    result = Setting(None, kind).typed(value)
    assert result == typed
    assert type(result) is type(typed)


def test_every_method_and_plug_in_is_there() -> None:
    assert set(catalog().methods) == set(METHODS)
    assert set(catalog().plugins) == set(PLUGINS)

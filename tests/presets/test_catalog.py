"""The catalog is what the classes say now, and is read as they would have its values."""

from typing import Annotated, Literal, Optional

import pytest

from docs.settings_catalog import catalog_text, type_text
from homogcl.methods.names import METHODS, PLUGINS
from homogcl.presets.catalog import FILE, Setting, catalog


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


def test_catalog_is_up_to_date() -> None:
    """A stale one is renewed by `python docs/settings_catalog.py`."""
    assert FILE.read_text("utf-8") == catalog_text()


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "int"),
        (float | None, "float | None"),
        (Literal["a", "b"], "'a' | 'b'"),
        (Optional[Literal["a"]], "'a' | None"),  # noqa: UP045
        (Annotated[float, "positive"], "float"),
        (tuple[Annotated[int, "positive"], ...], "tuple[int, ...]"),
    ],
)
def test_types_are_written_as_in_python(annotation: object, text: str) -> None:
    assert type_text(annotation) == text

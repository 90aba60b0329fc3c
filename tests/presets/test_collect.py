"""The catalog that ships is what the classes say now."""

from typing import Annotated, Literal, Optional

import pytest

from homogcl.presets.catalog import FILE
from homogcl.presets.collect import catalog_text, type_text


def test_catalog_is_up_to_date() -> None:
    """A stale one is renewed by `python -m homogcl.presets.collect`."""
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

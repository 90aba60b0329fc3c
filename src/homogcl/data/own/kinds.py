"""The kind of a column of a user's own, and its cells as that kind has them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError
from homogcl.data.columns import Cells
from homogcl.data.own.files import Kind
from homogcl.data.own.tables import TableFile, arrow, whole

# How tools write that a number, a date or a truth value is missing.
ABSENT: Final = ("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?")
TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "t", "y", "1"), 1.0),
    **dict.fromkeys(("false", "no", "f", "n", "0"), 0.0),
}
_DAY: Final = 86_400e6  # microseconds


def cells_of(table: TableFile, name: str, column: Any, kind: Kind | None) -> tuple[Kind, Cells]:
    """Return the cells of a column and their kind: the one asked for, or what they look like.

    Columns that are typed are taken by their type. Of text, numbers, truth values and dates (as ISO
    8601 writes them) are recognized; what is left is a category if its values stand there twice on
    average, else text. A column that is mostly numbers but not quite is an error.

    Args:
        table: Says where a cell stands.
        name: The column's name.
        column: Its cells, as pyarrow has them.
        kind: What the user says it is.
    """
    column = whole(column)
    if arrow().types.is_dictionary(column.type):
        column, kind = column.dictionary_decode(), kind or "category"
    typed = _typed_kind(column.type)
    if typed is None:
        raise UserError(
            f"{table.path}, column {name!r}: holds {column.type}; features are numbers, truth "
            "values, dates or text"
        )
    if typed == "text":
        texts = _texts(column)
        # Most columns are numbers without gaps, which need no second look.
        numbers = _numbers(texts) if kind in (None, "number") else None
        if numbers is not None:
            return "number", np.where(np.isfinite(numbers), numbers, np.nan)
        kind = kind or _look(table, name, texts)
        return kind, _read(table, name, texts, kind)
    kind = kind or typed
    if kind in ("number", typed):
        return kind, _TYPED[typed](column)
    return kind, _read(table, name, _texts(column), kind)


def _typed_kind(kind: Any) -> Kind | None:
    """Return the kind of an arrow type; "text" is still to be looked at."""
    types = arrow().types
    tests: dict[Kind, tuple[Any, ...]] = {
        "boolean": (types.is_boolean,),
        "number": (types.is_integer, types.is_floating, types.is_decimal, types.is_null),
        "date": (types.is_date, types.is_timestamp),
        "text": (types.is_string, types.is_large_string, types.is_string_view),
    }
    return next((name for name, each in tests.items() if any(test(kind) for test in each)), None)


def _look(table: TableFile, name: str, texts: Any) -> Kind:
    """Return what a column of text holds."""
    pa = arrow()
    present = _without_absent(texts).drop_null()
    if _numbers(present) is not None:
        return "number"
    if pa.compute.all(pa.compute.is_in(pa.compute.utf8_lower(present), pa.array([*TRUTH]))).as_py():
        return "boolean"
    if _days(present) is not None:
        return "date"
    wrong = _first_wrong(texts, "number", at_most=len(present) // 2)
    if wrong >= 0:
        raise UserError(
            f"{table.where(wrong, name)}: {texts[wrong].as_py()!r} is no number, but most cells of "
            f"the column are; mend it, or say {name}=category or {name}=text by kinds"
        )
    return "category" if 2 * len(present.unique()) <= len(present) else "text"


def _read(table: TableFile, name: str, texts: Any, kind: Kind) -> Cells:
    """Return a column of text as the cells of a kind."""
    if kind == "text":
        return np.array(texts.to_pylist(), dtype=object)
    if kind == "category":
        return np.array([text or None for text in texts.to_pylist()], dtype=object)
    cells = _READERS[kind](_without_absent(texts))
    if cells is None:
        wrong = _first_wrong(texts, kind)
        raise UserError(f"{table.where(wrong, name)}: {texts[wrong].as_py()!r} is {_NO[kind]}")
    numbers: Cells = np.where(np.isfinite(cells), cells, np.nan)
    return numbers


def _first_wrong(texts: Any, kind: Kind, at_most: int | None = None) -> int:
    """Return the first cell that is not of a kind; -1 if there is none, or more than `at_most`."""
    cells = _without_absent(texts)
    rows = np.flatnonzero(~cells.is_null().to_numpy(zero_copy_only=False))
    wrong = (int(row) for row in rows if _READERS[kind](cells.slice(row, 1)) is None)
    first = next(wrong, -1)
    return -1 if at_most is not None and sum(1 for _ in wrong) >= at_most else first


def _numbers(texts: Any) -> npt.NDArray[np.float64] | None:
    """Return numbers in text, nan where there is none; None if one is no number."""
    pa = arrow()
    try:
        numbers: npt.NDArray[np.float64] = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    return numbers


def _truths(texts: Any) -> npt.NDArray[np.float64] | None:
    values = [np.nan if text is None else TRUTH.get(text.lower()) for text in texts.to_pylist()]
    return None if None in values else np.array(values, dtype=np.float64)


def _days(texts: Any) -> npt.NDArray[np.float64] | None:
    """Return dates in text as days since 1970."""
    pa = arrow()
    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return _days_of(texts.cast(kind))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return None


def _days_of(column: Any) -> npt.NDArray[np.float64]:
    pa = arrow()
    zone = getattr(column.type, "tz", None)
    steps = column.cast(pa.timestamp("us", zone)).cast(pa.int64()).cast(pa.float64(), safe=False)
    days: npt.NDArray[np.float64] = steps.to_numpy(zero_copy_only=False) / _DAY
    return days


def _floats(column: Any) -> npt.NDArray[np.float64]:
    numbers = column.cast(arrow().float64(), safe=False).to_numpy(zero_copy_only=False)
    finite: npt.NDArray[np.float64] = np.where(np.isfinite(numbers), numbers, np.nan)
    return finite


def _texts(column: Any) -> Any:
    """Return a column as text without blanks around it; missing cells are empty."""
    pa = arrow()
    if pa.types.is_floating(column.type):
        numbers = column.to_numpy(zero_copy_only=False)
        if (np.isnan(numbers) | (numbers == np.floor(numbers))).all():
            # Whole numbers with gaps come out of pandas as fractions.
            column = pa.array(numbers, from_pandas=True).cast(pa.int64())
    return pa.compute.utf8_trim_whitespace(column.cast(pa.string()).fill_null(""))


def _without_absent(texts: Any) -> Any:
    pa = arrow()
    absent = pa.compute.is_in(pa.compute.utf8_lower(texts), pa.array(ABSENT))
    return pa.compute.if_else(absent, pa.scalar(None, pa.string()), texts)


_READERS: Final = {"number": _numbers, "boolean": _truths, "date": _days}
_TYPED: Final = {"number": _floats, "boolean": _floats, "date": _days_of}
_NO: Final = {
    "number": "no number",
    "boolean": "no truth value such as yes or no",
    "date": "no date such as 2024-05-31",
}

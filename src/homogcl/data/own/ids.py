"""Ids of nodes as files write them: pyarrow strings, in order, found again, and counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError
from homogcl.data.own.tables import arrow, whole

NAMED: Final = 5  # ids in a message


def in_order(ids: Any) -> Any:
    """Return ids sorted: by number if all are whole numbers, else as text."""
    pa = arrow()
    numbers = whole_numbers(ids)
    order = pa.compute.sort_indices(ids if numbers is None else numbers)
    return ids.take(order)


def whole_numbers(ids: Any) -> Any | None:
    """Return ids as pyarrow integers, or None if one of them is not written as such a number."""
    pa = arrow()
    try:
        numbers = ids.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    return numbers if numbers.cast(pa.string()).equals(ids) else None


def unique(ids: Any, where: Callable[[int], str]) -> Any:
    """Return ids as one pyarrow array; an empty or a repeated one is an error that says `where`."""
    pa = arrow()
    ids = whole(ids)
    empty = pa.compute.index(ids, "").as_py()
    if empty >= 0:
        raise UserError(f"{where(empty)}: the id is empty")
    if len(ids.unique()) < len(ids):
        earlier: set[str] = set()
        for row, each in enumerate(ids.to_pylist()):
            if each in earlier:
                raise UserError(f"{where(row)}: duplicate id {each!r}")
            earlier.add(each)
    return ids


def positions(ids: Any, among: Any) -> npt.NDArray[np.int64]:
    """Return where each of `ids` stands in `among`, -1 if it does not."""
    places = arrow().compute.index_in(whole(ids), value_set=among).fill_null(-1)
    numbers: npt.NDArray[np.int64] = places.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def some(names: Sequence[object]) -> str:
    """Return the first five of some names, and how many more there are.

    >>> some(["a", "b"]), some(list(range(8)))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 3 more')
    """
    more = len(names) - NAMED
    first = ", ".join(repr(name) for name in names[:NAMED])
    return f"{first} and {more:,} more" if more > 0 else first


def refuse_strangers(here: Any, place: str, among: Any, other: str) -> None:
    """Refuse ids of which none occurs in `among`: the columns probably hold different ids.

    Args:
        here: pyarrow strings.
        place: Where these stand.
        among: pyarrow strings.
        other: Where those stand.
    """
    compute = arrow().compute
    if len(here) and len(among) and not compute.any(compute.is_in(among, value_set=here)).as_py():
        examples = (", ".join(map(repr, each.slice(0, 3).to_pylist())) for each in (here, among))
        raise UserError(
            "{}: none of its {:,} ids occurs in {}; they are such as {} here, and {} there".format(
                place, len(here), other, *examples
            )
        )

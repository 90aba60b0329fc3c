"""What other packages register, refused in one line where it is broken."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from homogcl.core.errors import UserError


class BrokenExtension(UserError):
    """What another package registers fails to load, or is not what its group is for."""


@cache
def third_party(group: str) -> dict[str, EntryPoint]:
    """Return the entries of other packages in an entry-point group, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def load_extension(entry: EntryPoint, kind: str, fits: Callable[[Any], bool]) -> Any:
    """Return what an entry point leads to.

    Args:
        entry: The entry of another package.
        kind: What it should be, such as "method", for the error.
        fits: Returns whether a value is of that kind.
    """
    try:
        value = entry.load()
    except (Exception, SystemExit) as error:  # whatever a foreign module does when it is imported
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise BrokenExtension(f"{_title(entry, kind)} fails to load: {reason}") from error
    if not fits(value):
        title = _title(entry, kind)
        raise BrokenExtension(f"{title} is no {kind}: {entry.value} is {value!r:.60}")
    return value


def package(entry: EntryPoint) -> str:
    """Return the name of the distribution that registers an entry, or the module it names."""
    return entry.dist.name if entry.dist else entry.module


def _title(entry: EntryPoint, kind: str) -> str:
    return f"{kind} {entry.name!r} of {package(entry)}"

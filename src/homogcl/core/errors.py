"""Errors that a user can cause and mend; the command line prints them as one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something the user gave is wrong; the message names it and says what to do."""

    exit_code = 2  # of the command line

    def __str__(self) -> str:
        """Return one line, in which whatever cannot be printed is written out as an escape."""
        text = super().__str__()
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class OtherFeatures(UserError, ValueError):
    """A graph has other features than those that were learned from."""


class UnknownName(UserError):
    """A name that is not among the choices, with the nearest ones offered."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}{nearest(name, choices)}")


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or its type if it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return a hint in parentheses: the choices nearest to `name`, or all of them if none is.

    >>> nearest("gracee", ["grace", "bgrl"])
    ' (did you mean: grace?)'
    """
    names = sorted(choices)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if close:
        return f" (did you mean: {', '.join(close)}?)"
    return f" (choose from: {', '.join(names)})" if names else ""

"""Packages that only some work needs, and that an extra of this one brings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from homogcl.core.errors import UserError, first_line


def optional(module: str, problem: str) -> Any:
    """Return a module that may not be installed; `problem` names what needs it, and the remedy.

    Of one that is there and fails to load the reason is said, too: to install it would not help.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        is_missing = error.name is not None and f"{module}.".startswith(f"{error.name}.")
        raise UserError(problem if is_missing else _with_reason(problem, error)) from error
    except ImportError as error:
        raise UserError(_with_reason(problem, error)) from error


def _with_reason(problem: str, error: ImportError) -> str:
    return f"{problem} (it does not load: {first_line(error)})"

"""Packages that only some work needs, and that an extra of this one brings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from homogcl.core.errors import UserError


def optional(module: str, problem: str) -> Any:
    """Return a module that may not be installed; `problem` names what needs it, and the remedy."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(problem) from error

"""The settings of all shipped methods, from a file, because the classes would load torch.

`python docs/settings_catalog.py` writes that file, `catalog.json`, from the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

FILE = Path(__file__).with_name("catalog.json")


class Setting(NamedTuple):
    """The default of a setting, and its type."""

    default: object
    type: str  # as Python writes it

    def typed(self, value: object) -> object:
        """Return a value of TOML or JSON in the type of the setting."""
        if isinstance(value, list):
            return tuple(value)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return float(str(value)) if is_whole and self.type.startswith("float") else value


@dataclass(frozen=True)
class Entry:
    """A method."""

    summary: str  # the first line of its description
    training_data: str  # what it learns from: features X, adjacency A, labels Y
    takes_positives: bool  # whether plug-ins can give it further positive pairs
    plugins: tuple[str, ...]  # the shipped plug-ins that accept it
    settings: Mapping[str, Setting]  # its settings by name, in the order of its class


@dataclass(frozen=True)
class Catalog:
    """All shipped methods, the settings of plug-ins, and the settings that all methods share."""

    methods: Mapping[str, Entry]
    plugins: Mapping[str, Mapping[str, Setting]]
    training: Mapping[str, Setting]
    data: Mapping[str, Setting]


@cache
def catalog() -> Catalog:
    """Return the content of `catalog.json`."""
    return TypeAdapter(Catalog).validate_json(FILE.read_bytes())

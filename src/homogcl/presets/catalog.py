"""The settings of every shipped method, read from a file, since its classes would load torch.

`python -m homogcl.presets.collect` writes that file, `catalog.json`, from the classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("catalog.json")


class Setting(NamedTuple):
    """The value of a setting without a preset, and which values it takes."""

    default: object
    type: str  # as Python writes it

    def typed(self, value: object) -> object:
        """Return `value`, as TOML or JSON has it, in the type that the setting's class gives it."""
        if isinstance(value, list):
            return tuple(value)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return float(str(value)) if is_whole and self.type.startswith("float") else value


@dataclass(frozen=True)
class Entry:
    """A method.

    Attributes:
        summary: The first line of its description.
        training_data: What it learns from: features X, adjacency A, labels Y.
        takes_positives: Whether plug-ins can give it further positive pairs.
        plugins: The shipped plug-ins that go behind its name.
        settings: Its settings by name, in the order of its class.
    """

    summary: str
    training_data: str
    takes_positives: bool
    plugins: tuple[str, ...]
    settings: Mapping[str, Setting]


@dataclass(frozen=True)
class Catalog:
    """Every shipped method, the settings of plug-ins, and those that all methods share."""

    methods: Mapping[str, Entry]
    plugins: Mapping[str, Mapping[str, Setting]]
    training: Mapping[str, Setting]
    data: Mapping[str, Setting]


@cache
def catalog() -> Catalog:
    """Return what `catalog.json` holds."""
    content = json.loads(FILE.read_text("utf-8"))
    return Catalog(
        {name: _entry(each) for name, each in content["methods"].items()},
        {name: _settings(each) for name, each in content["plugins"].items()},
        _settings(content["training"]),
        _settings(content["data"]),
    )


def _entry(content: Mapping[str, Any]) -> Entry:
    return Entry(
        **{
            **content,
            "plugins": tuple(content["plugins"]),
            "settings": _settings(content["settings"]),
        }
    )


def _settings(content: Mapping[str, Mapping[str, Any]]) -> dict[str, Setting]:
    return {key: Setting(**each) for key, each in content.items()}

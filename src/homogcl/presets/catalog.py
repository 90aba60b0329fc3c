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

from homogcl.data.datasets import data_names, graph_name, lacks_features, own_path, source
from homogcl.methods.names import PLUGINS, split_name
from homogcl.presets.sections import NO_DATA_SET, preset_by_size, preset_settings

FILE = Path(__file__).with_name("catalog.json")


class Setting(NamedTuple):
    """What a setting is without a preset, and which values it takes."""

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


@dataclass(frozen=True)
class Overview:
    """All settings of a method on a data set, their source, and the preset that gave them."""

    values: dict[str, object]
    source: str
    preset: str | None


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


def overview(
    method: str, data: str, preset: str | None = None, root: Path | None = None
) -> Overview | None:
    """Return the settings of a shipped method; None where only classes can tell.

    Args:
        method: A method's name, with plug-ins behind plus signs.
        data: A data set's name, or the path of a user's own graph, for which defaults hold.
        preset: An alternative preset, such as `official`; by default the one for the graph's size.
        root: Folder of all data sets.
    """
    name = graph_name(data) if own_path(data) is None else NO_DATA_SET
    preset = preset or preset_by_size(method, name, published_nodes(data))
    settings, origin = preset_settings(method, name, preset)
    if lacks_features(data, root):
        settings["features"] = "structural"
    complete = _complete(method, settings)
    return None if complete is None else Overview(complete, origin, preset)


def published_nodes(data: str) -> int:
    """Return how many nodes a published data set has, 0 for any other."""
    published = source(data) if data in data_names() else None
    return published.counts.nodes if published else 0


def _complete(method: str, settings: Mapping[str, object]) -> dict[str, object] | None:
    """Return `settings` with defaults for the rest; None if the catalog cannot vouch for them."""
    base, plugins = split_name(method)
    shipped = catalog()
    # How several plug-ins go together, only their classes can tell.
    if base not in shipped.methods or len(plugins) > 1:
        return None
    entry = shipped.methods[base]
    if not set(plugins) <= set(entry.plugins):
        return None
    parts = [entry.settings, *(shipped.plugins[each] for each in plugins)]
    settings_by_name: dict[str, Setting] = {}
    for part in (*parts, shipped.training, shipped.data):
        settings_by_name |= part
    if not set(settings) <= set(settings_by_name):
        return None
    complete = {
        key: setting.typed(settings.get(key, setting.default))
        for key, setting in settings_by_name.items()
    }
    for each in plugins:
        complete |= PLUGINS[each][1]
    return complete


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

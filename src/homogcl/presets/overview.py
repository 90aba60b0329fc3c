"""All settings of a method on a data set, without loading the method's classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homogcl.data.catalog import graph_name, lacks_features, own_path, published_nodes
from homogcl.methods.names import PLUGINS, split_name
from homogcl.presets.catalog import Setting, catalog
from homogcl.presets.sections import (
    NO_DATA_SET,
    depends_on_size,
    preset_by_size,
    preset_file,
    preset_settings,
)


@dataclass(frozen=True)
class Overview:
    """All settings of a method on a data set, their source, and the preset that gave them."""

    values: Mapping[str, object]
    source: str
    preset: str | None


def overview(
    method: str, data: str, preset: str | None = None, root: Path | None = None
) -> Overview | None:
    """Return the settings of a shipped method; None if they need a class, a graph or a file.

    `data` is a data set's name, or the path of a user's own graph, for which defaults hold. The
    preset is by default the one for the graph's size.
    """
    if preset_file(preset):
        return None
    name = graph_name(data) if own_path(data) is None else NO_DATA_SET
    if preset is None and depends_on_size(method, name):
        nodes = published_nodes(data)
        if nodes is None:
            return None
        preset = preset_by_size(method, name, nodes)
    settings, origin = preset_settings(method, name, preset)
    if lacks_features(data, root):
        settings["features"] = "structural"
    complete = _complete(method, settings)
    return None if complete is None else Overview(complete, origin, preset)


def _complete(method: str, settings: Mapping[str, object]) -> dict[str, object] | None:
    """Return `settings` with defaults for the rest; None if the catalog is not enough."""
    base, plugins = split_name(method)
    shipped = catalog()
    # Only the classes tell whether several plug-ins fit together.
    if base not in shipped.methods or len(plugins) > 1:
        return None
    entry = shipped.methods[base]
    if not set(plugins) <= set(entry.plugins):
        return None
    by_name: dict[str, Setting] = {**entry.settings}
    fixed: dict[str, object] = {}
    family: set[str] = set()
    for each in plugins:
        by_name |= shipped.plugins[each]
        fixed |= PLUGINS[each].settings
        family |= shipped.plugins[PLUGINS[each].presets].keys()
    by_name |= {**shipped.training, **shipped.data}
    # Presets of a plug-in's family may have settings that the plug-in lacks.
    if not set(settings) <= by_name.keys() | family:
        return None
    complete = {
        key: setting.typed(settings.get(key, setting.default)) for key, setting in by_name.items()
    }
    return complete | fixed

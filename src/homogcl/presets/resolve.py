"""From presets to settings: one TOML file per method, one section per data set, with its source.

The section `[default]` holds for every graph and `[cora]` for that data set. The section
`["cora/official"]` is an alternative, chosen by its name `official`. `["default/large"]` is chosen
automatically for graphs with many nodes that have no section of their own. The settings of
`grace+homogcl` are those of `grace`, then of `homogcl`, then of the file `grace+homogcl` if there
is one; later values replace earlier ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from homogcl.core.config import Config, validated
from homogcl.core.errors import UnknownName, UserError, nearest
from homogcl.data.load import DataConfig
from homogcl.methods.registry import config_classes, configure, plugin, split_name
from homogcl.training.loop import TrainConfig

NO_DATA_SET = ""  # no section has this name, so the method's defaults hold
LARGE = "large"
LARGE_NODES = 5_000  # between CiteSeer (its preset compares all pairs) and Photo (samples)


@dataclass(frozen=True)
class Settings:
    """All settings of a training.

    Attributes:
        method: Settings of the method and its plug-ins.
        train: How it is trained.
        data: How its graph is prepared.
        source: Where the settings come from.
        preset: The name of the alternative preset, if one was chosen.
    """

    method: dict[str, object]
    train: TrainConfig
    data: DataConfig
    source: str
    preset: str | None = None

    def flat(self) -> dict[str, object]:
        """Return all settings in one mapping, as presets have them."""
        return {**self.method, **self.train.model_dump(), **self.data.model_dump()}


def resolve(
    method: str, data: str, overrides: Mapping[str, object] | None = None, preset: str | None = None
) -> Settings:
    """Return the settings of a method on a data set.

    Args:
        method: A method's name, with plug-ins behind plus signs.
        data: A data set's name; an unknown one gets the method's defaults.
        overrides: Settings that replace those of the preset.
        preset: Name of an alternative, for the data set (such as `official`) or for all graphs
            (such as `large`).
    """
    merged: dict[str, object] = {}
    sources: list[str] = []
    section = data if preset is None else f"{data}/{preset}"
    general = f"default/{preset}"
    exists = preset is None
    for _, sections in _files(method):
        for key in ("default", general, section if section in sections else data):
            if key in sections:
                exists = exists or key in {section, general}
                values = dict(sections[key])
                sources.append(str(values.pop("source")))
                merged.update(values)
    if not exists:
        raise UnknownName("preset", section, _alternatives(method))
    # A plug-in fixes or lacks some settings; drop the presets' values for them.
    for key in _fixed_keys(method):
        merged.pop(key, None)
    merged.update(overrides or {})
    settings = _by_part(method, merged, "; ".join(dict.fromkeys(sources)))
    return replace(settings, preset=preset)


def depends_on_size(method: str, data: str) -> bool:
    """Return whether the preset depends on the size of the graph.

    It does if the method has a preset for large graphs and the data set has none of its own.
    """
    has_own = any(data in sections for _, sections in _files(method))
    return not has_own and f"default/{LARGE}" in _alternatives(method)


def preset_by_size(method: str, data: str, nodes: int) -> str | None:
    """Return the preset for graphs of more than `LARGE_NODES` nodes, or None if it does not apply.

    Under it GRACE and GCA sample their negatives.
    """
    return LARGE if nodes > LARGE_NODES and depends_on_size(method, data) else None


def preset_names() -> list[tuple[str, str, str]]:
    """Return (method, section, source) of every preset."""
    folder = files(__package__)
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return [
        (name.removesuffix(".toml"), section, str(values["source"]))
        for name in names
        for section, values in _read(name.removesuffix(".toml")).items()
    ]


def _files(method: str) -> Iterator[tuple[str, dict[str, dict[str, object]]]]:
    """Yield the name and the sections of each preset file of a method, in their order."""
    base, plugins = split_name(method)
    shared = [plugin(each).presets for each in plugins]
    together = ["+".join([base, *shared])] if plugins else []
    for name in [base, *shared, *together]:
        if sections := _read(name):
            yield name, sections


def _fixed_keys(method: str) -> set[str]:
    """Return the settings of a plug-in's family that the plug-in itself fixes or lacks."""
    keys: set[str] = set()
    for name in split_name(method)[1]:
        entry = plugin(name)
        family = plugin(entry.presets).wrap.Config.model_fields
        keys |= {*entry.settings, *(family.keys() - entry.wrap.Config.model_fields.keys())}
    return keys


@cache
def _read(name: str) -> dict[str, dict[str, object]]:
    entry = files(__package__) / f"{name}.toml"
    return tomllib.loads(entry.read_text("utf-8")) if entry.is_file() else {}


def _alternatives(method: str) -> list[str]:
    return sorted({key for _, sections in _files(method) for key in sections if "/" in key})


def _by_part(method: str, flat: Mapping[str, object], source: str) -> Settings:
    """Split flat settings into those of the method, its training and its data."""
    of_method = {key for model in config_classes(method) for key in model.model_fields}
    general: dict[str, type[Config]] = dict.fromkeys(TrainConfig.model_fields, TrainConfig)
    general |= dict.fromkeys(DataConfig.model_fields, DataConfig)
    for key in flat:
        if key not in of_method and key not in general:
            hint = nearest(key, {*of_method, *general})
            raise UserError(f"{method} has no setting {key!r}{hint}")
    configs = configure(method, {key: flat[key] for key in flat if key in of_method})
    return Settings(
        {key: value for config in configs for key, value in config.model_dump().items()},
        validated(TrainConfig, {k: v for k, v in flat.items() if general.get(k) is TrainConfig}),
        validated(DataConfig, {k: v for k, v in flat.items() if general.get(k) is DataConfig}),
        source,
    )

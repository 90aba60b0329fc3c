"""Settings of a training: presets, then what the user sets, checked by the method's classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from homogcl.core.config import C, validated
from homogcl.core.errors import UserError, nearest
from homogcl.data.load import DataConfig
from homogcl.methods.forms import EmbeddingConfig
from homogcl.methods.registry import config_classes, configure, plugin, split_name
from homogcl.presets.sections import preset_settings
from homogcl.training.loop import TrainConfig


@dataclass(frozen=True)
class Settings:
    """All settings of a training."""

    method: dict[str, object]  # settings of the method and its plug-ins
    train: TrainConfig  # how it is trained
    data: DataConfig  # how its graph is prepared
    embedding: EmbeddingConfig  # what becomes of its outputs
    source: str  # where the settings come from
    preset: str | None = None  # the name of the alternative preset, if one was chosen

    def flat(self) -> dict[str, object]:
        """Return all settings in one mapping, as presets have them."""
        return {
            **self.method,
            **self.train.model_dump(),
            **self.data.model_dump(),
            **self.embedding.model_dump(),
        }


def resolve(
    method: str, data: str, overrides: Mapping[str, object] | None = None, preset: str | None = None
) -> Settings:
    """Return the settings of a method on a data set.

    Args:
        method: A method's name, with plug-ins after plus signs.
        data: A data set's name; an unknown one gets the method's defaults.
        overrides: Settings that replace those of the preset.
        preset: Name of an alternative, for the data set (such as `official`) or for all graphs
            (such as `large`).
    """
    merged, source = preset_settings(method, data, preset)
    # A plug-in fixes or lacks some settings; drop the presets' values for them.
    for key in _fixed_keys(method):
        merged.pop(key, None)
    merged.update(overrides or {})
    settings = _by_part(method, merged, source)
    return replace(settings, preset=preset)


def _fixed_keys(method: str) -> set[str]:
    """Return the settings of a plug-in's family that the plug-in itself fixes or lacks."""
    keys: set[str] = set()
    for name in split_name(method)[1]:
        entry = plugin(name)
        family = plugin(entry.presets).wrap.Config.model_fields
        keys |= {*entry.settings, *(family.keys() - entry.wrap.Config.model_fields.keys())}
    return keys


def _by_part(method: str, flat: Mapping[str, object], source: str) -> Settings:
    """Split flat settings into those of the method, its training, its data and its embedding."""
    of_method = {key for model in config_classes(method) for key in model.model_fields}
    keys = {*of_method, *TrainConfig.model_fields}
    keys |= {*DataConfig.model_fields, *EmbeddingConfig.model_fields}
    for key in flat:
        if key not in keys:
            raise UserError(f"{method} has no setting {key!r}{nearest(key, keys)}")
    configs = configure(method, {key: flat[key] for key in flat if key in of_method})

    def part(model: type[C]) -> C:
        return validated(model, {key: flat[key] for key in flat if key in model.model_fields})

    return Settings(
        {key: value for config in configs for key, value in config.model_dump().items()},
        part(TrainConfig),
        part(DataConfig),
        part(EmbeddingConfig),
        source,
    )

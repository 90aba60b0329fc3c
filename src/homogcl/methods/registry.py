"""Classes and settings of methods by name, and of plug-ins after a plus sign."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import torch

from homogcl.core.config import Config, validated
from homogcl.core.errors import UnknownName, UserError, nearest
from homogcl.core.extensions import BrokenExtension, load_extension, third_party
from homogcl.core.seeds import integer
from homogcl.homophily.positives import CannotCombine
from homogcl.methods.base import Method, Sizes, total
from homogcl.methods.names import (
    METHODS,
    PLUGINS,
    method_names,
    plugin_names,
    split_name,
)


@dataclass(frozen=True)
class Plugin:
    """A method that wraps another one, with the settings that its name fixes."""

    wrap: Any  # a class of (base, config) with `Config` and `check_base`, such as HomoGCL
    settings: Mapping[str, object]
    presets: str  # the plug-in whose presets it uses: itself, or another of its family


def method_class(name: str) -> type[Method]:
    """Return the class of a base method."""
    others = third_party("homogcl.methods")
    if name not in METHODS and name not in others:
        raise UnknownName("method", name, method_names())
    method: type[Method] = (
        resolve_name(METHODS[name])
        if name in METHODS
        else load_extension(others[name], "method", _is_method)
    )
    return method


def plugin(name: str) -> Plugin:
    """Return the plug-in of that name."""
    if name in PLUGINS:
        shipped = PLUGINS[name]
        return Plugin(resolve_name(shipped.place), shipped.settings, shipped.presets)
    others = third_party("homogcl.plugins")
    if name not in others:
        raise UnknownName("plug-in", name, plugin_names())
    wrap = load_extension(others[name], "plug-in", _is_plugin)
    return Plugin(wrap, {}, getattr(wrap, "presets", name))


def plugins_of(base: Method | type[Method]) -> list[str]:
    """Return the names of the plug-ins that accept `base`; broken ones of others do not."""
    names = []
    for name in plugin_names() if base.combines else []:
        try:
            plugin(name).wrap.check_base(base)
        except (CannotCombine, BrokenExtension):
            continue
        names.append(name)
    return names


def config_classes(name: str) -> list[type[Config]]:
    """Return the classes of the settings of a method and of its plug-ins, in this order.

    A plug-in refuses a base that does not fit here, before anything runs.
    """
    base, plugins = split_name(name)
    wrapped: Any = method_class(base)
    models = [wrapped.Config]
    for each in plugins:
        wrap = plugin(each).wrap
        wrap.check_base(wrapped)
        models.append(wrap.Config)
        wrapped = wrap
    return models


def configure(name: str, settings: Mapping[str, object]) -> list[Config]:
    """Return the settings of a method and of its plug-ins from one flat mapping.

    An unknown key or a bad value raises an error that names it.
    """
    classes = config_classes(name)
    _, plugins = split_name(name)
    fixed: list[Mapping[str, object]] = [{}, *(plugin(each).settings for each in plugins)]
    keys = [key for model in classes for key in model.model_fields]
    for key, value in settings.items():
        if key not in keys:
            raise UserError(f"{name} has no setting {key!r}{nearest(key, keys)}")
        if any(fixed_values.get(key, value) != value for fixed_values in fixed):
            raise UserError(f"{key}={value!r} contradicts the name {name}")
    configs = [
        validated(
            model,
            {**{k: v for k, v in settings.items() if k in model.model_fields}, **fixed_values},
        )
        for model, fixed_values in zip(classes, fixed, strict=True)
    ]
    if plugins:
        wrap = plugin(plugins[0]).wrap
        wrap.check_base(method_class(split_name(name)[0]), configs[1])
    return configs


def build(name: str, settings: Mapping[str, object], sizes: Sizes, seed: int) -> Method:
    """Return an untrained method; the same seed gives the same parameters.

    Args:
        name: A base method, with plug-ins after plus signs.
        settings: Flat settings of the method and its plug-ins.
        sizes: Sizes of the training graph.
        seed: Root seed; initialization draws from its stream "init".
    """
    base, plugins = split_name(name)
    config, *plugin_configs = configure(name, settings)
    base_class = method_class(base)
    with torch.random.fork_rng():
        torch.manual_seed(integer(seed, "init"))
        method: Method = base_class(config, sizes)
        for each, plugin_config in zip(plugins, plugin_configs, strict=True):
            method = plugin(each).wrap(method, plugin_config)
    return method


def summary(name: str) -> str:
    """Return the first line of a method's docstring."""
    return (inspect.getdoc(method_class(name)) or "").partition("\n")[0]


def _is_method(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Method)


def _is_plugin(value: object) -> bool:
    return isinstance(value, type) and hasattr(value, "Config") and hasattr(value, "check_base")


__all__ = [
    "Method",
    "Sizes",
    "build",
    "config_classes",
    "configure",
    "method_class",
    "method_names",
    "plugin",
    "plugin_names",
    "plugins_of",
    "split_name",
    "summary",
    "total",
]
